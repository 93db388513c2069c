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
from rowspace.encode.scanners.cache.kernels import HASH_SEED, TAG, copy_ids, find, hash_step, insert

__all__ = ["SHORT", "Output", "Texts", "scan"]

SHORT = 48  # bytes of a piece up to which looking at all neighbors is faster than a heap


class Texts(NamedTuple):
    """Texts in one array: text i is data[indptr[i]:indptr[i + 1]]; 16 bytes follow the last."""

    data: NDArray[np.uint8]
    indptr: NDArray[np.int64]


class Known(NamedTuple):
    """Pieces met before: `memory` (2^k, 8) uint64 those that are short and frequent, `cache` those of up to `LONGEST`."""

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
            length = stop - position
            if length > LONGEST_KEY:
                written = longer_ids(data, (position, stop), merges, known.cache, output, written)
            else:
                key = key_of(data, position, length, known.memory.shape[0])
                last = recall(known.memory, key, output.ids, written)
                if last < 0:
                    last = longer_ids(data, (position, stop), merges, known.cache, output, written)
                    if last - written <= MOST_IDS:
                        remember(known.memory, key, output.ids, (written, last))
                written = last
            position = stop
        output.indptr[text + 1] = written


@kernel
def longer_ids(
    data: NDArray[np.uint8], span: tuple[int, int], merges: Merges, cache: WordCache, output: Output, written: int
) -> int:
    """Write the ids of a piece that is not in the memory to ids[written:]; return where they end."""
    begin, stop = span
    if stop - begin > LONGEST:
        return written + new_ids(data, span, merges, output, written)
    hashed = HASH_SEED
    for index in range(begin, stop):
        hashed = hash_step(hashed, np.int64(data[index]))
    slot = find(cache.slots, cache.arena, data, begin, stop, hashed)
    if cache.slots[slot, TAG] != 0:
        return copy_ids(cache.slots, cache.pool, slot, output.ids, written)
    last = written + new_ids(data, span, merges, output, written)
    insert(
        cache.slots, cache.arena, cache.pool, cache.used, slot, hashed, data, begin, stop, output.ids, written, last, 0
    )
    return last


@kernel
def new_ids(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    merges: Merges,
    output: Output,
    written: int,
) -> int:
    """Write the ids of a piece that is not in the cache to ids[written:]; return how many."""
    ids, scratch = output.ids[written:], output.scratch
    if merges.slots.size > 0:
        whole = whole_id(data, span[0], span[1], merges)
        if whole >= 0:
            ids[0] = whole
            return 1
    if span[1] - span[0] <= SHORT:
        return merge_piece(data, span, merges, ids, scratch)
    return merge_long_piece(data, span, merges, ids, scratch)
