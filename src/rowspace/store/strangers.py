"""What is at a path instead of a table, in a few words with the next step.

Left out: the formats that open (`formats.py`).
"""

from pathlib import Path

__all__ = ["found_at"]

# What people try to open and what to do about it, by the first bytes of the file.
HINTS = {
    b"\x1f\x8b": "it is compressed: unpack it with gunzip first",
    b"\xfd7zXZ\0": "it is compressed: unpack it with xz -d first",
    b"\x28\xb5\x2f\xfd": "it is compressed: unpack it with zstd -d first",
    b"PK\x03\x04": "it is a zip archive, but not one of arrays as .npz is",
}


def found_at(source: Path) -> str:
    """Say what is there instead of a table."""
    if source.is_dir():
        names = sorted(entry.name for entry in source.iterdir())
        return f"a directory without rowspace.json (it holds {', '.join(names[:3])})" if names else "an empty directory"
    with source.open("rb") as file:
        start = file.read(8)
    if not start:
        return "an empty file"
    hint = next((hint for magic, hint in HINTS.items() if start.startswith(magic)), f"it begins with {start!r}")
    return f"a file of another kind ({hint})"
