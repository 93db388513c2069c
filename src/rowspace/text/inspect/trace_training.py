"""Byte-pair encoding learned from a text, merge by merge.

Distinct words are counted once, the counts of their pairs are kept up to date, and a pair is looked up only where it
stands, so that some megabytes of text take seconds. `slow_training` in tests/text/test_merges.py says the same in ten
lines. Left out: how merges are applied to another text (merges_applied.py), and training a tokenizer to use, which the
`tokenizers` library does. Read next: segmentation.py, which remembers the tokens after each step.
"""

import heapq
from array import array
from collections.abc import Callable, Iterable, Iterator

from rowspace.errors import UsageError
from rowspace.text.inspect.segmentation import NOWHERE, Merge, Pair, Segmentation

__all__ = ["trace_training"]


def trace_training(
    texts: str | Iterable[str],
    num_merges: int,
    *,
    split: Callable[[str], Iterable[str]] = str.split,
    min_count: int = 2,
) -> Iterator[Merge]:
    """Learn byte-pair encoding from text, and yield each merge: the most frequent pair of tokens that are neighbors.

    Ties go to the pair that comes first in the text as it then is. `split` cuts a text into words, which no merge
    crosses; a word's characters are its first tokens. It ends after `num_merges`, or where no pair comes `min_count`
    times. Memory grows with the distinct words, and by four bytes for each word. Raises UsageError for a number below
    0 (`min_count`: 1). (Sennrich et al. 2016; for equal counts they do not say which pair.)

    >>> for merge in trace_training("the cat sat on the mat the cat", 3):
    ...     print(merge.left, merge.right, merge.count, merge.tokens[:5])
    a t 4 ['t', 'h', 'e', 'c', 'at']
    t h 3 ['th', 'e', 'c', 'at', 's']
    th e 3 ['the', 'c', 'at', 's', 'at']
    """
    for name, value, least in (("num_merges", num_merges, 0), ("min_count", min_count, 1)):
        if value < least:
            raise UsageError(f"{name} must be {least} or more, not {value}")
    return _train([texts] if isinstance(texts, str) else texts, num_merges, split, min_count)


def _train(
    texts: Iterable[str], num_merges: int, split: Callable[[str], Iterable[str]], min_count: int
) -> Iterator[Merge]:
    numbers, order = dict[str, int](), array("i")
    for text in texts:
        order.extend(numbers.setdefault(word, len(numbers)) for word in split(text))
    counts = [0] * len(numbers)
    for number in order:
        counts[number] += 1
    segmentation = Segmentation(map(list, numbers), order=order)
    pairs = _Pairs(segmentation, [count for word, count in zip(numbers, counts, strict=True) for _ in word])
    for step in range(1, num_merges + 1):
        pair, count = pairs.most_frequent()
        if count < min_count:
            return
        merged = "".join(pair)
        pairs.join(pair, merged, step)
        yield Merge(*pair, merged, count=count, rank=step - 1, step=step, _segmentation=segmentation)


class _Pairs:
    """The pairs of a text with their counts, and which of them is most frequent.

    `weights`: how often the word of each position comes. The queue holds, for each pair, at least one entry
    (-count, first place, pair) that stands no later than its true one: counts that fell and places that went are
    found out when the entry comes up; a pair that grew gets another entry.
    """

    def __init__(self, segmentation: Segmentation, weights: list[int]) -> None:
        self._text, self._weights = segmentation, weights
        self._counts = dict[Pair, int]()
        self._places = dict[Pair, list[int]]()  # heaps, in which some places are out of date
        for position in range(len(weights)):
            self._change(position, 1)
        self._queue = [(-count, self._places[pair][0], pair) for pair, count in self._counts.items()]
        heapq.heapify(self._queue)

    def most_frequent(self) -> tuple[Pair, int]:
        """Return the most frequent pair, of several the one that comes first, and its count: 0 where none is left."""
        while self._queue:
            entry = self._queue[0]
            pair = entry[2]
            if pair not in self._counts:
                heapq.heappop(self._queue)
                continue
            places = self._places[pair]
            while self._text.pair(places[0]) != pair:
                heapq.heappop(places)
            current = (-self._counts[pair], places[0], pair)
            if current == entry:
                return pair, self._counts[pair]
            heapq.heapreplace(self._queue, current)
        return ("", ""), 0

    def join(self, pair: Pair, merged: str, step: int) -> None:
        """Join a pair wherever it stands, from left to right, and count its neighbors again."""
        text, grown = self._text, set[Pair]()
        for position in sorted(set(self._places[pair])):
            if text.pair(position) != pair:  # out of date, or its left token was just joined: aaa → aa a
                continue
            before = text.preceding[position]
            around = [place for place in (before, position, text.following[position]) if place != NOWHERE]
            for place in around:
                self._change(place, -1)
            text.join(position, merged, step=step)
            for place in around[:-1]:
                self._change(place, 1)
                grown.add(text.pair(place) or pair)
        for new in grown & self._counts.keys():
            heapq.heappush(self._queue, (-self._counts[new], self._places[new][0], new))

    def _change(self, position: int, sign: int) -> None:
        """Count the pair that begins at a position once more, or once less, for each time that its word comes."""
        pair = self._text.pair(position)
        if pair is None:
            return
        self._counts[pair] = self._counts.get(pair, 0) + sign * self._weights[position]
        if sign > 0:
            heapq.heappush(self._places.setdefault(pair, []), position)
        elif not self._counts[pair]:
            del self._counts[pair], self._places[pair]
