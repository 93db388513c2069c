"""What is at a path instead of a table, in a few words with the next step.

Left out: the formats that open (`formats.py`).
"""

from pathlib import Path

__all__ = ["found_at"]

NEVER_OPENED = (
    "those can run any code, and are never opened; where you trust it, have its own library save it as safetensors: "
    "AutoModel.from_pretrained(FOLDER).save_pretrained(NEW) in transformers"
)
PICKLED = (".pt", ".pth", ".ckpt", ".pkl")

# What people try to open and what to do about it, by the first bytes of the file.
HINTS = {
    b"\x1f\x8b": "it is compressed: unpack it with gunzip first",
    b"\xfd7zXZ\0": "it is compressed: unpack it with xz -d first",
    b"\x28\xb5\x2f\xfd": "it is compressed: unpack it with zstd -d first",
    b"PK\x03\x04": "it is a zip archive, but not one of arrays as .npz is",
    b"\x80": f"it may be a pickle: {NEVER_OPENED}",
}


def found_at(source: Path) -> str:
    """Say what is there instead of a table."""
    if source.is_dir():
        return _found_in(sorted(entry.name for entry in source.iterdir()))
    with source.open("rb") as file:
        start = file.read(100)
    if not start:
        return "an empty file"
    if b"data.pkl" in start:  # how torch names what it packs first
        return f"a pickle of torch's ({NEVER_OPENED})"
    hint = next((hint for magic, hint in HINTS.items() if start.startswith(magic)), f"it begins with {start[:8]!r}")
    return f"a file of another kind ({hint})"


def _found_in(names: list[str]) -> str:
    """Say what a directory with files of these names is."""
    if not names:
        return "an empty directory"
    pickle = next((name for name in names if name.startswith("pytorch_model") or name.endswith(PICKLED)), None)
    if pickle:
        return f"a directory with its weights in {pickle}, a pickle ({NEVER_OPENED})"
    return f"a directory with neither rowspace.json nor model.safetensors (it holds {', '.join(names[:3])})"
