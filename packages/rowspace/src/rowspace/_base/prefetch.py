"""Fetch a row into the cache before a kernel needs it."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numpy.typing import NDArray

from rowspace._base.jit import emits

__all__ = ["prefetch"]


def prefetch(array: NDArray[Any], row: int) -> None:
    """Fetch the first numbers of `array[row]` into the cache; the result of a kernel does not depend on it.

    The rows that a step needs are far apart, so that the first access to each waits for memory; the processor fetches
    the rest of a row by itself. Without it, a step of 30,000 to 128,000 rows under AdamW takes 8 to 12 % more processor
    time, and a classifier learns a million texts in 13 % more.
    """


@emits(prefetch, takes=[types.Array, types.Integer], returns=types.none)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """One `llvm.prefetch` for reading, into all levels of the cache."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    row = context.cast(builder, arguments[1], signature.args[1], types.intp)
    indices = [row] + [ir.Constant(row.type, 0)] * (signature.args[0].ndim - 1)
    address = cgutils.get_item_pointer(context, builder, signature.args[0], array, indices, wraparound=False)
    byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")  # renamed by newer LLVM
    builder.call(function, [builder.bitcast(address, byte), number(0), number(3), number(1)])
    return context.get_dummy_value()
