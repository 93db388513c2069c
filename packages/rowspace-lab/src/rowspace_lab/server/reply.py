"""`Reply`: the body of a response: metadata as JSON, followed by arrays as little-endian binary.

A body consists of the length of the header (uint32), the header (ASCII JSON: `meta`, the name, dtype, shape and offset
of each array, and in `shown` what to show for tokens that are not shown as they are), zeros up to a multiple of 8, and
the arrays, aligned to 8 bytes. `web/src/api/reply.ts` decodes it.
"""

import json
import math
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rowspace._base.plural import plural
from rowspace.errors import FileFormatError

__all__ = ["MEDIA_TYPE", "Reply", "decode"]

MEDIA_TYPE = "application/vnd.rowspace.reply"
_ALIGNED = 8
# The dtypes that have a typed array in JavaScript; other dtypes are converted.
_DTYPES = ("<f4", "<f8", "<i4", "<u4", "|u1")


class Reply:
    """Metadata (`meta`: JSON values, in which NaN and infinity become null) and named arrays.

    Arrays and tensors among the `fields` are sent as arrays, as are those given by keyword. float32, float64, int32,
    uint32 and uint8 are kept; float16 becomes float32, bool becomes uint8, and other integers become int32 if their
    values fit, else float64.

    >>> reply = decode(Reply({"word": "cat", "row": np.array([0.5, np.nan])}).encode())
    >>> reply.meta, reply.arrays
    ({'word': 'cat'}, {'row': array([0.5, nan])})
    """

    def __init__(self, fields: Mapping[str, object] | None = None, /, **arrays: ArrayLike) -> None:
        found: dict[str, Any] = {name: value for name, value in (fields or {}).items() if _is_array(value)}
        self.meta = {name: value for name, value in (fields or {}).items() if name not in found}
        self.arrays = {name: _browser_array(np.asarray(array)) for name, array in (found | arrays).items()}

    def encode(self, shown: Mapping[str, str] | None = None) -> bytes:
        """Return the body, in the format described in the docstring of this module.

        Args:
            shown: What to show for tokens of `meta` that are not shown as they are.
        """
        described, parts, offset = [], [], 0
        for name, array in self.arrays.items():
            described.append({"name": name, "dtype": array.dtype.str, "shape": array.shape, "offset": offset})
            parts += [array.tobytes(), bytes(-array.nbytes % _ALIGNED)]
            offset += array.nbytes + -array.nbytes % _ALIGNED
        document = {"meta": _finite(self.meta), "arrays": described, **({"shown": shown} if shown else {})}
        header = json.dumps(document).encode()  # ASCII, which can represent lone surrogates
        padding = bytes(-(4 + len(header)) % _ALIGNED)
        return b"".join([struct.pack("<I", len(header)), header, padding, *parts])


def decode(body: bytes) -> Reply:
    """Decode a body; raise `FileFormatError` if it is truncated."""
    if len(body) < 4 or len(body) < (start := 4 + struct.unpack_from("<I", body)[0]):
        raise FileFormatError(f"a reply of {plural(len(body), 'byte')} is cut short inside its header")
    header = json.loads(body[4:start])
    start += -start % _ALIGNED
    return Reply(header["meta"], **{array["name"]: _read(body, start, array) for array in header["arrays"]})


def _read(body: bytes, start: int, array: Mapping[str, Any]) -> NDArray[Any]:
    """Return the array that an entry of the header describes."""
    dtype, first = np.dtype(array["dtype"]), start + array["offset"]
    count = math.prod(array["shape"])
    if first + count * dtype.itemsize > len(body):
        raise FileFormatError(f"a reply of {plural(len(body), 'byte')} is cut short inside array {array['name']!r}")
    return np.frombuffer(body, dtype, count, first).reshape(array["shape"]).copy()


def _is_array(value: object) -> bool:
    """Return whether the value is an array or a tensor; NumPy scalars are neither."""
    return hasattr(value, "__array__") and not isinstance(value, np.generic)


def _browser_array(array: NDArray[Any]) -> NDArray[Any]:
    """Convert the array to one of `_DTYPES`."""
    kind = array.dtype.newbyteorder("<").str
    if kind in _DTYPES:
        return array.astype(kind, order="C", copy=False)
    if array.dtype.kind == "f":
        return array.astype("<f4" if array.dtype.itemsize < 4 else "<f8")
    if array.dtype.kind == "b":
        return array.astype("|u1")
    fits = array.size == 0 or (array.min() >= -(2**31) and array.max() < 2**31)
    return array.astype("<i4" if fits else "<f8")


def _finite(value: object) -> object:
    """Replace NaN and infinity by None, and NumPy scalars by Python numbers, at any depth."""
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
