"""Batches of an Arrow file, read so that memory stays in proportion to the file and to the rows returned.

Only columns of the table are decompressed; uncompressed ones are mapped. pyarrow decompresses a column of a batch as a
whole, so a large one is refused unless the file, or the rows that result from it, are about as large. Tokens are read
first, because rows of duplicated tokens, or beyond the limit, are not returned.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError
from rowspace.store.array_formats.arrow_sizes import ArrowSizes, PackedBuffer
from rowspace.store.array_formats.parquet_columns import Columns

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowBatches"]

MIN_UNPACKED = 1 << 25  # bytes that may be unpacked of any file
MAX_RATIO = 2  # and times the larger of the file and the rows returned
ROWS_AT_ONCE, BYTES_AT_ONCE = 1 << 16, 1 << 23  # where rows cannot be mapped


class ArrowBatches:
    """An open Arrow file: `schema`, and `read`, which yields some columns of its batches."""

    def __init__(self, source: str) -> None:
        import pyarrow as pa

        self._source = source
        self._content = pa.memory_map(source).read_buffer()
        self._file = pa.ipc.open_file(self._content)
        self.schema: pa.Schema = self._file.schema

    def read(self, columns: Columns, limit: int | None) -> "Iterator[pa.RecordBatch]":
        """Yield the named columns, of which the first `limit` rows will be used, in batches or parts of them."""
        sizes = ArrowSizes(np.frombuffer(self._content, np.uint8), self.schema)
        dictionaries = sizes.dictionaries()
        self._check(dictionaries, 0)
        left = limit
        for number in range(self._file.num_record_batches):
            buffers = sizes.columns(number)
            if dictionaries + sum(_memory(buffers.get(name, [])) for name in set(columns.names)) > MIN_UNPACKED:
                self._check_large(number, columns, buffers, dictionaries, left)
            batch = self._columns(number, columns.names) if buffers else self._file.get_batch(number)
            left = left if left is None else max(0, left - batch.num_rows)
            can_be_mapped = not buffers and columns.are_lists and _item(self.schema.field(columns.rows[0]).type)[1]
            yield from [batch] if can_be_mapped else _parts(batch[:limit])

    def _check_large(
        self, number: int, columns: Columns, buffers: dict[str, list[PackedBuffer]], unpacked: int, left: int | None
    ) -> None:
        """Check a large batch by its tokens, which are checked first; `unpacked` are the bytes of dictionaries."""
        others = set(columns.names) - {columns.token}
        rows = [(self.schema.field(name).type, buffers[name]) for name in columns.rows]
        unpacked += _memory(buffers[columns.token])
        self._check(unpacked + sum(_memory(own[:-1]) for _, own in rows), 0)
        tokens = self._columns(number, (columns.token,))[:left]
        tokens.validate(full=True)  # pyarrow crashes on offsets outside the file
        row_size = sum(_row_size(kind, own, len(tokens)) for kind, own in rows)
        self._check(unpacked + sum(_memory(buffers[name]) for name in others), _distinct(tokens.column(0)) * row_size)

    def _columns(self, number: int, names: tuple[str, ...]) -> "pa.RecordBatch":
        """Read some columns of a compressed batch."""
        import pyarrow as pa

        places = sorted({self.schema.get_field_index(name) for name in names})
        if len(places) == len(self.schema):
            return self._file.get_batch(number)
        options = pa.ipc.IpcReadOptions(included_fields=places)
        return pa.ipc.open_file(self._content, options=options).get_batch(number)

    def _check(self, size: int, returned: int) -> None:
        """Refuse to decompress `size` bytes unless the file or the rows are about as large."""
        if size > MIN_UNPACKED + MAX_RATIO * max(self._content.size, returned):
            raise FileFormatError(
                f"{self._source}: a batch of this file of {self._content.size:,} bytes unpacks to {size:,} bytes, far "
                "more than the rows read from it; if you trust it, save it again uncompressed "
                "(pyarrow.feather.write_feather, compression='uncompressed')"
            )


def _memory(buffers: list[PackedBuffer]) -> int:
    return sum(buffer.memory for buffer in buffers)


def _parts(batch: "pa.RecordBatch") -> "Iterator[pa.RecordBatch]":
    """Yield copies of the parts of a batch: small, and none keeps the memory of the whole batch."""
    import pyarrow as pa

    row_size = batch.get_total_buffer_size() // max(1, batch.num_rows)
    step = max(1, min(ROWS_AT_ONCE, BYTES_AT_ONCE // max(1, row_size)))
    for begin in range(0, max(1, batch.num_rows), step):
        part = batch[begin : begin + step]
        part.validate(full=True)
        yield part.take(pa.array(np.arange(len(part))))


def _distinct(tokens: "pa.Array") -> int:
    """Return how many different tokens a column holds."""
    if hasattr(tokens, "dictionary"):
        tokens = tokens.dictionary.take(tokens.indices.unique().drop_null())
    return len(tokens.unique())


def _row_size(kind: "pa.DataType", buffers: list[PackedBuffer], count: int) -> int:
    """Return how many bytes the least of the first `count` rows has in a column; 0 where it cannot have as many."""
    import pyarrow as pa

    item, _ = _item(kind)
    if pa.types.is_dictionary(kind):
        return item
    width, used = 1, count
    if pa.types.is_fixed_size_list(kind):
        width, used = kind.list_size, count * kind.list_size
    elif pa.types.is_nested(kind):
        ends = _ends(buffers[1], np.dtype("<i8" if pa.types.is_large_list(kind) else "<i4"))[: count + 1]
        is_in_order = len(ends) > 1 and ends.min() >= 0
        width, used = (int((ends[1:] - ends[:-1]).min()), int(ends[-1])) if is_in_order else (0, 0)
    return max(0, width) * item if used * item <= buffers[-1].size else 0


def _ends(buffer: PackedBuffer, dtype: np.dtype[np.int64] | np.dtype[np.int32]) -> NDArray[np.integer[Any]]:
    content = buffer.unpacked()
    return content[: len(content) // dtype.itemsize * dtype.itemsize].view(dtype)


def _item(kind: "pa.DataType") -> tuple[int, bool]:
    """Return how many bytes a number of a column has, and whether it is a float."""
    import pyarrow as pa

    number = kind.value_type if pa.types.is_nested(kind) or pa.types.is_dictionary(kind) else kind
    return (0, False) if pa.types.is_nested(number) else (number.bit_width // 8, pa.types.is_floating(number))
