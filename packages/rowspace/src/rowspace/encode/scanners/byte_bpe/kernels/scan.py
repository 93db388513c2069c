"""Texts → ids: cut a text into pieces, and give the ids that a piece had before or that merges give."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.added.kernels import LEFT, SOME, id_of, length_of, look, next_added
from rowspace.encode.scanners.bpe.kernels.remember import MAX_IDS, MAX_KEY, key_of, recall, remember
from rowspace.encode.scanners.bpe.kernels.texts import Known, Output, Texts
from rowspace.encode.scanners.byte_bpe.kernels.cut import cut_gpt2, cut_llama3
from rowspace.encode.scanners.byte_bpe.kernels.pieces import Merges, piece_ids
from rowspace.encode.scanners.cache import MAX_WORD, WordCache
from rowspace.encode.scanners.cache.kernels import KEY, copy_ids, find, insert, key_of as cache_key_of
from rowspace.text.characters.kernels import code_at

__all__ = ["Rule", "scan"]


class Rule(NamedTuple):
    """How a text is cut.

    `classes`: the classes of characters. `digits`: the numbers of a piece; 0: GPT-2's pattern. `unsafe` bool:
    characters whose texts are left to the library, or empty.
    """

    classes: NDArray[np.uint8]
    digits: int
    unsafe: NDArray[np.bool_]


@kernel
def scan(texts: Texts, rule: Rule, added: NDArray[np.uint8], merges: Merges, known: Known, output: Output) -> None:
    """Write the ids of all texts."""
    data, written = texts.data, 0
    output.indptr[0] = 0
    for text in range(texts.indptr.size - 1):
        position, end = texts.indptr[text], texts.indptr[text + 1]
        verdict = look(data, position, end, added)
        output.left[text] = verdict == LEFT or has_unsafe(data, position, end, rule.unsafe)
        while position < end and not output.left[text]:
            limit, token = end, -1
            if verdict == SOME:
                limit, token = next_added(data, position, end, added)
            while position < limit:  # here rather than in a function: passing all arrays takes 70 ns
                if rule.digits == 0:
                    stop = cut_gpt2(data, position, limit, rule.classes)
                else:
                    stop = cut_llama3(data, position, limit, rule.classes, rule.digits)
                length, last = stop - position, -1
                if length <= MAX_KEY:
                    key = key_of(data, position, length, known.memory.shape[0])
                    last = recall(known.memory, key, output.ids, written)
                if last < 0:
                    last = longer_ids(data, (position, stop), merges, known.cache, output, written)
                    if length <= MAX_KEY and last - written <= MAX_IDS:
                        remember(known.memory, key, output.ids, (written, last))
                written, position = last, stop
            if token >= 0:
                output.ids[written] = id_of(added, token)
                written += 1
                position += length_of(added, token)
        output.indptr[text + 1] = written


@kernel
def longer_ids(
    data: NDArray[np.uint8], span: tuple[int, int], merges: Merges, cache: WordCache, output: Output, written: int
) -> int:
    """Write the ids of a piece, looked up in the cache, to ids[written:]; return where they end."""
    begin, stop = span
    if stop - begin > MAX_WORD:
        return written + piece_ids(data, span, merges, output.ids[written:], output.scratch)
    slots, arena, pool, _ = cache
    key = cache_key_of(data, begin, stop)
    slot = find(slots, arena, pool, data, begin, stop, key)
    if slots[slot, KEY] != 0:
        return copy_ids(slots, pool, slot, output.ids, written)
    last = written + piece_ids(data, span, merges, output.ids[written:], output.scratch)
    insert(cache, slot, key, data[begin:stop], output.ids[written:last], 0)
    return last


@kernel
def has_unsafe(data: NDArray[np.uint8], begin: int, end: int, unsafe: NDArray[np.bool_]) -> bool:
    """Return whether data[begin:end] has a character that NFC may change, which `unsafe` marks; without marks, none."""
    possible = False
    if unsafe.size > 0:
        for position in range(begin, end):  # this loop compares many bytes at a time
            possible |= data[position] >= 0xC0
    if possible:
        for position in range(begin, end):
            if data[position] >= 0xC0 and unsafe[code_at(data, position)[0]]:
                return True
    return False
