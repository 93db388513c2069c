"""Eight bytes of text as one number, the first byte lowest, and the letters of ASCII among them.

`load` and `trailing_zeros` run as written with `NUMBA_DISABLE_JIT=1`; the end of the file tells Numba which
instructions to emit in their place.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from rowspace._base.jit import emits, kernel

__all__ = ["letters_at", "load", "trailing_zeros"]

CASE = np.uint64(0x2020202020202020)
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
HIGH_BITS = np.uint64(0x8080808080808080)
FROM_A = np.uint64(0x1F1F1F1F1F1F1F1F)  # 0x80 - "a" in each byte
PAST_Z = np.uint64(0x0505050505050505)  # 0x80 - "z" - 1


@kernel
def letters_at(word: np.uint64) -> int:
    """Return how many of eight bytes, from the first on, are letters of ASCII."""
    folded = (word | CASE) & LOW_BITS
    others = ~((folded + FROM_A) & ~(folded + PAST_Z)) | word
    return trailing_zeros(others & HIGH_BITS) >> 3


def load(data: NDArray[np.uint8], position: int | np.int64) -> np.uint64:
    """Return data[position:position + 8], the first byte lowest.

    >>> hex(load(np.arange(9, dtype=np.uint8), 1))
    '0x807060504030201'
    """
    if not 0 <= position <= data.size - 8:
        raise IndexError(f"eight bytes at {position} are outside an array of {data.size}")
    return data[position : position + 8].view("<u8")[0]  # type: ignore[no-any-return]  # an int to Numba


def trailing_zeros(word: np.uint64) -> int:
    """Return the number of zero bits below the lowest one bit, 64 if there is none.

    >>> trailing_zeros(np.uint64(0x80)), trailing_zeros(np.uint64(0))
    (7, 64)
    """
    value = int(word)
    return (value & -value).bit_length() - 1 if value else 64


@emits(load, takes=[types.Array, types.Integer], returns=types.uint64)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    index = context.cast(builder, arguments[1], signature.args[1], types.intp)
    if context.enable_boundscheck:
        size = cgutils.unpack_tuple(builder, array.shape)[0]
        for each in (index, builder.add(index, index.type(7))):
            cgutils.do_boundscheck(context, builder, each, size, 0)
    address = cgutils.get_item_pointer(context, builder, signature.args[0], array, [index], wraparound=False)
    return builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()), align=1)


@emits(trailing_zeros, takes=[types.uint64], returns=types.intp)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))
