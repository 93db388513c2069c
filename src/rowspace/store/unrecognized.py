"""What to say about a path that holds no table: what is there, and the next step."""

from pathlib import Path

from rowspace.errors import printable
from rowspace.files.content import SNIFFED, read_unpacked_start, zip_members
from rowspace.store.text_formats.sniff import wrong_kind_of_text

__all__ = ["describe"]

NEVER_OPENED = "those can run any code, and are never opened; where you trust it, have its own library save"
AS_SAFETENSORS = (
    f"{NEVER_OPENED} it as safetensors: AutoModel.from_pretrained(FOLDER).save_pretrained(NEW) in transformers"
)
PICKLED = (".pt", ".pth", ".ckpt", ".pkl")

# What wrote a pickle, by a name in its first kilobytes, and what opens instead.
PICKLES = {
    b"gensim.models.keyedvectors": "KeyedVectors.load(FILE).save_word2vec_format(NEW, binary=True) in gensim",
    b"gensim.models": "Word2Vec.load(FILE).wv.save_word2vec_format(NEW, binary=True) in gensim",
    b"pandas": "pandas.read_pickle(FILE).to_parquet(NEW)",
    b"numpy": "numpy.savez(NEW, rows=ROWS, tokens=TOKENS), with the arrays that it holds",
}
ANY_PICKLE = "its rows as .npy or .safetensors"

# What people try to open and what to do about it, by the first bytes of the file.
HINTS = {
    b"\xfd7zXZ\0": "it is compressed: unpack it with xz -d first",
    b"\x28\xb5\x2f\xfd": "it is compressed: unpack it with zstd -d first",
    b"BZh": "it is compressed: unpack it with bunzip2 first",
    b"\xff\xfe": "it seems to be UTF-16: convert it with iconv -f utf-16 -t utf-8",
    b"\xfe\xff": "it seems to be UTF-16: convert it with iconv -f utf-16 -t utf-8",
}


def describe(source: Path) -> str:
    """Describe what is at `source` instead of a table, and the next step."""
    if source.is_dir():
        return _found_in(sorted(entry.name for entry in source.iterdir()))
    with source.open("rb") as file:
        start = file.read(SNIFFED)
    if not start:
        return "an empty file"
    if b"data.pkl" in start[:100]:  # how torch names what it packs first
        return f"a pickle of torch's ({AS_SAFETENSORS})"
    return f"a file of another kind ({_hint(source, start)})"


def _hint(source: Path, start: bytes) -> str:
    """Describe a file from its first bytes."""
    if start.startswith(b"\x80"):
        places = {name: start.find(name) for name in PICKLES if name in start}  # the outermost class comes first
        written_by = PICKLES[min(places, key=lambda name: places[name])] if places else ANY_PICKLE
        return f"it may be a pickle: {NEVER_OPENED} {written_by}"
    if start.startswith(b"PK\x03\x04"):
        return _hint_of_zip(source)
    if start.startswith(b"\x1f\x8b"):
        inside = read_unpacked_start(source)
        return "a damaged .gz" if not inside else f"what is in the .gz begins with {inside[:8]!r}, and is not a table"
    hint = next((hint for magic, hint in HINTS.items() if start.startswith(magic)), None)
    return hint or wrong_kind_of_text(start) or f"it begins with {start[:8]!r}"


def _hint_of_zip(source: Path) -> str:
    with source.open("rb") as file:
        names = [info.filename for info in zip_members(file)]
    if len(names) > 1:
        listed = ", ".join([*(printable(name[:40]) for name in names[:4]), *(["..."] if len(names) > 4 else [])])
        return f"a zip archive of {len(names)} files, {listed}: unpack it with unzip, and open one of them"
    return "a zip archive, but neither of arrays as .npz is nor of one table"


def _found_in(names: list[str]) -> str:
    """Describe a directory by the names of its files."""
    if not names:
        return "an empty directory"
    pickle = next((name for name in names if name.startswith("pytorch_model") or name.endswith(PICKLED)), None)
    if pickle:
        return f"a directory with its weights in {pickle}, a pickle ({AS_SAFETENSORS})"
    return f"a directory with neither rowspace.json nor model.safetensors (it holds {', '.join(names[:3])})"
