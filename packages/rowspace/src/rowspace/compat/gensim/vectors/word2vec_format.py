"""word2vec's files of vectors: read by rowspace's formats, and by a plain reader for other encodings."""

import os
import sys
import warnings
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike

from rowspace._base.atomic import atomic_file
from rowspace.compat.gensim.errors import DamagedFileError
from rowspace.compat.gensim.opening import check_exists, decode_bytes, open_binary, read_text
from rowspace.compat.gensim.vectors.evaluation import VectorEvaluation
from rowspace.compat.gensim.vectors.storage import Rows
from rowspace.errors import FileFormatError, UsageError
from rowspace.store.text_formats import glove, word2vec, word2vec_text
from rowspace.store.text_formats.text_matrix import FORBIDDEN, FORBIDDEN_ENDS, MAX_WORD, text_of
from rowspace.store.words import as_float32, encode_words

__all__ = ["Word2VecFormat"]

COMPRESSED_BY_US = (".bz2", ".xz")  # which rowspace's own formats do not unpack


class Word2VecFormat(VectorEvaluation):
    """Reading and writing word2vec's files."""

    @classmethod
    def load_word2vec_format(
        cls,
        fname: Any,
        fvocab: Any = None,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
        limit: int | None = None,
        datatype: DTypeLike = np.float32,
        no_header: bool = False,
    ) -> Self:
        """Read a file of vectors as word2vec.c writes it.

        Args:
            fname: A path, which may be compressed, or an open binary file.
            fvocab: A file of "word count" lines; without it the counts are V, V - 1, ... 1, as in gensim.
            binary: Whether the numbers are binary.
            encoding: The encoding of the words.
            unicode_errors: What becomes of invalid bytes in words: "strict", "ignore" or "replace".
            limit: Read only the first vectors.
            datatype: Type of the numbers in memory.
            no_header: Whether a text file has no first line "V D", as GloVe's.

        Raises:
            MissingFileError: There is no such file; this is a `FileNotFoundError`.
            DamagedFileError: The file is cut off or damaged; this is an `EOFError`.
            BadEncodingError: A word has invalid bytes and `unicode_errors` is "strict"; this is a `UnicodeDecodeError`.
        """
        counts = {} if fvocab is None else _read_counts(fvocab, encoding, unicode_errors)
        found = _read_by_store(fname, binary, limit, no_header) if _is_plain(fname, encoding, unicode_errors) else None
        keys, rows = found or _read_plainly(fname, binary, encoding, unicode_errors, limit, no_header)
        vectors = cls(rows.shape[1], dtype=datatype)
        vectors.add_vectors(keys, rows)
        total = len(vectors)
        known = [counts.get(key, total - index) for index, key in enumerate(vectors.index_to_key)]
        vectors.allocate_vecattrs({"count": np.dtype(np.int64)})
        vectors.expandos["count"][:] = known
        return vectors

    def save_word2vec_format(
        self,
        fname: str | os.PathLike[str],
        fvocab: Any = None,
        binary: bool = False,
        total_vec: int | None = None,
        write_header: bool = True,
        prefix: str = "",
        append: bool = False,
        sort_attr: str = "count",
    ) -> None:
        """Write the vectors as word2vec.c does; an older file is replaced atomically.

        Args:
            fname: The path.
            fvocab: A path for "word count" lines.
            binary: Whether the numbers are binary.
            total_vec: The number of vectors in the first line, if others are appended later.
            write_header: Whether to write the first line "V D".
            prefix: What to write before each key.
            append: Write after what the file holds.
            sort_attr: Keys are written by falling value of this attribute, if they have it.

        Raises:
            UsageError: A key has a blank or a newline, which the format cannot hold.
        """
        values = self.expandos.get(sort_attr)
        order = np.arange(len(self)) if values is None else np.argsort(-values.astype(np.float64), kind="stable")
        keys = [f"{prefix}{self.index_to_key[index]}" for index in order.tolist()]
        words = encode_words(
            keys, forbidden=b" " + FORBIDDEN, forbidden_ends=FORBIDDEN_ENDS, max_bytes=MAX_WORD, format="word2vec"
        )
        rows = as_float32(self.vectors[order])
        old = Path(fname).read_bytes() if append and Path(fname).exists() else b""
        with atomic_file(fname) as file:
            file.write(old)
            if write_header:
                file.write(f"{total_vec or len(self)} {self.vector_size}\n".encode())
            if binary:
                file.writelines(part for word, row in zip(words, rows, strict=True) for part in (word, b" ", row.data))
            else:
                file.writelines(text_of(words, rows))
        if fvocab is not None:
            counts = np.zeros(len(self), np.int64) if values is None else values[order]
            with atomic_file(fvocab) as file:
                file.writelines(b"%s %d\n" % pair for pair in zip(words, counts.tolist(), strict=True))

    def intersect_word2vec_format(
        self,
        fname: Any,
        lockf: float = 0.0,
        binary: bool = False,
        encoding: str = "utf8",
        unicode_errors: str = "strict",
    ) -> None:
        """Replace the vectors of keys that a file of vectors has; no key is added.

        Args:
            fname: The file.
            lockf: The factor of the learning rate for these vectors in later training: 0 keeps them fixed, 1 learns.
            binary: Whether the numbers of the file are binary.
            encoding: The encoding of its words.
            unicode_errors: What becomes of invalid bytes in words.

        Raises:
            UsageError: Its vectors have another length.
        """
        loaded = Word2VecFormat.load_word2vec_format(
            fname, binary=binary, encoding=encoding, unicode_errors=unicode_errors
        )
        if loaded.vector_size != self.vector_size:
            raise UsageError(
                f"the vectors of {str(fname)!r} have {loaded.vector_size} numbers, but these have {self.vector_size}"
            )
        factors = np.ones(len(self), np.float32)
        factors[:] = self.vectors_lockf if len(self.vectors_lockf) in (1, len(self)) else 1
        for key in loaded.index_to_key:
            index = self.key_to_index.get(key)
            if index is not None:
                self.vectors[index] = loaded.get_vector(key)
                factors[index] = lockf
        self.vectors_lockf, self.norms = factors, None


def _is_plain(source: Any, encoding: str, errors: str) -> bool:
    """Whether rowspace's own formats read a file: the path of UTF-8."""
    is_path = isinstance(source, (str, os.PathLike)) and Path(source).suffix not in COMPRESSED_BY_US
    return is_path and encoding.replace("-", "").lower() == "utf8" and errors == "strict"


def _read_by_store(source: Any, binary: bool, limit: int | None, no_header: bool) -> tuple[list[str], Rows] | None:
    """Return the keys and rows of a file; None where a word is not valid UTF-8."""
    check_exists(source)
    reader: Any = word2vec if binary else glove if no_header else word2vec_text
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            table = reader.load(source, limit=limit)
        except FileFormatError as error:
            raise DamagedFileError(str(error)) from error
    for warning in caught:
        if "not valid UTF-8" in str(warning.message):
            return None
        warnings.warn(warning.message, stacklevel=3)
    return table.vocabulary, table.rows


def _read_plainly(
    source: Any, binary: bool, encoding: str, errors: str, limit: int | None, no_header: bool
) -> tuple[list[str], Rows]:
    """Return the keys and rows of a file in any encoding; of duplicated words the first is kept."""
    with open_binary(source) as file:
        data = file.read()
    at_most = sys.maxsize if limit is None else limit
    try:
        dim, pairs = _binary_pairs(data, at_most) if binary else _text_pairs(data, at_most, no_header)
        no_rows = np.zeros((0, dim), np.float32)
    except (ValueError, IndexError) as error:
        raise DamagedFileError(f"{source}: {error}; it is cut off or damaged, download it again") from error
    unique: dict[str, Rows] = {}
    for word, row in pairs:
        unique.setdefault(decode_bytes(word, encoding, errors, str(source)), row)
    return list(unique), np.array(list(unique.values()) or no_rows, np.float32)


def _binary_pairs(data: bytes, limit: int) -> tuple[int, list[tuple[bytes, Rows]]]:
    """Return the length of a row, and words and rows of word2vec's binary form."""
    place = data.index(b"\n") + 1
    size, dim = map(int, data[:place].split())
    pairs = []
    for _ in range(min(size, limit)):
        blank = data.index(b" ", place)
        row = np.frombuffer(data, "<f4", dim, blank + 1)
        pairs.append((data[place:blank].lstrip(b"\n"), row))
        place = blank + 1 + 4 * dim
    return dim, pairs


def _text_pairs(data: bytes, limit: int, no_header: bool) -> tuple[int, list[tuple[bytes, Rows]]]:
    """Return the length of a row, and words and rows of word2vec's text form."""
    lines = data.rstrip(b"\r\n").split(b"\n")
    size, dim = (len(lines), len(lines[0].split()) - 1) if no_header else map(int, lines.pop(0).split())
    if len(lines) != size:
        raise ValueError(f"line 1: declares {size} words, but {len(lines)} lines follow")
    pairs = []
    for line in lines[:limit]:
        word, *numbers = line.rstrip().split(b" ")
        row = np.array([float(number) for number in numbers], np.float32)
        if len(row) != dim:
            raise ValueError(f"the line of {word!r} has {len(row)} numbers, not {dim}")
        pairs.append((word, row))
    return dim, pairs


def _read_counts(source: Any, encoding: str, errors: str) -> dict[str, int]:
    """Read "word count" lines."""
    counts = {}
    for number, line in enumerate(read_text(source, encoding, errors).splitlines(), 1):
        try:
            word, count = line.rsplit(maxsplit=1)
            counts[word] = int(count)
        except ValueError as error:
            raise DamagedFileError(
                f"{source}, line {number}: expected a word and a count, got {line[:40]!r}"
            ) from error
    return counts
