"""One part → its Parquet file: the columns of the part, and a column with the vectors of its texts."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from rowspace.encode.stream import StreamOptions, encode_to
from rowspace.encode.stream.arrow_sink import KEY, bad_rows_metadata, grouped
from rowspace.encode.stream.bad_rows import BadRows, VectorEncoder, encode_texts
from rowspace.encode.stream.columns import check_kept
from rowspace.errors import CorpusError, UsageError, reason_of
from rowspace.files.remote import path_or_url
from rowspace.scale.parts import Part, open_source_file
from rowspace.text.corpus import BadRow
from rowspace.text.corpus.parquet_column import check_text_column, text_column, texts_of
from rowspace.text.corpus.pieces import is_parquet_file
from rowspace.text.corpus.record_columns import column_names

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

__all__ = ["PartFacts", "PartsOptions", "facts_in", "vectors_of", "write_part"]

MAX_ROWS, MAX_BYTES = 1 << 14, 1 << 22  # of a record batch
BYTES_PER_GROUP = 1 << 23  # of a row group, several of which a writer has in memory


@dataclass(frozen=True)
class PartsOptions:
    """How parts are read and saved.

    Attributes:
        column: The column that holds the text, of files with records.
        keep_text: Whether the column of texts is kept.
        vector_column: The column of vectors.
        strict: As for `StreamOptions`.
        part_bytes: Parquet files of more bytes are divided into parts of about this size.
    """

    column: str | None = None
    keep_text: bool = True
    vector_column: str = "vector"
    strict: bool = False
    part_bytes: int = 1 << 28

    def __post_init__(self) -> None:
        if self.part_bytes < 1:
            raise UsageError(f"part_bytes must be at least 1, got {self.part_bytes}")
        StreamOptions(vector_column=self.vector_column)  # which checks it


class PartFacts(NamedTuple):
    """What is in the file of a part.

    Attributes:
        rows: The number of its rows.
        bad: How many have no text.
        bad_rows: The first of them.
        types: The types of its columns by name.
    """

    rows: int
    bad: int
    bad_rows: tuple[BadRow, ...]
    types: dict[str, str]


def write_part(encoder: VectorEncoder, part: Part, target: "Path", options: PartsOptions) -> PartFacts:
    """Write the file of a part.

    Args:
        encoder: Texts → vectors.
        part: A Parquet file or its row groups, whose columns are all kept; or a file of records, likewise; or a file of
            lines.
        target: The file to write.
        options: How to read and save.

    Raises:
        CorpusError: The file cannot be read.
        FileFormatError: If `strict`, a row is without a text.
        UsageError: A Parquet file has a column of vectors already, or no such column, or no column is named.
    """
    if not is_parquet_file(part.source):
        source: list[PathLike[str]] = [path_or_url(part.source)]
        stream = StreamOptions(
            column=options.column,
            keep_text=options.keep_text,
            vector_column=options.vector_column,
            strict=options.strict,
            seconds_between_saves=float("inf"),
        )
        encode_to(encoder, source, target, options=stream)
        return facts_in(target)
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with open_source_file(part.source) as opened, parquet.ParquetFile(opened, pre_buffer=False) as file:
            _ParquetPart(encoder, part, file, options).write(target)
    except (pa.ArrowException, EOFError) as error:
        raise CorpusError(f"{part.source!r} is a damaged Parquet file: {reason_of(error)}; write it again") from error
    return facts_in(target)


def facts_in(file: "Path | IO[bytes]") -> PartFacts:
    """Return the facts that the file of a part has."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(file) as opened:
        metadata, schema = opened.metadata, opened.schema_arrow
    stored = json.loads((metadata.metadata or {}).get(KEY.encode(), b"{}"))
    bad_rows = tuple(BadRow(*row) for row in stored.get("bad_rows", ()))
    types = {field.name: str(field.type) for field in schema}
    return PartFacts(metadata.num_rows, stored.get("bad", 0), bad_rows, types)


def vectors_of(encoder: VectorEncoder, texts: list[str | None]) -> "pa.FixedSizeListArray":
    """Return the vectors of texts as Arrow's lists of fixed size, zeros for None."""
    import pyarrow as pa

    vectors = encode_texts(encoder, texts)
    return pa.FixedSizeListArray.from_arrays(pa.array(vectors.reshape(-1)), vectors.shape[1])


class _ParquetPart:
    """A part of a Parquet file that is open."""

    def __init__(self, encoder: VectorEncoder, part: Part, file: "ParquetFile", options: PartsOptions) -> None:
        schema = file.schema_arrow
        if options.column is None:
            names = ", ".join(map(repr, schema.names[:8]))
            raise UsageError(f"{part.source!r} has the columns {names}; name the one with the text with --column")
        check_text_column(part.source, schema, options.column)
        omitted = None if options.keep_text else options.column
        check_kept(part.source, column_names(schema), options.vector_column, omitted)
        self.encoder, self.part, self.file, self.options, self.column = encoder, part, file, options, options.column
        first, end = part.groups or (0, file.metadata.num_row_groups)
        sizes = [file.metadata.row_group(number) for number in range(end)]
        self.groups = list(range(first, end))
        self.first_row = sum(group.num_rows for group in sizes[:first])
        self._bytes_per_row = sum(g.total_byte_size for g in sizes[first:]) / max(
            1, sum(g.num_rows for g in sizes[first:])
        )

    def write(self, target: "Path") -> None:
        """Write the columns and the vectors."""
        import pyarrow as pa
        from pyarrow import parquet

        example = self.encoder.encode([""])
        vector = pa.list_(pa.from_numpy_dtype(example.dtype), example.shape[1])
        schema = self._kept(self.file.schema_arrow.empty_table()).schema.append(
            pa.field(self.options.vector_column, vector)
        )
        bad = BadRows(strict=self.options.strict)
        with parquet.ParquetWriter(target, schema, use_dictionary=schema.names[:-1]) as writer:
            for group in grouped(self._batches(bad)):
                writer.write_table(pa.Table.from_batches(group, schema))
            writer.add_key_value_metadata(bad_rows_metadata(bad))

    def _batches(self, bad: BadRows) -> "Iterator[pa.RecordBatch]":
        """Yield record batches with vectors, and add the rows without a text to `bad`."""
        import pyarrow as pa

        example = self.encoder.encode([""])
        row_bytes = max(self._bytes_per_row, example.nbytes, 1)
        size = max(1, min(MAX_ROWS, int(MAX_BYTES / row_bytes)))
        row = self.first_row
        for batch in self.file.iter_batches(batch_size=size, row_groups=self.groups):
            texts, problems = texts_of(self.column, text_column(batch, self.column))
            for place, problem in problems:
                bad.add(BadRow(self.part.source, "row", row + place, problem))
            vectors = vectors_of(self.encoder, texts)
            kept = self._kept(batch)
            names = [*kept.schema.names, self.options.vector_column]
            yield pa.RecordBatch.from_arrays([*kept.columns, vectors], names)
            row += len(batch)

    def _kept(self, columns: Any) -> Any:
        """Return a table or a batch with the columns that are kept."""
        if self.options.keep_text:
            return _with_texts(columns, self.column)
        names = [name for name in self.file.schema_arrow.names if name != self.column]
        return columns.select(names)


def _with_texts(columns: Any, column: str) -> Any:
    """Return a table or a batch; if its text column has only nulls, it gets the type of texts that other parts have."""
    import pyarrow as pa

    names = columns.schema.names
    if column not in names or not pa.types.is_null(columns.schema.field(column).type):
        return columns
    return columns.set_column(names.index(column), column, pa.nulls(columns.num_rows, pa.string()))
