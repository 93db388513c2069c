"""Describe a path that is not a table: what is there, and the next step."""

from pathlib import Path

from rowspace.errors import printable
from rowspace.files.content import SNIFFED, read_unpacked_start, zip_members
from rowspace.files.foreign import describe_folder, wide_encoding
from rowspace.files.transformers_folder import MODEL
from rowspace.store.text_formats.sniff import wrong_kind_of_text

__all__ = ["describe"]

NOT_UNPICKLED = "which is never opened, since it can run any code. If you trust it, convert it with"
AS_SAFETENSORS = "AutoModel.from_pretrained(FOLDER).save_pretrained(NEW) in transformers"
PICKLE_SUFFIXES = (".pt", ".pth", ".ckpt", ".pkl")

# How to convert a pickle, by a name in its first kilobytes.
PICKLES = {
    b"gensim.models.keyedvectors": "KeyedVectors.load(FILE).save_word2vec_format(NEW, binary=True) in gensim",
    b"gensim.models": "Word2Vec.load(FILE).wv.save_word2vec_format(NEW, binary=True) in gensim",
    b"pandas": "pandas.read_pickle(FILE).to_parquet(NEW)",
    b"numpy": "numpy.savez(NEW, rows=ROWS, tokens=TOKENS)",
}
ANY_PICKLE = "the library that wrote it, to .npz or .safetensors"

# What people try to open and what to do about it, by the first bytes of the file.
HINTS = {
    b"\xfd7zXZ\0": "it is compressed; unpack it with xz -d first",
    b"\x28\xb5\x2f\xfd": "it is compressed; unpack it with zstd -d first",
    b"BZh": "it is compressed; unpack it with bunzip2 first",
}


def describe(source: Path) -> str:
    """Describe what is at `source` instead of a table, and the next step: the end of "X is not a table: ..."."""
    if source.is_dir():
        return describe_folder(source, MODEL) or _describe_names(sorted(entry.name for entry in source.iterdir()))
    with source.open("rb") as file:
        start = file.read(SNIFFED)
    if not start:
        return "the file is empty"
    if b"data.pkl" in start[:100]:  # the first name in the archive of torch.save
        return f"it is a pickle of PyTorch, {NOT_UNPICKLED} {AS_SAFETENSORS}"
    if start.startswith(b"\x80"):
        places = {name: start.find(name) for name in PICKLES if name in start}  # the outermost class comes first
        convert = PICKLES[min(places, key=lambda name: places[name])] if places else ANY_PICKLE
        return f"it seems to be a pickle, {NOT_UNPICKLED} {convert}"
    if start.startswith(b"PK\x03\x04"):
        return _describe_zip(source)
    if start.startswith(b"\x1f\x8b"):
        inside = read_unpacked_start(source)
        return f"unpacked, it begins with {inside[:8]!r}" if inside else "the .gz is damaged"
    if encoding := wide_encoding(start):
        return f"it seems to be {encoding}; convert it with iconv -f {encoding} -t UTF-8"
    if start[:15].lower().startswith((b"<!doctype html", b"<html")):
        return "it is a web page; download the file itself (on the Hub, its address has resolve in place of blob)"
    hint = next((hint for magic, hint in HINTS.items() if start.startswith(magic)), None)
    return hint or wrong_kind_of_text(start) or f"it begins with {start[:8]!r}"


def _describe_zip(source: Path) -> str:
    with source.open("rb") as file:
        names = [info.filename for info in zip_members(file)]
    if len(names) > 1:
        listed = ", ".join([*(printable(name[:40]) for name in names[:4]), *(["..."] if len(names) > 4 else [])])
        return f"it is a zip archive of {len(names)} files ({listed}); unpack it with unzip, and open one of them"
    return "it is a zip archive that holds neither a text table nor arrays"


def _describe_names(names: list[str]) -> str:
    if not names:
        return "the folder is empty"
    pickle = next((name for name in names if name.startswith("pytorch_model") or name.endswith(PICKLE_SUFFIXES)), None)
    if pickle:
        return f"its weights are in {pickle}, a pickle, {NOT_UNPICKLED} {AS_SAFETENSORS}"
    return f"the folder has neither rowspace.json nor model.safetensors (it holds {', '.join(names[:3])})"
