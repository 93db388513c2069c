"""Texts → ids: cut a text into pieces, and give the ids that a piece had before or that merges give."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.byte_bpe.kernels.cut import cut_gpt2, cut_llama3
from rowspace.encode.scanners.byte_bpe.kernels.guard import Guard, needs_library
from rowspace.encode.scanners.byte_bpe.kernels.heap import merge_long_piece
from rowspace.encode.scanners.byte_bpe.kernels.merge import Merges, merge_piece, whole_id
from rowspace.encode.scanners.byte_bpe.kernels.remember import LONGEST_KEY, MOST_IDS, key_of, recall, remember
from rowspace.encode.scanners.cache import LONGEST, WordCache
from rowspace.encode.scanners.cache.kernels import KEY, copy_ids, find, insert, key_of as cache_key_of

__all__ = ["SHORT", "Output", "Texts", "scan"]

SHORT = 48  # bytes of a piece up to which looking at all neighbors is faster than a heap


class Texts(NamedTuple):
    """Texts in one array: text i is data[indptr[i]:indptr[i + 1]]; 16 bytes follow the last."""

    data: NDArray[np.uint8]
    indptr: NDArray[np.int64]


class Known(NamedTuple):
    """Pieces met before: `memory` (2^k, 8) uint64 those that are short and frequent, `cache` all others."""

    memory: NDArray[np.uint64]
    cache: WordCache


class Output(NamedTuple):
    """What a scan writes.

    `ids` int32 with room for one for each byte; those of text i are ids[indptr[i]:indptr[i + 1]]. `left` bool: texts
    for the library. `scratch` int64: `HEAP_SPACE` times the bytes of the longest text.
    """

    ids: NDArray[np.int32]
    indptr: NDArray[np.int64]
    left: NDArray[np.bool_]
    scratch: NDArray[np.int64]


@kernel
def scan(
    texts: Texts,
    rule: tuple[NDArray[np.uint8], int],
    guard: Guard,
    merges: Merges,
    known: Known,
    output: Output,
) -> None:
    """Write the ids of all texts. `rule`: the characters' classes, and the digits of a piece (0: GPT-2's pattern)."""
    data, written = texts.data, 0
    classes, digits = rule
    output.indptr[0] = 0
    for text in range(texts.indptr.size - 1):
        position, end = texts.indptr[text], texts.indptr[text + 1]
        output.left[text] = needs_library(data, position, end, guard)
        while position < end and not output.left[text]:
            if digits == 0:
                stop = cut_gpt2(data, position, end, classes)
            else:
                stop = cut_llama3(data, position, end, classes, digits)
            length, last = stop - position, -1
            if length <= LONGEST_KEY:  # here rather than in a function, which would not be inlined
                key = key_of(data, position, length, known.memory.shape[0])
                last = recall(known.memory, key, output.ids, written)
            if last < 0:
                last = longer_ids(data, (position, stop), merges, known.cache, output, written)
                if length <= LONGEST_KEY and last - written <= MOST_IDS:
                    remember(known.memory, key, output.ids, (written, last))
            written, position = last, stop
        output.indptr[text + 1] = written


@kernel
def longer_ids(
    data: NDArray[np.uint8], span: tuple[int, int], merges: Merges, cache: WordCache, output: Output, written: int
) -> int:
    """Write the ids of a piece, looked up in the cache, to ids[written:]; return where they end."""
    begin, stop = span
    if stop - begin > LONGEST:
        return written + new_ids(data, span, merges, output, written)
    slots, arena, pool, used = cache
    key = cache_key_of(data, begin, stop)
    slot = find(slots, arena, pool, data, begin, stop, key)
    if slots[slot, KEY] != 0:
        return copy_ids(slots, pool, slot, output.ids, written)
    last = written + new_ids(data, span, merges, output, written)
    insert(slots, arena, pool, used, slot, key, data, begin, stop, output.ids, written, last, 0)
    return last


@kernel
def new_ids(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    merges: Merges,
    output: Output,
    written: int,
) -> int:
    """Write the ids of a piece that was not met before to ids[written:]; return how many."""
    ids, scratch = output.ids[written:], output.scratch
    if merges.slots.size > 0:
        whole = whole_id(data, span[0], span[1], merges)
        if whole >= 0:
            ids[0] = whole
            return 1
    if span[1] - span[0] <= SHORT:
        return merge_piece(data, span, merges, ids, scratch)
    return merge_long_piece(data, span, merges, ids, scratch)
