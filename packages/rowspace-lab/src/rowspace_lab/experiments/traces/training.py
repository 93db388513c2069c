"""Byte-pair encoding learned from a text, merge by merge.

Distinct words are counted once, the counts of their pairs are kept up to date, and a pair is looked up only where it
occurs, so that a few megabytes of text take seconds. `slow_training` in the tests is the same in ten lines.
"""

import heapq
from array import array
from collections.abc import Callable, Iterable, Iterator

from rowspace.errors import UsageError
from rowspace_lab.experiments.traces.segmentation import NOWHERE, Merge, Pair, Segmentation

__all__ = ["trace_training"]


def trace_training(
    texts: str | Iterable[str],
    num_merges: int,
    *,
    split: Callable[[str], Iterable[str]] = str.split,
    min_count: int = 2,
) -> Iterator[Merge]:
    """Learn byte-pair encoding from text, and yield each merge: the most frequent pair of adjacent tokens.

    For equal counts it is the pair that occurs first in the text after the merges so far. Memory grows with the
    distinct words, and by four bytes for each word. Source: Sennrich et al. 2016, who do not say which
    pair is merged for equal counts.

    Args:
        texts: One text or several.
        num_merges: Maximum number of merges.
        split: Splits a text into words, which no merge crosses; a word begins as its characters.
        min_count: Stop when no pair occurs this often.

    Raises:
        UsageError: `num_merges` is below 0, or `min_count` below 1.

    >>> for merge in trace_training("the cat sat on the mat the cat", 3):
    ...     print(merge.left, merge.right, merge.count, merge.tokens[:5])
    a t 4 ['t', 'h', 'e', 'c', 'at']
    t h 3 ['th', 'e', 'c', 'at', 's']
    th e 3 ['the', 'c', 'at', 's', 'at']
    """
    for name, value, minimum in (("num_merges", num_merges, 0), ("min_count", min_count, 1)):
        if value < minimum:
            raise UsageError(f"{name} must be {minimum} or more, not {value}")
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

    `weights`: how often the word of each position occurs. The queue holds, for each pair, at least one entry
    (-count, first position, pair) that sorts no later than its true one: counts that fell and positions that were
    joined are corrected when the entry is first in the queue; a pair whose count grew gets another entry.
    """

    def __init__(self, segmentation: Segmentation, weights: list[int]) -> None:
        self._text, self._weights = segmentation, weights
        self._counts = dict[Pair, int]()
        self._positions = dict[Pair, list[int]]()  # heaps, in which some positions are out of date
        for position in range(len(weights)):
            self._change(position, 1)
        self._queue = [(-count, self._positions[pair][0], pair) for pair, count in self._counts.items()]
        heapq.heapify(self._queue)

    def most_frequent(self) -> tuple[Pair, int]:
        """Return the most frequent pair, the first in the text for equal counts, and its count: 0 if none is left."""
        while self._queue:
            entry = self._queue[0]
            pair = entry[2]
            if pair not in self._counts:
                heapq.heappop(self._queue)
                continue
            positions = self._positions[pair]
            while self._text.pair(positions[0]) != pair:
                heapq.heappop(positions)
            current = (-self._counts[pair], positions[0], pair)
            if current == entry:
                return pair, self._counts[pair]
            heapq.heapreplace(self._queue, current)
        return ("", ""), 0

    def join(self, pair: Pair, merged: str, step: int) -> None:
        """Join a pair wherever it occurs, from left to right, and count its neighbors again."""
        text, grown = self._text, set[Pair]()
        for position in sorted(set(self._positions[pair])):
            if text.pair(position) != pair:  # out of date, or its left token was just joined: aaa → aa a
                continue
            before = text.preceding[position]
            around = [each for each in (before, position, text.following[position]) if each != NOWHERE]
            for each in around:
                self._change(each, -1)
            text.join(position, merged, step=step)
            for each in around[:-1]:
                self._change(each, 1)
                grown.add(text.pair(each) or pair)
        for new in grown & self._counts.keys():
            heapq.heappush(self._queue, (-self._counts[new], self._positions[new][0], new))

    def _change(self, position: int, sign: int) -> None:
        """Count the pair that begins at a position once more, or once less, for each occurrence of its word."""
        pair = self._text.pair(position)
        if pair is None:
            return
        self._counts[pair] = self._counts.get(pair, 0) + sign * self._weights[position]
        if sign > 0:
            heapq.heappush(self._positions.setdefault(pair, []), position)
        elif not self._counts[pair]:
            del self._counts[pair], self._positions[pair]
