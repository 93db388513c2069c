"""Kernels: the best division of runs into words, what a word is worth, and blanks around the words of a text."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.text.characters.kernels import decode, number
from rowspace.text.words.kernels import HASH_MASK, HASH_PRIME, HASH_SEED, Words, find

__all__ = ["alternative", "count_words", "divide", "separate"]

UNKNOWN_SCORE = -25.0  # of characters that are no word of the model
SPACE = 0x20


@kernel
def divide(
    at: NDArray[np.int32],
    scores: NDArray[np.float64],
    begins: NDArray[np.bool_],
    span: tuple[int, int, int],
    sums: NDArray[np.float64],
    back: NDArray[np.int32],
) -> None:
    """Find the division of the characters of a span into words with the largest sum of scores (Viterbi 1967).

    `at` (longest, n): the word of k + 1 characters at each place, -1 if there is none. `scores`: of each word, -inf if
    it is not in the model. `span`: the first place, the place behind the last, and a word to leave out. Writes the
    sum of scores before each place, (n + 1,), and the length of the word that ends there.
    """
    first, stop, omitted = span
    sums[first : stop + 1] = -np.inf
    sums[first] = 0.0
    for place in range(first, stop):
        if sums[place] == -np.inf:
            continue
        following = place + 1
        while following < stop and not begins[following]:
            following += 1
        if sums[place] + UNKNOWN_SCORE > sums[following]:
            sums[following], back[following] = sums[place] + UNKNOWN_SCORE, following - place
        for index in range(min(at.shape[0], stop - place)):
            word = at[index, place]
            if word >= 0 and word != omitted and sums[place] + scores[word] > sums[place + index + 1]:
                sums[place + index + 1], back[place + index + 1] = sums[place] + scores[word], index + 1


@kernel
def count_words(
    at: NDArray[np.int32],
    weights: NDArray[np.int64],
    back: NDArray[np.int32],
    counts: NDArray[np.int64],
) -> None:
    """Count the words of a division that `divide` found."""
    place = weights.size
    while place > 0:
        length = back[place]
        place -= length
        if length <= at.shape[0] and at[length - 1, place] >= 0:
            counts[at[length - 1, place]] += weights[place]


@kernel
def alternative(
    at: NDArray[np.int32],
    scores: NDArray[np.float64],
    begins: NDArray[np.bool_],
    words: tuple[NDArray[np.int64], NDArray[np.int64]],
    sums: NDArray[np.float64],
    back: NDArray[np.int32],
    out: NDArray[np.float64],
) -> None:
    """Write the largest sum of scores with which other words make each word, by the place and length of one."""
    places, lengths = words
    for word in range(places.size):
        if scores[word] > -np.inf:
            stop = places[word] + lengths[word]
            divide(at, scores, begins, (places[word], stop, word), sums, back)
            out[word] = sums[stop]


@kernel
def separate(
    data: NDArray[np.uint8],
    ends: NDArray[np.int64],
    longest: NDArray[np.int32],
    words: Words,
    size: int,
    out: NDArray[np.uint8],
    new_ends: NDArray[np.int64],
) -> int:
    """Copy UTF-8 with blanks around the longest of the `size` words at each place; return the number of bytes.

    `ends`: where documents end. `longest`: the bytes of the longest word that begins with a code point. There must be
    room for a word behind the words, and for three times the bytes in `out`.
    """
    position, written, document = 0, 0, 0
    while True:
        end = ends[document] if document < ends.size else data.size
        while position < end:
            width, length = 1, 0
            if data[position] >= 0xE0:
                code, width = decode(data, position, end)
                if code >= 0 and longest[code] > 0:
                    length = longest_match(data, position, min(end, position + longest[code]), words, size)
            if length > 0:
                out[written] = SPACE
                written += 1
            for index in range(position, position + max(width, length)):
                out[written] = data[index]
                written += 1
            if length > 0:
                out[written] = SPACE
                written += 1
            position += max(width, length)
        if document == ends.size:
            return written
        new_ends[document] = written
        document += 1


@kernel
def longest_match(data: NDArray[np.uint8], position: int, end: int, words: Words, size: int) -> int:
    """Return the bytes of the longest word at `position`, 0 if there is none."""
    slots, starts, _, arena = words
    begin = starts[size]
    stop, hashed, length = begin, HASH_SEED, 0
    for index in range(position, end):
        arena[stop] = data[index]
        hashed = ((hashed ^ number(data, index)) * HASH_PRIME) & HASH_MASK
        stop += 1
        at_end = index + 1 == data.size or (data[index + 1] & 0xC0) != 0x80
        if at_end and slots[find(slots, starts, arena, begin, stop, hashed)] != 0:
            length = stop - begin
    return length
