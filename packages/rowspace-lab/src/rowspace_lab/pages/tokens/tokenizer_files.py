"""The tokenizers of this machine: in the working folder, in the local Hugging Face cache, and uploaded ones.

A page names them by an id, never by a path. The id of a file is a hash of its path, that of an upload one of its bytes.
"""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from threading import Lock

from rowspace.errors import FileFormatError, UsageError
from rowspace.text import HuggingFaceTokenizer, Tokenizer

__all__ = ["MAX_FILE", "FoundTokenizer", "Uploads", "find_tokenizers"]

MAX_FILE = 40 << 20  # bytes; the tokenizer.json of Gemma has 33 million
_NAMES = ("tokenizer.json", "tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "vocab.txt", "merges.txt")
_SKIPPED = {"node_modules", "__pycache__", "site-packages"}
_DEPTH = 4  # of folders below the working folder
_FOLDERS = 2000  # that are looked into
_MAX_LISTED = 40  # tokenizers of each place


@dataclass(frozen=True)
class FoundTokenizer:
    """The folder of a tokenizer, its id and its name for people."""

    id: str
    title: str
    place: str
    path: Path


def find_tokenizers() -> list[FoundTokenizer]:
    """Return the tokenizers in folders below the working folder, then those in the Hugging Face cache."""
    below, base = list(islice(_below(Path.cwd()), _MAX_LISTED)), Path.cwd()
    cached = list(islice(_in_cache(_hub_cache()), _MAX_LISTED))
    named = [(path, str(path.relative_to(base)), "working folder") for path in below]
    named += [(path, title, "Hugging Face cache") for path, title in cached]
    return [FoundTokenizer(_hash(os.fsencode(path)), title, place, path) for path, title, place in named]


def _below(base: Path) -> Iterator[Path]:
    """Yield the folders below `base` that have a tokenizer, without entering links, hidden and installed folders."""
    visited = islice(os.walk(base), _FOLDERS)
    for name, folders, files in visited:
        folder = Path(name)
        folders[:] = sorted(each for each in folders if not each.startswith(".") and each not in _SKIPPED)
        if len(folder.relative_to(base).parts) >= _DEPTH:
            folders.clear()
        if _has_tokenizer(folder, files):
            yield folder


def _has_tokenizer(folder: Path, files: list[str]) -> bool:
    """Return whether a folder has a tokenizer that is not too large, and is not a link that leads elsewhere."""
    found = [folder / name for name in _NAMES if name in files and not (folder / name).is_symlink()]
    return any(path.is_file() and path.stat().st_size <= MAX_FILE for path in found)


def _hub_cache() -> Path:
    """Return the folder in which huggingface_hub keeps models, by its environment variables."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache", "huggingface")
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home, "hub")).expanduser()


def _in_cache(cache: Path) -> Iterator[tuple[Path, str]]:
    """Yield the newest snapshot of each model that has a tokenizer, with the model's name; its files are links."""
    for model in sorted(cache.glob("models--*")):
        snapshots = sorted(model.glob("snapshots/*"), key=lambda path: path.stat().st_mtime, reverse=True)
        for snapshot in snapshots:
            files = [snapshot / name for name in _NAMES]
            if any(path.is_file() and path.stat().st_size <= MAX_FILE for path in files):
                yield snapshot, model.name.removeprefix("models--").replace("--", "/")
                break


class Uploads:
    """The last `limit` uploaded tokenizers, by the hash of their bytes.

    >>> Uploads().get("upload-0")
    Traceback (most recent call last):
    rowspace.errors.UsageError: tokenizer 'upload-0' was not uploaded, or is no longer in memory; upload it again
    """

    def __init__(self, limit: int = 6) -> None:
        self._limit = limit
        self._kept: OrderedDict[str, tuple[str, Tokenizer]] = OrderedDict()
        self._lock = Lock()

    def keep(self, data: bytes, title: str) -> str:
        """Open an uploaded tokenizer.json, keep it, and return its id.

        Raises:
            FileFormatError: it is not a tokenizer.json that opens.
        """
        try:
            tokenizer = HuggingFaceTokenizer.from_json(data.decode("utf-8-sig"), "the uploaded file")
        except UnicodeDecodeError:
            raise FileFormatError("the uploaded file is not valid UTF-8; upload a tokenizer.json") from None
        name = f"upload-{_hash(data)}"
        with self._lock:
            self._kept[name] = title, tokenizer
            self._kept.move_to_end(name)
            while len(self._kept) > self._limit:
                self._kept.popitem(last=False)
        return name

    def get(self, name: str) -> tuple[str, Tokenizer]:
        """Return the title and the tokenizer of an id."""
        with self._lock:
            if name not in self._kept:
                raise UsageError(
                    f"tokenizer {name[:40]!r} was not uploaded, or is no longer in memory; upload it again"
                )
            return self._kept[name]

    def titles(self) -> list[tuple[str, str]]:
        """Return the ids and titles, the last one uploaded last."""
        with self._lock:
            return [(name, title) for name, (title, _) in self._kept.items()]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
