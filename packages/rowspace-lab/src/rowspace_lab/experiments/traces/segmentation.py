"""A merge, and the text that it is applied to: chains of symbols, word by word, with the tokens after any step.

Each symbol stores the step at which it was joined to the symbol before it, which gives the tokens after any step.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rowspace.errors import UsageError

__all__ = ["NOWHERE", "Merge", "Pair", "Segmentation"]

Pair = tuple[str, str]

NOWHERE = -1
_NEVER = 1 << 62


@dataclass(frozen=True)
class Merge:
    """One merge: a pair that became a token.

    Attributes:
        left: The first token of the pair.
        right: The second token of the pair.
        merged: The token that they became.
        count: In training, how often the pair occurred in the text before (`aaa` contains a+a twice); in encoding, how
            often it was joined.
        rank: The index of the merge in the tokenizer's list, from 0.
        step: The number of the merge in this trace, from 1.
    """

    left: str
    right: str
    merged: str
    count: int
    rank: int
    step: int
    _segmentation: "Segmentation" = field(repr=False, compare=False)

    @property
    def tokens(self) -> list[str]:
        """The tokens of the whole text after this merge, computed on access."""
        return self._segmentation.tokens(self.step)

    @property
    def tokens_before(self) -> list[str]:
        """The tokens of the whole text before this merge."""
        return self._segmentation.tokens(self.step - 1)

    @property
    def joins(self) -> list[tuple[str, int]]:
        """The initial symbols of the text, each with the step that joined it to the symbol before it, or 0.

        A symbol that is joined after this merge has 0 too, so those of the last merge give the tokens after any step.

        >>> from rowspace_lab.experiments import trace_training
        >>> list(trace_training("cat at", 9))[-1].joins
        [('c', 0), ('a', 0), ('t', 1), ('a', 0), ('t', 1)]
        """
        return self._segmentation.joins(self.step)


class Segmentation:
    """Distinct words as runs of symbols in one flat list; `order` is the index of each word of the text.

    By position: `symbols` is the token that begins there, empty after it was joined to the one before it;
    `following` and `preceding` are the positions of its neighbors in the same word, or -1. `prefix` marks a
    token inside a word, and is removed when the token is joined.

    >>> text = Segmentation([["c", "a", "t"], ["a", "t"]], order=[0, 1, 0])
    >>> for position in (1, 3):
    ...     text.join(position, "at", step=1)
    >>> text.tokens(0)[:5], text.tokens(1)
    (['c', 'a', 't', 'a', 't'], ['c', 'at', 'at', 'c', 'at'])
    """

    def __init__(self, words: Iterable[Sequence[str]], *, order: Sequence[int], prefix: str = "") -> None:
        self.symbols = list[str]()
        self.following = list[int]()
        self.preceding = list[int]()
        self._starts = [0]
        for word in words:
            start, end = len(self.symbols), len(self.symbols) + len(word)
            self.symbols += word
            self.following += [*range(start + 1, end), NOWHERE][: len(word)]
            self.preceding += [NOWHERE, *range(start, end - 1)][: len(word)]
            self._starts.append(end)
        self._order = order
        self._prefix = len(prefix)
        self._first_symbols = self.symbols.copy()
        self._joined = [_NEVER] * len(self.symbols)

    def pair(self, position: int) -> Pair | None:
        """Return the pair that begins at a position, or None."""
        right = self.following[position]
        return None if right == NOWHERE or not self.symbols[position] else (self.symbols[position], self.symbols[right])

    def join(self, position: int, merged: str, *, step: int) -> None:
        """Join the pair that begins at `position` to one token."""
        right = self.following[position]
        after = self.following[right]
        self.symbols[position], self.symbols[right] = merged, ""
        self.following[position] = after
        if after != NOWHERE:
            self.preceding[after] = position
        self._joined[right] = step

    def tokens(self, step: int) -> list[str]:
        """Return the tokens of the whole text after the steps up to `step`, in the text's order."""
        words = self.words(step)
        return [token for word in self._order for token in words[word]]

    def joins(self, step: int) -> list[tuple[str, int]]:
        """Return the first symbols of the whole text, each with the step up to `step` that joined it, or 0."""
        pairs = [
            (symbol, 0 if joined > step else joined)
            for symbol, joined in zip(self._first_symbols, self._joined, strict=True)
        ]
        return [pair for word in self._order for pair in pairs[self._starts[word] : self._starts[word + 1]]]

    def words(self, step: int) -> list[list[str]]:
        """Return the tokens of each distinct word after the steps up to `step`; raises UsageError for one below 0."""
        if step < 0:
            raise UsageError(f"step must be 0 (before all merges) or more, not {step}")
        return [self._word(start, end, step) for start, end in zip(self._starts, self._starts[1:], strict=False)]

    def _word(self, start: int, end: int, step: int) -> list[str]:
        tokens = list[str]()
        for symbol, joined in zip(self._first_symbols[start:end], self._joined[start:end], strict=True):
            if joined <= step:
                tokens[-1] += symbol[self._prefix :]
            else:
                tokens.append(symbol)
        return tokens
