"""A corpus as ids on disk, so that it can be larger than memory and be read again.

Two files in one folder: `ids.bin`, flat little-endian int32 where -1 ends a sentence, and `corpus.json`, the rest.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace._base.atomic import atomic_file
from rowspace.errors import FileFormatError
from rowspace.files.strict_json import parse_object
from rowspace.text.tokenizers.huggingface_library import tokens_by_id

__all__ = ["CORPUS_NAME", "IDS_NAME", "IdCorpus"]

IDS_NAME, CORPUS_NAME = "ids.bin", "corpus.json"
_VERSION = 1
_CHUNK = 32_768  # ids: about ten milliseconds of learning
_MIN_CHUNK = 1_024  # for small corpora, which would otherwise have only a few chunks
_BLOCKS, _BLOCK = 16, 1 << 18  # ids that are read to estimate the lengths of sentences


@dataclass
class IdCorpus:
    """A corpus as ids of a vocabulary without its rarer words.

    Attributes:
        ids_path: A file of `size` little-endian int32, with -1 at the end of each sentence; no sentence is empty, and
            the last entry is -1.
        size: The number of entries of the file.
        vocabulary: V tokens by falling count.
        counts: int64 (V,).
        words: The number of words that were read, rare ones too.
        replaced: The number of bad UTF-8 sequences.
        tokenizer: A tokenizer.json with the same ids, unless there are `token_ids`.
        token_ids: int64 (V,), the id of each token in `tokenizer`. Other tokenizers order their tokens
            differently, and have tokens that the text never uses.
        extended: The number of words of the table that the corpus extends; 0 without one. New words have the
            `token_ids` from there on.

    >>> import tempfile
    >>> from rowspace.text import TextOptions, encode_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     corpus = encode_corpus(["a b a", "a"], Path(folder), options=TextOptions(min_count=1))
    ...     corpus.save()
    ...     IdCorpus.load(Path(folder)).ids().tolist()
    [0, 1, 0, -1, 0, -1]
    """

    ids_path: Path
    size: int
    vocabulary: list[str]
    counts: NDArray[np.int64]
    words: int
    replaced: int
    tokenizer: str
    token_ids: NDArray[np.int64] | None = None
    extended: int = 0

    def ids(self) -> NDArray[np.int32]:
        """Return the ids as a read-only memory map: int32 (size,)."""
        return np.memmap(self.ids_path, dtype="<i4", mode="r", shape=(self.size,))

    @property
    def num_new(self) -> int:
        """The number of words that the table does not have that the corpus extends."""
        return 0 if self.token_ids is None else int((self.token_ids >= self.extended).sum())

    @property
    def num_chunks(self) -> int:
        """The number of chunks that `chunk` reads."""
        return -(-self.size // self._chunk_length)

    def chunk(self, number: int, *, epoch: int) -> NDArray[np.int32]:
        """Return the ids of one chunk in a separate memory map, so that the memory can be released.

        They are the same in each epoch.
        """
        start = number * self._chunk_length
        count = min(self._chunk_length, self.size - start)
        return np.memmap(self.ids_path, "<i4", "r", offset=4 * start, shape=(count,))

    @property
    def _chunk_length(self) -> int:
        return min(_CHUNK, max(_MIN_CHUNK, self.size // 64))

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        """Yield some parts of the ids, from which lengths of sentences can be estimated."""
        ids = self.ids()
        for start in np.unique(np.linspace(0, max(0, self.size - _BLOCK), _BLOCKS).astype(np.int64)):
            yield np.asarray(ids[start : start + _BLOCK])

    def tokens(self) -> list[str]:
        """Return the tokens of the tokenizer in id order; the vocabulary if the ids are the same."""
        return self.vocabulary if self.token_ids is None else tokens_by_id(Tokenizer.from_str(self.tokenizer))

    def by_token(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return `values`, (V, ...) in vocabulary order, in the order of `tokens`, with zeros for unused ones."""
        if self.token_ids is None:
            return np.ascontiguousarray(values)
        ordered = np.zeros((len(self.tokens()), *values.shape[1:]), values.dtype)
        ordered[self.token_ids] = values
        return ordered

    def save(self) -> None:
        """Write everything except the ids to a file next to them, atomically."""
        parts = {
            "version": _VERSION,
            "size": self.size,
            "words": self.words,
            "replaced": self.replaced,
            "vocabulary": self.vocabulary,
            "counts": self.counts.tolist(),
            "tokenizer": self.tokenizer,
            "token_ids": None if self.token_ids is None else self.token_ids.tolist(),
            "extended": self.extended,
        }
        with atomic_file(self.ids_path.with_name(CORPUS_NAME)) as file:
            file.write(json.dumps(parts).encode())

    @classmethod
    def load(cls, folder: Path) -> "IdCorpus":
        """Return the corpus saved in a folder.

        Raises:
            FileFormatError: it is missing, damaged or truncated.
        """
        path, ids_path = folder / CORPUS_NAME, folder / IDS_NAME
        try:
            parts = parse_object(path.read_bytes(), str(path), remedy="encode the corpus again")
            version, counts = parts.pop("version"), np.array(parts.pop("counts"), np.int64)
            order = parts.pop("token_ids", None)
            order = None if order is None else np.array(order, np.int64)
            corpus = cls(ids_path=ids_path, counts=counts, token_ids=order, **parts)
            found = ids_path.stat().st_size
        except FileFormatError:
            raise
        except OSError as error:
            raise FileFormatError(f"{error.filename!r} cannot be read: {error.strerror}; encode again") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FileFormatError(f"{str(path)!r} is damaged ({error}); encode the corpus again") from error
        if version != _VERSION:
            raise FileFormatError(f"{str(path)!r} has version {version}, not {_VERSION}; encode the corpus again")
        if found != 4 * corpus.size or len(corpus.vocabulary) != len(corpus.counts):
            raise FileFormatError(f"{str(ids_path)!r} does not fit {CORPUS_NAME} next to it; encode again")
        return corpus
