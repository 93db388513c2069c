"""Vectors → parts in Arrow files → one Parquet file or Lance dataset.

A Parquet file cannot be continued after a kill; complete parts can be kept. At the end they are copied
record batch by record batch.
"""

import json
import os
import shutil
import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from rowspace._base import in_batches
from rowspace._base.atomic import atomic_file, atomic_folder
from rowspace.encode.stream.bad_rows import BadRows
from rowspace.encode.stream.columns import joined
from rowspace.encode.stream.sink import Mark, Sink, SinkOptions
from rowspace.errors import FileFormatError, reason_of
from rowspace.text.characters import clean

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KEY", "LANCE_CONTENTS", "LANCE_MARKER", "LanceSink", "ParquetSink", "bad_rows_metadata", "grouped"]

KEY = "rowspace"  # of the metadata of a Parquet file

LANCE_MARKER = "_versions"
LANCE_CONTENTS = frozenset({"data", "_transactions", "_deletions", "_indices"})
BYTES_PER_GROUP = 1 << 25
AT_ONCE = 1 << 20


class _ArrowSink(Sink):
    """Writes parts, each complete at a commit; its mark is their number, with the checksum of each file.

    Args:
        options: What to write.
        mark: The parts to keep of an earlier run; None to start without.

    Raises:
        FileFormatError: A part is missing or damaged.
    """

    def __init__(self, options: SinkOptions, mark: Mark | None) -> None:
        import pyarrow as pa

        self.folder, self.width, self.columns = options.folder, options.width, options.columns
        self.bad = options.bad
        vector = pa.list_(pa.from_numpy_dtype(options.dtype), options.width)
        text = [pa.field("text", pa.string())] if options.keeps_text else []
        self.schema = pa.schema([*text, pa.field(options.vector_column, vector)])
        self.checksums = list[int]()  # of the complete parts
        self._writer: Any = None
        self._file: BinaryIO | None = None
        for path in options.folder.glob("part-*.arrow"):
            if int(path.stem.removeprefix("part-")) >= (mark.size if mark else 0):
                path.unlink()
        for number in range(mark.size if mark else 0):
            if not self._part(number).is_file():
                raise FileFormatError(f"{self._part(number)} is missing; start again without resume")
            self.checksums.append(_checksum(self._part(number)))
            if mark and mark.checksums is not None and (*mark.checksums, None)[number] != self.checksums[-1]:
                raise _damaged(self._part(number), "its checksum differs")

    def write(self, texts: Sequence[str | None], vectors: NDArray[Any]) -> None:
        """Append a record batch to the current part."""
        import pyarrow as pa

        if self._writer is None:
            self._file = self._part(len(self.checksums)).open("wb")
            self._writer = pa.ipc.new_file(self._file, self.schema)
        values = pa.array(np.ascontiguousarray(vectors).reshape(-1))
        columns = [pa.FixedSizeListArray.from_arrays(values, self.width)]
        if len(self.schema) == 2:
            columns.insert(0, pa.array([None if text is None else clean(text) for text in texts], pa.string()))
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self.schema))

    def commit(self) -> Mark:
        """Complete the current part, and return the number of parts with their checksums."""
        if self._writer is not None and self._file is not None:
            self._writer.close()
            self._file.flush()
            os.fsync(self._file.fileno())
            self.close()
            self.checksums.append(_checksum(self._part(len(self.checksums))))
        return Mark(len(self.checksums), tuple(self.checksums))

    def finish(self, target: Path, on_rows: Callable[[int], None]) -> None:
        """Copy all parts into the output."""
        import pyarrow as pa

        self.commit()
        if self.columns is None:
            self.copy(self._batches(on_rows), self.schema, target)
        else:
            schema = pa.schema([*self.columns.schema, *self.schema])
            self.copy(joined(self.columns.batches(), self._batches(on_rows)), schema, target)

    @abstractmethod
    def copy(self, batches: "Iterator[pa.RecordBatch]", schema: "pa.Schema", target: Path) -> None:
        """Write record batches to `target`."""

    def close(self) -> None:
        """Close the current part."""
        if self._file is not None:
            self._file.close()
        self._writer = self._file = None

    def _part(self, number: int) -> Path:
        return self.folder / f"part-{number:06}.arrow"

    def _batches(self, on_rows: Callable[[int], None]) -> "Iterator[pa.RecordBatch]":
        """Yield the record batches of all parts, and report how many rows were taken before."""
        import pyarrow as pa

        rows = 0
        for number in range(len(self.checksums)):
            try:
                with pa.OSFile(str(self._part(number))) as file, pa.ipc.open_file(file) as reader:
                    for place in range(reader.num_record_batches):
                        batch = reader.get_batch(place)
                        yield batch
                        rows += len(batch)
                        on_rows(rows)
            except (pa.ArrowException, OSError) as error:
                raise _damaged(self._part(number), reason_of(error)) from error


def _damaged(path: Path, reason: str) -> FileFormatError:
    return FileFormatError(f"{path} is damaged ({reason}); start again without resume")


def _checksum(path: Path) -> int:
    checksum = 0
    with path.open("rb") as file:
        while block := file.read(AT_ONCE):
            checksum = zlib.crc32(block, checksum)
    return checksum


class ParquetSink(_ArrowSink):
    """Parts become a Parquet file, in row groups of about 32 MB."""

    def copy(self, batches: "Iterator[pa.RecordBatch]", schema: "pa.Schema", target: Path) -> None:
        """Write a Parquet file."""
        from pyarrow import Table, parquet

        with (
            atomic_file(target) as file,
            parquet.ParquetWriter(file, schema, use_dictionary=schema.names[:-1] if self.columns else False) as writer,
        ):
            for group in grouped(batches):
                writer.write_table(Table.from_batches(group, schema))
            writer.add_key_value_metadata(bad_rows_metadata(self.bad))


def bad_rows_metadata(bad: BadRows) -> dict[str, str]:
    """Return the metadata of a Parquet file that has the rows without a text, if there are any."""
    return {KEY: json.dumps({"bad": bad.count, "bad_rows": bad.first})} if bad.count else {}


class LanceSink(_ArrowSink):
    """Parts become a Lance dataset, which `lancedb.connect(FOLDER).open_table(NAME)` opens."""

    def copy(self, batches: "Iterator[pa.RecordBatch]", schema: "pa.Schema", target: Path) -> None:
        """Write a Lance dataset in the run folder, and move its files to a folder next to the target."""
        import lance
        import pyarrow as pa

        dataset = self.folder / "lance"
        shutil.rmtree(dataset, ignore_errors=True)  # of a killed run
        lance.write_dataset(pa.RecordBatchReader.from_batches(schema, batches), dataset)
        with atomic_folder(target, marker=LANCE_MARKER, contents=LANCE_CONTENTS) as folder:
            for entry in dataset.iterdir():
                entry.rename(folder / entry.name)


def grouped(batches: "Iterator[pa.RecordBatch]") -> "Iterator[list[pa.RecordBatch]]":
    """Yield record batches in lists of at least `BYTES_PER_GROUP`, except the last."""
    return in_batches(batches, lambda batch: batch.nbytes, BYTES_PER_GROUP)
