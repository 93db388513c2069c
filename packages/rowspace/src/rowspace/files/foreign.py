"""What often stands in the place of a file that a user means to open: a pointer, another format, a part of it.

Each is described in a sentence with the next step. Names of the Hugging Face Hub belong here too, as nothing is
downloaded.
"""

import re
from pathlib import Path

from rowspace.errors import FileFormatError

__all__ = [
    "ADAPTER_REMEDY",
    "TELLING",
    "check_finished",
    "describe_folder",
    "hub_hint",
    "kind_of",
    "unfinished_beside",
    "wide_encoding",
]

TELLING = 200  # bytes from which `kind_of` tells
POINTER = b"version https://git-lfs.github.com/spec/v"
GGUF_REMEDY = (
    "open the model it was made from, or convert it with transformers: AutoModelForCausalLM.from_pretrained(FOLDER, "
    "gguf_file=NAME).save_pretrained(NEW)"
)
ADAPTER = "adapter_config.json"
ADAPTER_REMEDY = (
    "an adapter of PEFT, which changes the table of a model; load both, save the result of merge_and_unload(), and "
    "open that, or use rowspace.layers.TrainableRows.load for trainable tokens"
)
UNFINISHED = (".incomplete", ".part", ".partial", ".crdownload", ".aria2", ".download")
IN_FOLDER = Path(".cache", "huggingface", "download")  # where `hf download --local-dir` keeps unfinished files
SHARD = re.compile(r"-\d{5}-of-\d{5}\.safetensors$")
HUB_NAME = re.compile(r"\w[\w.-]*/\w[\w.-]*", re.ASCII)


def kind_of(start: bytes) -> str | None:
    """Describe a file from its first bytes, if it is never what was meant, and the next step.

    >>> kind_of(b"GGUF" + bytes([3, 0, 0, 0]))[:33], kind_of(b"GGUF 0.5 1.5") is None
    ('a GGUF file of llama.cpp, which i', True)
    """
    if start.startswith(POINTER) and b"\noid sha256:" in start:
        return "a Git LFS pointer in place of the file; fetch the file with: git lfs pull, or download it again"
    if start[:4] == b"GGUF" and len(start) >= 8 and 0 in (start[4], start[7]):  # and a version of four bytes
        return f"a GGUF file of llama.cpp, which is not read; {GGUF_REMEDY}"
    return None


def check_finished(path: Path) -> None:
    """Raise `FileFormatError` if the name of the file at `path` is that of an unfinished download."""
    if path.name.endswith(UNFINISHED) and path.is_file():
        raise FileFormatError(f"{path}: an unfinished download; finish it, or rename the file if it is complete")


def unfinished_beside(path: Path) -> str:
    """Return the end of a sentence about the missing file `path`, if there is an unfinished download, or ""."""
    home = path.parent
    blobs = [home.parents[1] / "blobs"] if home.parent.name == "snapshots" else []
    places = [home, *([] if blobs else [home / IN_FOLDER]), *blobs]
    for place in places:
        for found in sorted(place.glob("*")) if place.is_dir() else ():
            if found.name.endswith(UNFINISHED) and (place != home or found.name.startswith(path.name)):
                return f" ({found} is an unfinished download: download it again)"
    return ""


def describe_folder(folder: Path, weights: str) -> str | None:
    """Describe a folder without the file `weights` by what it has instead, and the next step."""
    names = sorted(entry.name for entry in folder.iterdir())
    if unfinished := unfinished_beside(folder / weights):
        return f"it has no {weights}{unfinished}"
    shards = [name for name in names if SHARD.search(name)]
    if ADAPTER in names:
        return f"it is {ADAPTER_REMEDY}"
    if shards:
        return f"it has parts of a model ({shards[0]}), but no {weights}.index.json; download that file too"
    for suffix, remedy in ((".safetensors", "name that file"), (".gguf", f"which is not read; {GGUF_REMEDY}")):
        other = next((name for name in names if name.endswith(suffix)), None)
        if other is not None:
            return f"it has no {weights}, but {other}; {remedy}"
    return None


def hub_hint(path: str) -> str:
    """Return the end of a sentence about a path that does not exist, if it looks like a name on the Hub, or "".

    >>> hub_hint("org/model")
    '; a model of the Hugging Face Hub is downloaded first: hf download org/model'
    >>> hub_hint("./model"), hub_hint("/org/model"), hub_hint("a/b/c")
    ('', '', '')
    """
    if not HUB_NAME.fullmatch(path) or Path(path).parent.exists():
        return ""
    return f"; a model of the Hugging Face Hub is downloaded first: hf download {path}"


MARKS = {
    b"\xff\xfe\x00\x00": "UTF-32",
    b"\x00\x00\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}
MIN_BYTES, MIN_SHARE = 8, 0.6  # of NUL bytes, without a byte order mark


def wide_encoding(start: bytes) -> str | None:
    """Return the encoding of UTF-16 or UTF-32 text, by the name that iconv has for it; None for other content.

    Without a byte order mark, only UTF-16 is recognized that is mostly ASCII, where every other byte is NUL.

    >>> wide_encoding("some text".encode("utf-16-le"))
    'UTF-16LE'
    """
    for mark, encoding in MARKS.items():
        if start.startswith(mark):
            return encoding
    even, odd = start[::2], start[1::2]
    for encoding, high, low in (("UTF-16LE", odd, even), ("UTF-16BE", even, odd)):
        if len(start) >= MIN_BYTES and high.count(0) > len(high) * MIN_SHARE and not low.count(0):
            return encoding
    return None
