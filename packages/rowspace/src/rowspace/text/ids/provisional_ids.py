"""The first pass over a corpus: words or tokens are counted and written as provisional ids, a block at a time.

Several threads scan the text, each with its own lexicon, so that none waits for another; thread i modulo their number
scans block i. Token lists go through a dict.
"""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import CorpusError
from rowspace.text.characters import character_table
from rowspace.text.corpus.pieces import Block, blocks
from rowspace.text.corpus.reading import BLOCK, Piece
from rowspace.text.options import TextOptions
from rowspace.text.words import kernels
from rowspace.text.words.lexicon import Lexicon

__all__ = ["ProvisionalIds", "read_token_lists", "scan_pieces"]

_IN_FLIGHT = 2  # blocks for each worker: one running, one waiting
_SENTENCES_AT_ONCE = 10_000


@dataclass(frozen=True)
class ProvisionalIds:
    """What the first pass counted: all distinct words, and how to make the provisional ids final.

    Attributes:
        lengths: Ids in each block of the file.
        merged: For each worker, whose blocks these are in turn, the word of each of its ids: int32.
        counts: The count of each word: int64.
        token: Returns a word's UTF-8.
        replaced: The number of bad UTF-8 sequences.
        unspaced: The share of the characters that are in scripts without spaces.
    """

    lengths: Sequence[int]
    merged: Sequence[NDArray[np.int32]]
    counts: NDArray[np.int64]
    token: Callable[[int], bytes]
    replaced: int
    unspaced: float = 0.0

    @classmethod
    def of(
        cls,
        lexicon: Lexicon,
        options: TextOptions,
        *,
        lengths: Sequence[int] = (),
        merged: Sequence[NDArray[np.int32]] = (),
        replaced: int = 0,
    ) -> Self:
        """Return those of the words of a lexicon, which has all if `merged` is empty."""
        is_divided = options.split == "words" and options.pattern is None
        share = lexicon.unspaced_share() if is_divided else 0.0
        merged = merged or [np.arange(len(lexicon), dtype=np.int32)]
        return cls(lengths, merged, lexicon.counts(), lexicon.all_words().__getitem__, replaced, share)

    def words(self) -> list[bytes]:
        """Return the UTF-8 of all words, in the order of their ids."""
        return [self.token(identity) for identity in range(len(self.counts))]


def scan_pieces(
    pieces: Iterable[Piece], path: Path, options: TextOptions, *, block_bytes: int = BLOCK
) -> ProvisionalIds:
    """Write the provisional ids of the words of a text to `path`; a worker scans `block_bytes` or more at a time."""
    lexicons = [Lexicon(character_table(cased=options.cased)) for _ in range(options.workers)]
    lengths, replaced = list[int](), 0
    waiting: deque[Future[tuple[NDArray[np.int32], int]]] = deque()

    def write_oldest(file: BinaryIO) -> int:
        ids, bad = waiting.popleft().result()
        file.write(ids.data)
        lengths.append(len(ids))
        return bad

    with path.open("wb") as file, ExitStack() as stack:
        threads = [stack.enter_context(ThreadPoolExecutor(1)) for _ in lexicons]
        for index, block in enumerate(blocks(pieces, size=block_bytes)):
            worker = index % len(lexicons)
            waiting.append(threads[worker].submit(_scan, lexicons[worker], block, options.sentences))
            if len(waiting) >= _IN_FLIGHT * len(lexicons):
                replaced += write_oldest(file)
        while waiting:
            replaced += write_oldest(file)
    merged = [np.arange(len(lexicons[0]), dtype=np.int32)]
    merged += [lexicons[0].absorb(other) for other in lexicons[1:]]
    return ProvisionalIds.of(lexicons[0], options, lengths=lengths, merged=merged, replaced=replaced)


def _scan(lexicon: Lexicon, block: Block, sentences: str) -> tuple[NDArray[np.int32], int]:
    return lexicon.scan(block.data, block.ends, sentences=sentences, blank=block.blank)


def read_token_lists(lists: Iterable[list[str]], path: Path) -> ProvisionalIds:
    """Write the provisional ids of the tokens of token lists to `path`."""
    ids: dict[str, int] = {}
    lengths, counts, lists = list[int](), np.zeros(0, np.int64), iter(lists)
    with path.open("wb") as file:
        while batch := list(islice(lists, _SENTENCES_AT_ONCE)):
            flat = list[int]()
            for sentence in batch:
                flat += [ids.setdefault(token, len(ids)) for token in sentence]
                flat.append(kernels.END)
            block = np.array(flat, "<i4")
            file.write(block.data)
            lengths.append(len(block))
            more = np.bincount(block[block >= 0], minlength=len(ids))
            more[: len(counts)] += counts
            counts = more
    tokens = list(map(_utf8, ids))
    return ProvisionalIds(
        lengths=lengths,
        merged=[np.arange(len(ids), dtype=np.int32)],
        counts=counts,
        token=tokens.__getitem__,
        replaced=0,
    )


def _utf8(token: str) -> bytes:
    try:
        return token.encode()
    except UnicodeEncodeError as error:
        raise CorpusError(f"token {token!r} holds half a surrogate pair; replace or remove it") from error
