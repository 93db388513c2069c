"""Texts → ids of Unigram: cut a text at blanks, and give the ids that a word had before or those of its best tokens."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.added.kernels import LEFT, NOTHING, SOME, id_of, length_of, look, next_added
from rowspace.encode.scanners.bpe.kernels.remember import MAX_IDS, MAX_KEY, key_of, recall, remember
from rowspace.encode.scanners.bpe.kernels.texts import Known, Output, Texts
from rowspace.encode.scanners.cache import MAX_WORD
from rowspace.encode.scanners.cache.kernels import KEY, copy_ids, find, insert, key_of as cache_key_of, mark_of
from rowspace.encode.scanners.sentencepiece.characters import BLANK, CLASS_BITS, CLASS_MASK, LEAVE, SEQUENCE, WORD
from rowspace.encode.scanners.sentencepiece.kernels.units import end_of_letters
from rowspace.encode.scanners.sentencepiece.kernels.viterbi import Lattice, UnigramModel, best_tokens
from rowspace.text.characters.kernels import code_at
from rowspace.text.words.kernels import write

__all__ = ["CHARACTER_ROOM", "MAX_BYTES", "Words", "scan"]

MAX_BYTES = 2 * MAX_WORD  # of a piece after normalization
CHARACTER_ROOM = 128  # more than the bytes that one character becomes
MARK_BYTES = (0xE2, 0x96, 0x81)  # U+2581, which begins each piece
TO_LIBRARY = 1  # mark of a cached word

INNER, LEADING, TRAILING, ONLY = range(4)  # rows of `Words.alone`


class Words(NamedTuple):
    """How a text becomes pieces.

    `characters`: of `character_numbers`. `alone` int64 (4, 3): how many pieces of a blank alone there are for k blanks
    between words, before the first, behind the last and without words: min(first + more · (k - 1), most) for a row
    (first, more, most). `blank_ids` int32: the ids of such a piece.
    """

    characters: NDArray[np.int32]
    alone: NDArray[np.int64]
    blank_ids: NDArray[np.int32]


class Context(NamedTuple):
    """What the scan of a text reads and writes."""

    words: Words
    model: UnigramModel
    known: Known
    lattice: Lattice
    output: Output


@kernel
def scan(
    texts: Texts,
    words: Words,
    added: NDArray[np.uint8],
    model: UnigramModel,
    known: Known,
    lattice: Lattice,
    output: Output,
) -> None:
    """Write the ids of all texts. A text for which there is no room for ids is left to the library."""
    data, written = texts.data, 0
    context = Context(words, model, known, lattice, output)
    output.indptr[0] = 0
    for text in range(texts.indptr.size - 1):
        begin, end, first = texts.indptr[text], texts.indptr[text + 1], written
        verdict = look(data, begin, end, added)
        if verdict == NOTHING:
            written = scan_span(data, (begin, end), context, written)
        while verdict == SOME and begin < end and written >= 0:
            stop, token = next_added(data, begin, end, added)
            written = scan_span(data, (begin, stop), context, written)
            begin = stop
            if token >= 0 and written >= 0:
                written = write_token(id_of(added, token), output, written)
                begin += length_of(added, token)
        output.left[text] = verdict == LEFT or written < 0
        written = first if output.left[text] else written
        output.indptr[text + 1] = written


@kernel
def scan_span(data: NDArray[np.uint8], span: tuple[int, int], context: Context, written: int) -> int:
    """Write the ids of a text without added tokens to ids[written:]; return where they end, -1 if it is left."""
    words, _, known, _, output = context
    position, end = span
    kind = LEADING
    while position < end and written >= 0:
        position, blanks = skip_blanks(data, position, end, words.characters)
        if position == end:
            kind = ONLY if kind == LEADING else TRAILING
        if blanks > 0:
            written = write_blanks(words, kind, blanks, output, written)
        if position < end and written >= 0:
            stop = end_of_word(data, position, end, words.characters)
            length, last = stop - position, -1
            if output.ids.size - written < MAX_BYTES:
                return -1
            if length <= MAX_KEY:  # here rather than in a function, which would not be inlined
                key = key_of(data, position, length, known.memory.shape[0])
                last = recall(known.memory, key, output.ids, written)
            if last < 0:
                last = longer_ids(data, (position, stop), context, written)
                if length <= MAX_KEY and 0 < last - written <= MAX_IDS:
                    remember(known.memory, key, output.ids, (written, last))
            written, position = last, stop
        kind = INNER
    return written


@kernel
def skip_blanks(data: NDArray[np.uint8], position: int, end: int, characters: NDArray[np.int32]) -> tuple[int, int]:
    """Return where the blanks at `position` stop, and how many there are."""
    count = 0
    while position < end:
        value, width = character_at(data, position, characters)
        if value & CLASS_MASK != BLANK:
            break
        position += width
        count += 1
    return position, count


@kernel
def end_of_word(data: NDArray[np.uint8], position: int, end: int, characters: NDArray[np.int32]) -> int:
    """Return where the next blank is, or `end`; eight bytes follow it."""
    while position < end:
        position = end_of_letters(data, position, end)  # which are no blanks
        if position == end:
            break
        value, width = character_at(data, position, characters)
        if value & CLASS_MASK == BLANK:
            break
        position += width
    return position


@kernel
def character_at(data: NDArray[np.uint8], position: int, characters: NDArray[np.int32]) -> tuple[int, int]:
    """Return the number of the character at `position`, and its width."""
    if data[position] < 0x80:
        return int(characters[data[position]]), 1
    code, width = code_at(data, position)
    return int(characters[code]), width


@kernel
def write_blanks(words: Words, kind: int, blanks: int, output: Output, written: int) -> int:
    """Write the ids of pieces of a blank alone to ids[written:]; return where they end, -1 if that is not possible."""
    first, more, most = words.alone[kind]
    count = min(first + more * (blanks - 1), most)
    if count > 0 and (words.blank_ids.size == 0 or count * words.blank_ids.size > output.ids.size - written):
        return -1
    for _ in range(count):
        for index in range(words.blank_ids.size):
            output.ids[written] = words.blank_ids[index]
            written += 1
    return written


@kernel
def write_token(token: int, output: Output, written: int) -> int:
    """Write one id to ids[written:]; return where it ends, -1 if there is no room."""
    if written == output.ids.size:
        return -1
    output.ids[written] = token
    return written + 1


@kernel
def longer_ids(data: NDArray[np.uint8], span: tuple[int, int], context: Context, written: int) -> int:
    """Write the ids of a word, looked up in the cache, to ids[written:]; return where they end, -1 if it is left."""
    words, model, known, lattice, output = context
    begin, stop = span
    if stop - begin > MAX_WORD:
        return -1
    slots, arena, pool, _ = known.cache
    key = cache_key_of(data, begin, stop)
    slot = find(slots, arena, pool, data, begin, stop, key)
    if slots[slot, KEY] != 0:
        return -1 if mark_of(slots, slot) == TO_LIBRARY else copy_ids(slots, pool, slot, output.ids, written)
    count = new_ids(data, span, words, model, lattice)
    mark = 0 if 0 < count <= MAX_WORD else TO_LIBRARY
    if mark == TO_LIBRARY:
        count = 0
    first = lattice.ids.size - count
    for index in range(count):
        output.ids[written + index] = lattice.ids[first + index]
    last = written + count
    insert(known.cache, slot, key, data[begin:stop], output.ids[written:last], mark)
    return -1 if mark == TO_LIBRARY else last


@kernel
def new_ids(data: NDArray[np.uint8], span: tuple[int, int], words: Words, model: UnigramModel, lattice: Lattice) -> int:
    """Write the ids of a new word to the end of the lattice's; return how many, -1 if it is left to the library."""
    position, end = span
    text, size = lattice.text, 3
    text[0], text[1], text[2] = MARK_BYTES
    while position < end:
        value, width = character_at(data, position, words.characters)
        kind, payload = value & CLASS_MASK, value >> CLASS_BITS
        if kind == LEAVE or size > MAX_BYTES - CHARACTER_ROOM:
            return -1
        if kind == WORD:
            size = write(payload, text, size, 0)[0]
        elif kind == SEQUENCE:
            for index in range(payload + 1, payload + 1 + words.characters[payload]):
                size = write(int(words.characters[index]), text, size, 0)[0]
        position += width
    return -1 if size == 3 else best_tokens(lattice, size, model)
