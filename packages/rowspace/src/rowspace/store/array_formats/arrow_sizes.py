"""Decompressed sizes of the buffers of an Arrow file, read from its metadata.

Each buffer of a compressed batch is an int64, the decompressed size (-1 for uncompressed bytes), and the
compressed bytes. Their offsets are in the file's footer and in the message of each batch, which are flatbuffers;
pyarrow verifies those, but does not expose them. Source: https://arrow.apache.org/docs/format/Columnar.html (IPC),
File.fbs and Message.fbs of Arrow, and the flatbuffers internals.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowSizes", "PackedBuffer"]

END_MAGIC = b"ARROW1"
FOOTER_DICTIONARIES, FOOTER_BATCHES = 2, 3  # fields, as File.fbs and Message.fbs number them
MESSAGE_HEADER, DICTIONARY_DATA = 2, 1
BUFFERS, COMPRESSION, VARIADIC_COUNTS = 2, 3, 4
CODECS = ("lz4", "zstd")  # pyarrow's names for the codecs 0 and 1
BLOCK, BUFFER = 3, 2  # int64 in a block: place, size of the metadata, size of the body; in a buffer: place and size


class PackedBuffer(NamedTuple):
    """One buffer of a compressed batch: its bytes in the file, their codec ("" where none), and its size unpacked."""

    content: NDArray[np.uint8]
    codec: str
    size: int

    @property
    def memory(self) -> int:
        """The number of bytes needed to unpack: 0 for uncompressed bytes, which are mapped."""
        return self.size if self.codec else 0

    def unpacked(self) -> NDArray[np.uint8]:
        """Return its decompressed bytes, of which there must be `size`; pyarrow raises otherwise."""
        import pyarrow as pa

        if not self.codec or not self.size:
            return self.content[: self.size]
        packed = pa.py_buffer(self.content)
        return np.frombuffer(pa.Codec(self.codec).decompress(packed, decompressed_size=self.size), np.uint8)


class ArrowSizes:
    """The sizes of the buffers of an open Arrow file, `content`, once they are unpacked.

    Anything that does not fit together raises `ValueError`, as pyarrow does.
    """

    def __init__(self, content: NDArray[np.uint8], schema: "pa.Schema") -> None:
        self._content, self._schema = content, schema
        end = len(content) - len(END_MAGIC) - 4
        footer = _root(content[max(0, end - _number(content, end, "<i4")) : end])
        self._batches = footer.structs(FOOTER_BATCHES, BLOCK)
        self._dictionaries = footer.structs(FOOTER_DICTIONARIES, BLOCK)

    def dictionaries(self) -> int:
        """Return how many bytes all dictionaries of the file take that have to be unpacked."""
        total = 0
        for block in self._dictionaries:
            data = self._message(block).table(DICTIONARY_DATA)
            total += 0 if data is None else sum(buffer.memory for buffer in self._buffers(data, block))
        return total

    def columns(self, number: int) -> dict[str, list[PackedBuffer]]:
        """Return the buffers of each column of the batch `number`; none if the batch is not compressed."""
        batch = self._message(self._batches[number])
        buffers = list(self._buffers(batch, self._batches[number]))
        if not buffers:
            return {}
        variadic = iter(batch.numbers(VARIADIC_COUNTS, "<i8").tolist())
        counts = [_count(field.type, variadic) for field in self._schema]
        if sum(counts) != len(buffers):
            raise ValueError(f"batch {number} has {len(buffers)} buffers, expected {sum(counts)}")
        ends = np.cumsum(counts).tolist()
        return {
            field.name: buffers[end - count : end] for field, count, end in zip(self._schema, counts, ends, strict=True)
        }

    def _message(self, block: NDArray[np.int64]) -> "FlatTable":
        """Return the header of the message at a block of the footer."""
        place = int(block[0])
        length = _number(self._content, place, "<i4")
        begin = place + 4
        if length == -1:  # the length comes after it since Arrow 0.15
            length, begin = _number(self._content, begin, "<i4"), begin + 4
        header = _root(self._content[begin : begin + max(0, length)]).table(MESSAGE_HEADER)
        if header is None:
            raise ValueError(f"the message at byte {place} has no header")
        return header

    def _buffers(self, batch: "FlatTable", block: NDArray[np.int64]) -> Iterator[PackedBuffer]:
        """Yield the buffers of a batch whose message is at `block`; none if it is not compressed."""
        compression = batch.table(COMPRESSION)
        if compression is None:
            return
        place = compression.place_of(0)
        number = 0 if place is None else _number(compression.data, place, "i1")
        if not 0 <= number < len(CODECS):
            raise ValueError(f"unknown compression codec {number}")
        codec = CODECS[number]
        body = int(block[0]) + (int(block[1]) & 0xFFFFFFFF)  # 32 bits and padding
        for offset, length in batch.structs(BUFFERS, BUFFER).tolist():
            content = self._content[max(0, body + offset) :][: max(0, length)]
            size = _number(content, 0, "<i8") if len(content) >= 8 else 0
            is_packed = size != -1
            yield PackedBuffer(content[8:], codec if is_packed else "", max(0, size) if is_packed else len(content) - 8)


class FlatTable(NamedTuple):
    """A table of a flatbuffer: where in `data` it begins."""

    data: NDArray[np.uint8]
    place: int

    def place_of(self, field: int) -> int | None:
        """Return the position of a field, or None if it is absent."""
        offsets = self.place - _number(self.data, self.place, "<i4")
        slot = 4 + 2 * field
        if slot >= _number(self.data, offsets, "<u2"):
            return None
        offset = _number(self.data, offsets + slot, "<u2")
        return self.place + offset if offset else None

    def table(self, field: int) -> "FlatTable | None":
        """Return the table that a field holds."""
        place = self.place_of(field)
        return None if place is None else FlatTable(self.data, place + _number(self.data, place, "<u4"))

    def numbers(self, field: int, code: str, width: int = 1) -> NDArray[Any]:
        """Return the vector that a field holds, of elements of `width` numbers of a dtype."""
        place = self.place_of(field)
        if place is None:
            return np.empty(0, code)
        begin = place + _number(self.data, place, "<u4")
        return np.frombuffer(self.data, code, _number(self.data, begin, "<u4") * width, begin + 4)

    def structs(self, field: int, width: int) -> NDArray[np.int64]:
        """Return the vector of structs of `width` int64 that a field holds, as (count, width)."""
        return self.numbers(field, "<i8", width).reshape(-1, width)


def _root(data: NDArray[np.uint8]) -> FlatTable:
    return FlatTable(data, _number(data, 0, "<u4"))


def _number(data: NDArray[np.uint8], place: int, code: str) -> int:
    return int(np.frombuffer(data, code, 1, place)[0])  # raises ValueError where it is not inside


def _count(kind: "pa.DataType", variadic: Iterator[int]) -> int:
    """Return how many buffers an array of a type has; `variadic` are those that views of text have more, in order."""
    import pyarrow as pa

    kinds = pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _count(kind.storage_type, variadic)
    if kinds.is_dictionary(kind):
        return 2
    if kinds.is_string_view(kind) or kinds.is_binary_view(kind):
        return 2 + next(variadic, 0)
    own = 2  # which numbers are known, and the numbers
    if kinds.is_null(kind) or kinds.is_run_end_encoded(kind):
        own = 0
    elif kinds.is_struct(kind) or kinds.is_fixed_size_list(kind) or (kinds.is_union(kind) and kind.mode == "sparse"):
        own = 1
    elif str(kind) in ("string", "large_string", "binary", "large_binary") or "list_view" in str(kind).split("<")[0]:
        own = 3
    return own + sum(_count(kind.field(child).type, variadic) for child in range(kind.num_fields))
