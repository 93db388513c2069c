"""Sixteen float32 values as one vector, so that a kernel decides what it holds in registers.

LLVM vectorizes a plain loop over columns well, but not a loop over rows that keeps a block of columns in registers,
and it stops at 256 bits where the processor has 512. With these five functions a kernel holds the blocks
itself. A processor with narrower registers uses two or four of them for one block; the answer is the same.

The functions are written in Python for arrays of sixteen values and run as written with `NUMBA_DISABLE_JIT=1`; the
second half of the file tells Numba which instructions to emit in their place.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model
from numpy.typing import NDArray

from rowspace._base.jit import emits

__all__ = ["LANES", "broadcast", "fma", "load", "store", "sum_lanes"]

LANES = 16

Vector = NDArray[np.float32]


def load(array: NDArray[np.float32], row: int | np.int64, column: int) -> Vector:
    """The sixteen values of `array[row]` that start at `column`."""
    return _block(array, row, column).copy()


def store(array: NDArray[np.float32], row: int | np.int64, column: int, value: Vector) -> None:
    """Write sixteen values into `array[row]`, starting at `column`."""
    _block(array, row, column)[:] = value


def _block(array: NDArray[np.float32], row: int | np.int64, column: int) -> Vector:
    """A view of sixteen values; unlike a slice, it neither counts from the end nor stops at it."""
    if not (0 <= row < array.shape[0] and 0 <= column <= array.shape[1] - LANES):
        raise IndexError(f"block ({row}, {column}) is outside an array of shape {array.shape}")
    return array[row, column : column + LANES]


def broadcast(value: np.float32) -> Vector:
    """The same value sixteen times."""
    return np.full(LANES, value, np.float32)


def fma(left: Vector, right: Vector, addend: Vector) -> Vector:
    """`left * right + addend`, rounded once where the processor can."""
    return left * right + addend


def sum_lanes(value: Vector) -> np.float32:
    """The sum of the sixteen values, in any order."""
    return np.float32(value.sum())


class _VectorType(types.Type):
    """What Numba calls a block while it infers types."""

    def __init__(self) -> None:
        super().__init__(name="Vector16")


_VECTOR = _VectorType()
_LLVM_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_INDEX = ir.IntType(32)


@register_model(_VectorType)
class _VectorModel(models.PrimitiveModel):
    """A block is one LLVM vector, so it lives in registers."""

    def __init__(self, manager: Any, frontend_type: Any) -> None:
        super().__init__(manager, frontend_type, _LLVM_VECTOR)


_PLACE = [types.Array, types.Integer, types.Integer]


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Where `array[row, column]` lies; rows are contiguous, so the rest of the block follows it."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    indices = [context.cast(builder, arguments[i], signature.args[i], types.intp) for i in (1, 2)]
    if context.enable_boundscheck:
        _check_bounds(context, builder, array, indices)
    return cgutils.get_item_pointer(context, builder, signature.args[0], array, indices, wraparound=False)


def _check_bounds(context: Any, builder: Any, array: Any, indices: list[Any]) -> None:
    """Raise `IndexError` unless the row and all sixteen columns are inside the array, in the debug mode of `jit`."""
    rows, columns = cgutils.unpack_tuple(builder, array.shape)
    row, column = indices
    last = builder.add(column, column.type(LANES - 1))
    for axis, index, size in ((0, row, rows), (1, column, columns), (1, last, columns)):
        cgutils.do_boundscheck(context, builder, index, size, axis)


@emits(load, takes=_PLACE, returns=_VECTOR)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    address = _address(context, builder, signature, arguments)
    return builder.load(builder.bitcast(address, _LLVM_VECTOR.as_pointer()), align=4)


@emits(store, takes=[*_PLACE, _VectorType], returns=types.none)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    address = _address(context, builder, signature, arguments)
    builder.store(arguments[3], builder.bitcast(address, _LLVM_VECTOR.as_pointer()), align=4)
    return context.get_dummy_value()


@emits(broadcast, takes=[types.Float], returns=_VECTOR)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    value = context.cast(builder, arguments[0], signature.args[0], types.float32)
    undefined = ir.Constant(_LLVM_VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(_INDEX, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(_INDEX, LANES), [0] * LANES))


@emits(fma, takes=[_VectorType] * 3, returns=_VECTOR)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = ir.FunctionType(_LLVM_VECTOR, [_LLVM_VECTOR] * 3)
    return builder.call(_intrinsic(builder, kind, f"llvm.fmuladd.v{LANES}f32"), arguments)


@emits(sum_lanes, takes=[_VectorType], returns=types.float32)
def _(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    kind = ir.FunctionType(ir.FloatType(), [ir.FloatType(), _LLVM_VECTOR])
    add = _intrinsic(builder, kind, f"llvm.vector.reduce.fadd.v{LANES}f32")
    return builder.call(add, [ir.Constant(ir.FloatType(), 0.0), arguments[0]], fastmath=("reassoc",))


def _intrinsic(builder: Any, kind: Any, name: str) -> Any:
    return cgutils.get_or_insert_function(builder.module, kind, name)
