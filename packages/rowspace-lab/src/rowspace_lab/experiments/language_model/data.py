"""A corpus → ids in memory-mapped files: one part to learn from, another to measure.

The text is cut into about a thousand blocks at ends of lines, and every 20th is held out, or fewer of a large text. The
rule depends on the text only, so that models with other tokens are measured on the same bytes. A trained tokenizer does
not see the held-out part. Documents are separated by a newline.
"""

import dataclasses
import json
import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace._base.plural import plural
from rowspace.errors import CorpusError, FileFormatError, UsageError, reason_of
from rowspace.files.strict_json import SEAL, read_object, sealed, unsealed
from rowspace.text import Corpus, HuggingFaceTokenizer, open_tokenizer, train_tokenizer
from rowspace.text.corpus.rereadable import text_pieces
from rowspace.text.corpus.sentences import Sentences
from rowspace.text.tokenizers.huggingface import require_huggingface
from rowspace.text.tokenizers.huggingface_library import library_threads, tokens_by_id
from rowspace_lab.experiments.language_model.options import TokenOptions

__all__ = ["Corpora", "HeldOut", "encode_text", "read_corpora", "write_corpora"]

BLOCKS = 1000
MIN_BLOCK, MAX_BLOCK = 256, 1 << 16  # characters
HELD_OUT_EVERY = 20  # blocks
MAX_HELD_OUT = 1 << 18  # characters
BLOCKS_AT_ONCE = 64  # encoded together
FILE, TRAIN, HELD_OUT, COUNTS, SIZES = "data.json", "train.bin", "heldout.bin", "counts.npy", "blocks.npy"

REMEDY = "train a new run"
ARRAYS = (TRAIN, HELD_OUT, COUNTS, SIZES)

Ids = NDArray[np.int32]


class HeldOut(NamedTuple):
    """Ids to measure after a first one, and the UTF-8 bytes of their text."""

    ids: Ids
    text_bytes: int


@dataclasses.dataclass(frozen=True)
class Corpora:
    """Encoded text.

    Attributes:
        train: Ids to learn from: int32 (n,), mapped.
        held_out: A newline's id or another one for a start, then ids to measure: int32 (1 + m,), mapped.
        blocks: int64 (b, 2), the ids and the UTF-8 bytes of each block of the held-out text.
        held_out_unknown: Number of held-out ids that are the unknown token, which has less information than the text.
        text_bytes: The UTF-8 bytes of both parts.
        counts: int64 (V,), how often each token occurs in `train`.
        tokenizer: The text of the tokenizer.json.
    """

    train: Ids
    held_out: Ids
    blocks: NDArray[np.int64]
    counts: NDArray[np.int64]
    held_out_unknown: int
    text_bytes: int
    tokenizer: str

    @property
    def num_embeddings(self) -> int:
        """V, the number of tokens."""
        return len(self.counts)

    @property
    def held_out_bytes(self) -> int:
        """The UTF-8 bytes of the held-out text."""
        return int(self.blocks[:, 1].sum())

    def part_of_held_out(self, limit: int) -> "HeldOut":
        """Return the first blocks of the held-out text, of `limit` ids or somewhat more."""
        ids, sizes = np.cumsum(self.blocks, axis=0).T
        last = min(int(np.searchsorted(ids, limit)), len(ids) - 1)
        return HeldOut(self.held_out[: 1 + int(ids[last])], int(sizes[last]))

    @property
    def unigram_bits_per_byte(self) -> float:
        """The bits per byte of the held-out text by the counts of its tokens alone, each count one higher."""
        nats = math.log(self.counts.sum() + len(self.counts)) - np.log(self.counts[self.held_out[1:]] + 1.0)
        return float(nats.sum()) / math.log(2) / self.held_out_bytes


def write_corpora(
    corpus: Corpus,
    folder: Path,
    *,
    tokens: TokenOptions | str,
    context: int,
    column: str | None = None,
    required_size: int | None = None,
    on_bytes: Callable[[int], None] | None = None,
) -> Corpora:
    """Read a corpus, train or open its tokenizer, and write the ids of both parts.

    Args:
        corpus: Paths or texts, see `rowspace.text.open_corpus`.
        folder: An existing folder, which gets the files.
        tokens: The tokenizer to open or train, or the text of a tokenizer.json.
        context: Tokens that are read at once; there must be as many.
        column: The column that holds the text, of files with records.
        required_size: Number of tokens that a trained tokenizer must have, where the caller has asked for it.
        on_bytes: Called with the number of bytes read.

    Raises:
        CorpusError: The corpus cannot be read, or is too short.
        UsageError: The corpus is token lists, the text does not support as many tokens, or the tokenizer fails on it.
        FileFormatError: The tokenizer does not open.
    """
    text = folder / "text"
    try:
        size = _write_text(text_pieces(corpus, column=column, on_bytes=on_bytes), text)
        blocks = _Blocks(text, size)
        with library_threads(several=True):
            tokenizer = _tokenizer(tokens, blocks.train())
            vocabulary = tokens_by_id(tokenizer)
            if required_size is not None and len(vocabulary) < required_size:
                raise UsageError(
                    f"the text supports only {plural(len(vocabulary), 'token')}, fewer than "
                    f"vocabulary_size={required_size}; lower it or give more text"
                )
            counts, _ = _write_ids(tokenizer, blocks.train(), folder / TRAIN, len(vocabulary))
            start = (encode_text(tokenizer, ["\n"])[0] or [int(counts.argmax())])[-1:]
            held_out, sizes = _write_ids(tokenizer, blocks.held_out(), folder / HELD_OUT, len(vocabulary), start=start)
    finally:
        text.unlink(missing_ok=True)
    _check_length(int(counts.sum()), int(held_out.sum()), context)
    np.save(folder / COUNTS, counts)
    np.save(folder / SIZES, np.array(sizes, np.int64))
    unknown = HuggingFaceTokenizer(tokenizer).unknown_id
    facts = {
        "held_out_unknown": 0 if unknown is None else int(held_out[unknown]),
        "text_bytes": blocks.text_bytes,
        "tokenizer": tokenizer.to_str(),
        "crc32": {name: _checksum(folder / name) for name in ARRAYS},
    }
    (folder / FILE).write_text(json.dumps(sealed(facts)), encoding="utf-8")
    return read_corpora(folder)


def read_corpora(folder: Path) -> Corpora:
    """Map what `write_corpora` has written; raises `FileFormatError` where it is damaged."""
    facts = read_object(folder / FILE, remedy=REMEDY)
    if SEAL in facts:  # earlier versions wrote none
        facts = unsealed(facts, str(folder / FILE), remedy=REMEDY)
    try:
        checksums: dict[str, int] = facts.pop("crc32")
        for name in ARRAYS:
            if _checksum(folder / name) != checksums[name]:
                raise FileFormatError(f"{folder / name}: is damaged (its checksum differs); {REMEDY}")
        return Corpora(
            train=np.memmap(folder / TRAIN, "<i4", "r"),
            held_out=np.memmap(folder / HELD_OUT, "<i4", "r"),
            blocks=np.load(folder / SIZES),
            counts=np.load(folder / COUNTS),
            **facts,
        )
    except FileFormatError:
        raise
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise FileFormatError(f"{folder / FILE}: is damaged ({reason_of(error)}); {REMEDY}") from error


def _check_length(train: int, held_out: int, context: int) -> None:
    """Raise `CorpusError` if there is less than a context and its next token, or nothing to measure."""
    if train < context + 1:
        raise CorpusError(
            f"the text has {plural(train, 'token')} to learn from, but a context of {context:,} needs {context + 1:,}; "
            "give more text, or a lower context"
        )
    if not held_out:
        raise CorpusError(
            f"the text is too short to hold out a part of it: it has {plural(train, 'token')}; give more text, at "
            f"least {HELD_OUT_EVERY * MIN_BLOCK:,} characters"
        )


def encode_text(tokenizer: Tokenizer, texts: Iterable[str]) -> list[list[int]]:
    """Return the ids of each text, without special tokens around it."""
    try:
        return [encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
    except Exception as error:  # the library raises nothing narrower
        raise UsageError(f"the tokenizer fails on this corpus ({error}); give it an unknown token") from error


def _write_text(pieces: Iterable[tuple[bytes, bool]], path: Path) -> int:
    """Write the text of all documents, each followed by a newline; return the number of characters."""
    size = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for run in Sentences(pieces, "document"):
            size += file.write(run.text)
            if run.ends:
                size += file.write("\n")
    return size


class _Blocks:
    """The blocks of a text file of `size` characters; `text_bytes` is known after a pass over the held-out ones."""

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        self._size = min(MAX_BLOCK, max(MIN_BLOCK, size // BLOCKS))
        self._every = max(HELD_OUT_EVERY, math.ceil(size / MAX_HELD_OUT))
        self.text_bytes = 0

    def train(self) -> Iterator[str]:
        """Yield the blocks to learn from."""
        return (block for number, block in enumerate(self._all()) if (number + 1) % self._every)

    def held_out(self) -> Iterator[str]:
        """Yield the other blocks, and count the bytes of all."""
        self.text_bytes = 0
        for number, block in enumerate(self._all()):
            self.text_bytes += len(block.encode())
            if (number + 1) % self._every == 0:
                yield block

    def _all(self) -> Iterator[str]:
        """Yield all blocks, which end at the end of a line, or inside a very long one."""
        lines, size = list[str](), 0
        with self._path.open(encoding="utf-8", newline="") as file:
            while line := file.readline(self._size):
                lines.append(line)
                size += len(line)
                if size >= self._size:
                    yield "".join(lines)
                    lines, size = [], 0
        if lines:
            yield "".join(lines)


def _tokenizer(tokens: TokenOptions | str, texts: Iterable[str]) -> Tokenizer:
    """Return a tokenizer: given as text, opened, or trained on the texts."""
    if isinstance(tokens, str):
        return Tokenizer.from_str(tokens)
    if tokens.is_trained:
        return Tokenizer.from_str(train_tokenizer(texts if tokens.reads_text else (), tokens))
    return require_huggingface(open_tokenizer(os.fspath(tokens.tokens)), "train")


def _write_ids(
    tokenizer: Tokenizer, texts: Iterable[str], path: Path, size: int, *, start: Sequence[int] = ()
) -> tuple[NDArray[np.int64], list[tuple[int, int]]]:
    """Write `start` and the ids of all texts.

    Returns:
        The count of each token in the texts, int64 (V,), and the ids and the UTF-8 bytes of each text.
    """
    counts, sizes, texts = np.zeros(size, np.int64), list[tuple[int, int]](), iter(texts)
    with path.open("wb") as file:
        file.write(np.array(start, "<i4").data)
        while several := list(islice(texts, BLOCKS_AT_ONCE)):
            for text, ids in zip(several, encode_text(tokenizer, several), strict=True):
                array = np.array(ids, "<i4")
                counts += np.bincount(array, minlength=size)
                sizes.append((len(ids), len(text.encode())))
                file.write(array.data)
    return counts, sizes


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            checksum = zlib.crc32(block, checksum)
    return checksum
