"""How a tokenizer fits a corpus: tokens per word, bytes per token, unknown text, tokens that never occur.

The corpus is read as a stream, in runs of lines, so that memory does not grow with it. A word is what `WORD_PATTERN`
matches, regardless of the tokenizer, so that two tokenizers can be compared.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace.text.characters import utf8
from rowspace.text.corpus.open_corpus import Corpus, open_corpus
from rowspace.text.corpus.pieces import blocks
from rowspace.text.inspect.alignment import Alignment, align_text
from rowspace.text.tokenizers.huggingface import AnyTokenizer, as_tokenizer
from rowspace.text.tokenizers.tokenizer import Tokenizer

__all__ = ["Coverage", "measure_coverage"]

_RUN = 1 << 16  # bytes of lines that are encoded as one text


@dataclass(frozen=True, eq=False)
class Coverage:
    """What `measure_coverage` counted; shares are between 0 and 1, and nan if there is no text.

    Attributes:
        vocabulary: The tokens in id order.
        counts: The count of each, int64 (V,).
        unused: The ids of those that never occur, except special and unknown tokens.
        bytes: Bytes of UTF-8.
        all_characters: Characters, white space too.
        words: Words.
        word_pieces: Tokens that overlap a word, summed over all words.
        words_in_one_piece: Words within one known token.
        characters: Characters other than white space.
        unknown_characters: Those of `characters` in an unknown token.
        dropped_characters: Those of `characters` in no token.
        unknown_tokens: Unknown tokens.
    """

    vocabulary: list[str]
    counts: NDArray[np.int64]
    unused: NDArray[np.int64]
    bytes: int
    all_characters: int
    words: int
    word_pieces: int
    words_in_one_piece: int
    characters: int
    unknown_characters: int
    dropped_characters: int
    unknown_tokens: int

    @property
    def tokens(self) -> int:
        """The number of tokens of the text."""
        return int(self.counts.sum())

    @property
    def tokens_per_word(self) -> float:
        """The mean number of tokens that overlap a word (fertility); punctuation between words does not count."""
        return _share(self.word_pieces, self.words)

    @property
    def bytes_per_token(self) -> float:
        """Bytes of UTF-8, white space too, per token."""
        return _share(self.bytes, self.tokens)

    @property
    def characters_per_token(self) -> float:
        """Characters (code points), white space too, per token."""
        return _share(self.all_characters, self.tokens)

    @property
    def one_piece(self) -> float:
        """The share of words within one known token."""
        return _share(self.words_in_one_piece, self.words)

    @property
    def covered(self) -> float:
        """The share of characters in a known token."""
        return _share(self.characters - self.unknown_characters - self.dropped_characters, self.characters)

    def most_frequent(self, k: int = 10) -> list[tuple[str, int]]:
        """Return the k most frequent tokens with their counts, the lower id first for equal counts."""
        order = np.argsort(-self.counts, kind="stable")[:k]
        return [(self.vocabulary[number], int(self.counts[number])) for number in order if self.counts[number]]


def measure_coverage(
    tokenizer: AnyTokenizer,
    corpus: Corpus,
    *,
    column: str | None = None,
    on_bytes: Callable[[int], None] | None = None,
) -> Coverage:
    """Encode a corpus, without special tokens around texts, and count how it fits the tokenizer.

    Args:
        tokenizer: Any tokenizer.
        corpus: See `open_corpus`.
        column: See `open_corpus`.
        on_bytes: See `open_corpus`.

    Raises:
        CorpusError: the corpus cannot be read as text.
        UsageError: the tokenizer fails on a text.

    >>> from tokenizers import Tokenizer
    >>> from tokenizers.models import WordLevel
    >>> from tokenizers.pre_tokenizers import Whitespace
    >>> tokenizer = Tokenizer(WordLevel({"the": 0, "cat": 1, "dog": 2, "[UNK]": 3}, unk_token="[UNK]"))
    >>> tokenizer.pre_tokenizer = Whitespace()
    >>> coverage = measure_coverage(tokenizer, ["the cat saw the cat"])
    >>> coverage.words, coverage.one_piece, coverage.covered, coverage.unused.tolist()
    (5, 0.8, 0.8, [2])
    """
    tally = _Tally(as_tokenizer(tokenizer))
    for texts in _runs(corpus, column, on_bytes):
        tally.add(texts)
    return tally.coverage()


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def _runs(corpus: Corpus, column: str | None, on_bytes: Callable[[int], None] | None) -> Iterator[list[str]]:
    """Yield the text of a corpus, several runs of lines at a time; no run holds the text of two documents."""
    pieces, token_lists = open_corpus(corpus, column=column, on_bytes=on_bytes)
    if pieces is None:
        pieces = ((utf8(" ".join(tokens)), True) for tokens in token_lists or ())
    for data, ends, _ in blocks(pieces):
        starts = [0, *ends.tolist()]
        documents = zip(starts, [*starts[1:], len(data)], strict=True)
        yield [data[a:b].decode(errors="replace") for start, end in documents for a, b in _lines(data, start, end)]


def _lines(data: bytearray, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield where runs of whole lines begin and end, each of about _RUN bytes."""
    while start < end:
        stop = data.find(b"\n", start + _RUN, end) + 1 or end
        yield start, stop
        start = stop


class _Tally:
    """The counts so far."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._unknown = -1 if tokenizer.unknown_id is None else tokenizer.unknown_id
        self._counts = np.zeros(len(tokenizer), np.int64)
        self._sums = np.zeros(len(Alignment._fields), np.int64)

    def add(self, texts: list[str]) -> None:
        """Add the counts of texts."""
        for text, found in zip(texts, self._tokenizer.encode_with_offsets(texts), strict=True):
            self._counts += np.bincount(found.ids, minlength=len(self._counts))
            self._sums += align_text(text, found.offsets, found.ids == self._unknown)

    def coverage(self) -> Coverage:
        """Return the counts."""
        unused = self._counts == 0
        unused[[*self._tokenizer.special_ids, *self._tokenizer.unused_ids]] = False
        unused[[] if self._unknown < 0 else [self._unknown]] = False
        return Coverage(
            vocabulary=self._tokenizer.vocabulary,
            counts=self._counts,
            unused=np.flatnonzero(unused),
            unknown_tokens=0 if self._unknown < 0 else int(self._counts[self._unknown]),
            **Alignment(*self._sums.tolist())._asdict(),
        )
