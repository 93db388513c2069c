"""Texts → ids of BPE: cut a text into units, and give the ids that a unit had before or that merges give."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.added.kernels import LEFT, SOME, id_of, length_of, look, next_added
from rowspace.encode.scanners.bpe.kernels.heap import merge_symbols
from rowspace.encode.scanners.bpe.kernels.remember import MAX_IDS, MAX_KEY, Key, key_of, recall, remember
from rowspace.encode.scanners.bpe.kernels.texts import Known, Output, Texts
from rowspace.encode.scanners.cache import MAX_WORD, WordCache
from rowspace.encode.scanners.cache.kernels import KEY, copy_ids, find, insert, key_of as cache_key_of
from rowspace.encode.scanners.sentencepiece.kernels.units import Joins, blank_width, cut_unit, first_symbols

__all__ = ["ALWAYS", "FIRST", "NEVER", "PREPEND", "Model", "scan"]

# When a blank is put before a text, and before the text after an added token
NEVER = 0
PREPEND = 1  # also before a blank
ALWAYS = 2  # but not before a blank
FIRST = 3  # as `ALWAYS`, but not after an added token

AFTER_BLANK, CACHE_AFTER_BLANK = np.uint64(1 << 63), 1 << 60  # bits of keys of units that come after a blank


class Model(NamedTuple):
    """The model.

    `characters` int32 (1114112,): the id of each character or -1; that of the blank is that of `▁`. `byte_ids` int32
    (256,): the ids of bytes. `pairs`: the hash table of `find_merge`. `joins`: the pairs of characters that these join.
    """

    characters: NDArray[np.int32]
    byte_ids: NDArray[np.int32]
    pairs: NDArray[np.int64]
    joins: Joins


@kernel
def scan(texts: Texts, prefix: int, added: NDArray[np.uint8], model: Model, known: Known, output: Output) -> None:
    """Write the ids of all texts: at most two for each byte, and one more for each text."""
    data, written = texts.data, 0
    output.indptr[0] = 0
    for text in range(texts.indptr.size - 1):
        position, end = texts.indptr[text], texts.indptr[text + 1]
        verdict, rule = look(data, position, end, added), prefix
        output.left[text] = verdict == LEFT
        while position < end and verdict != LEFT:
            limit, token = end, -1
            if verdict == SOME:
                limit, token = next_added(data, position, end, added)
            after_blank = position < limit and begins_after_blank(data, position, rule)
            while position < limit:  # here rather than in a function: passing all arrays takes 70 ns
                if not after_blank:
                    width = blank_width(data, position)
                    after_blank = width > 0
                    position += width
                stop = cut_unit(data, position, limit, after_blank, model.joins)
                length, last = stop - position, -1
                if length <= MAX_KEY:
                    key = key_of(data, position, length, known.memory.shape[0])
                    if after_blank:
                        key = Key(key.low, key.high | AFTER_BLANK, key.place ^ 1)
                    last = recall(known.memory, key, output.ids, written)
                if last < 0:
                    last = longer_ids(data, (position, stop), after_blank, model, known.cache, output, written)
                    if length <= MAX_KEY and last - written <= MAX_IDS:
                        remember(known.memory, key, output.ids, (written, last))
                written, position, after_blank = last, stop, False
            rule = NEVER if prefix == FIRST else prefix
            if token >= 0:
                output.ids[written] = id_of(added, token)
                written += 1
                position += length_of(added, token)
        output.indptr[text + 1] = written


@kernel
def begins_after_blank(data: NDArray[np.uint8], position: int, prefix: int) -> bool:
    """Return whether a blank is put before the text that begins at `position`."""
    return bool(prefix == PREPEND or (prefix != NEVER and blank_width(data, position) == 0))


@kernel
def longer_ids(
    data: NDArray[np.uint8],
    span: tuple[int, int],
    after_blank: bool,
    model: Model,
    cache: WordCache,
    output: Output,
    written: int,
) -> int:
    """Write the ids of a unit, looked up in the cache, to ids[written:]; return where they end."""
    begin, stop = span
    if stop - begin >= MAX_WORD:
        return new_ids(data, span, after_blank, model, output, written)
    slots, arena, pool, _ = cache
    key = cache_key_of(data, begin, stop) | (CACHE_AFTER_BLANK if after_blank else 0)
    slot = find(slots, arena, pool, data, begin, stop, key)
    if slots[slot, KEY] != 0:
        return copy_ids(slots, pool, slot, output.ids, written)
    last = new_ids(data, span, after_blank, model, output, written)
    insert(cache, slot, key, data[begin:stop], output.ids[written:last], 0)
    return last


@kernel
def new_ids(
    data: NDArray[np.uint8], span: tuple[int, int], after_blank: bool, model: Model, output: Output, written: int
) -> int:
    """Write the ids of a unit that was not met before to ids[written:]; return where they end."""
    ids = output.ids[written:]
    count = first_symbols(data, span, after_blank, model.characters, model.byte_ids, ids)
    return written + merge_symbols(model.pairs, ids, count, output.scratch)
