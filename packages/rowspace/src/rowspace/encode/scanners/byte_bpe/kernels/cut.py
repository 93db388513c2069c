"""A text → pieces, exactly as the regular expressions of GPT-2, and of Llama 3 and Qwen 2, cut it.

Each function is given a position inside valid UTF-8, which other bytes follow, at least eight after the last text, and
returns where the piece that begins there stops.
"""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.bpe.kernels.eight_bytes import letters_at, load
from rowspace.encode.scanners.byte_bpe.character_classes import LETTER, NUMBER, OTHER, SPACE
from rowspace.text.characters.kernels import code_at

__all__ = ["cut_gpt2", "cut_llama3"]

APOSTROPHE, BLANK, NEWLINE, RETURN = 0x27, 0x20, 0x0A, 0x0D
_D, _E, _L, _M, _R, _S, _T, _V = b"delmrstv"
LOWER = 0x20  # the bit that makes an ASCII letter lowercase
EIGHT = 8  # letters in eight bytes, so that there may be more
LONG_S = 0xC5, 0xBF  # U+017F, which a case-insensitive s matches


@kernel
def cut_gpt2(data: NDArray[np.uint8], position: int, end: int, classes: NDArray[np.uint8]) -> int:
    r"""Stop of `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`."""
    first = data[position]
    if first == APOSTROPHE:
        stop = contraction(data, position, end, 0)
        if stop > position:
            return stop
    start = position + (first == BLANK and position + 1 < end)
    kind, width = class_at(data, start, classes)
    if kind == LETTER:
        return run_letters(data, start + width, end, classes)
    if kind != SPACE:
        return run(data, start + width, end, classes, kind)
    return cut_space(data, position, end, classes)


@kernel
def cut_llama3(data: NDArray[np.uint8], position: int, end: int, classes: NDArray[np.uint8], digits: int) -> int:
    r"""Stop of the regular expression of Llama 3 (`digits` = 3) and Qwen 2 (1).

    It is `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+`, then
    `\s+(?!\S)|\s+`.
    """
    first = data[position]
    if first == APOSTROPHE:
        stop = contraction(data, position, end, LOWER)
        if stop > position:
            return stop
    kind, width = class_at(data, position, classes)
    after = position + width
    if kind == LETTER:
        return run_letters(data, after, end, classes)
    if kind == NUMBER:
        return few_numbers(data, after, end, classes, digits - 1)
    following, width = class_at(data, after, classes) if after < end else (SPACE, 0)
    if following == LETTER and first not in (NEWLINE, RETURN):
        return run_letters(data, after + width, end, classes)
    if kind == OTHER or (first == BLANK and following == OTHER):
        stop = run(data, after, end, classes, OTHER)
        while stop < end and data[stop] in (NEWLINE, RETURN):
            stop += 1
        return stop
    return cut_lines(data, position, end, classes)


@kernel
def contraction(data: NDArray[np.uint8], position: int, end: int, fold: int) -> int:
    """Stop of 's, 't, 're, 've, 'm, 'll or 'd, or `position`; with `fold` = `LOWER` in either case and U+017F as s."""
    if position + 1 >= end:
        return position
    first = data[position + 1] | fold
    if first in (_S, _T, _M, _D):
        return position + 2
    if position + 2 >= end:
        return position
    second = data[position + 2] | fold
    if (first in (_R, _V) and second == _E) or (first == _L and second == _L):
        return position + 3
    if fold and data[position + 1] == LONG_S[0] and data[position + 2] == LONG_S[1]:
        return position + 3
    return position


@kernel
def few_numbers(data: NDArray[np.uint8], position: int, end: int, classes: NDArray[np.uint8], limit: int) -> int:
    """Stop of at most `limit` numbers."""
    while limit > 0 and position < end:
        kind, width = class_at(data, position, classes)
        if kind != NUMBER:
            break
        position += width
        limit -= 1
    return position


@kernel
def run_letters(data: NDArray[np.uint8], position: int, end: int, classes: NDArray[np.uint8]) -> int:
    """Stop of the letters, of which those of ASCII are found eight at a time."""
    while True:
        count = letters_at(load(data, position))
        position += count
        if position >= end:
            return end
        if count == EIGHT:
            continue
        kind, width = class_at(data, position, classes)
        if kind != LETTER:
            return position
        position += width


@kernel
def run(data: NDArray[np.uint8], position: int, end: int, classes: NDArray[np.uint8], kind: int) -> int:
    """Stop of the characters of one class."""
    while position < end:
        found, width = class_at(data, position, classes)
        if found != kind:
            break
        position += width
    return position


@kernel
def cut_lines(data: NDArray[np.uint8], position: int, end: int, classes: NDArray[np.uint8]) -> int:
    r"""Stop of `\s*[\r\n]+|\s+(?!\S)|\s+`, at white space."""
    stop, newline, last = position, position, position
    while stop < end:
        kind, width = class_at(data, stop, classes)
        if kind != SPACE:
            break
        last = stop
        stop += width
        if data[last] in (NEWLINE, RETURN):
            newline = stop
    if newline > position:
        return newline
    return last if position < last and stop < end else stop


@kernel
def cut_space(data: NDArray[np.uint8], position: int, end: int, classes: NDArray[np.uint8]) -> int:
    r"""Stop of `\s+(?!\S)|\s+`, at white space: all of it but the last character before something else."""
    stop, last = position, position
    while stop < end:
        kind, width = class_at(data, stop, classes)
        if kind != SPACE:
            break
        last = stop
        stop += width
    return last if position < last and stop < end else stop


@kernel
def class_at(data: NDArray[np.uint8], position: int, classes: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the class of the character at `position`, and its width."""
    if data[position] < 0x80:
        return np.int64(classes[data[position]]), 1  # type: ignore[return-value]  # an int to Numba
    code, width = code_at(data, position)
    return np.int64(classes[code]), width  # type: ignore[return-value]  # an int to Numba
