"""A file of texts and the lines or records to keep → a file of the same kind, with all columns."""

import csv
import io
import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_file, check_file_target
from rowspace.errors import UsageError
from rowspace.files.strict_json import finite
from rowspace.text.characters import utf8
from rowspace.text.corpus.file_types import csv_delimiter, suffix_of
from rowspace.text.corpus.pieces import is_parquet_file
from rowspace.text.corpus.records import FileRecord, csv_header, has_records, read_records

__all__ = ["JSON_LINES", "MAX_RECORD", "check_kept", "check_lines_target", "json_line", "write_kept"]

MAX_RECORD = 1 << 28  # bytes
JSON_LINES = (".jsonl", ".ndjson")


def check_kept(source: str, output: str, *, column: str | None) -> None:
    """Raise UsageError if the file `output` cannot hold lines or records of `source`."""
    check_lines_target(output)
    ending = suffix_of(output)
    if Path(output).resolve() == Path(source).resolve():
        raise UsageError(f"{output!r} is read, and what is left out would be lost; name another output")
    if column is not None and not (is_parquet_file(source) or has_records(source, arrays=True)):
        raise UsageError(f"{source!r} must be named for its records: JSON lines .jsonl, CSV .csv, an array .json")
    wanted = _endings(source, column)
    if wanted and ending not in wanted:
        raise UsageError(f"the output has the kind of {source!r}: its name must end in {' or '.join(wanted)}")


def check_lines_target(output: str) -> None:
    """Raise UsageError if `output` cannot be written, or is named as a compressed file."""
    check_file_target(output)
    ending = Path(output).suffix.lower()
    if ending != suffix_of(output):
        raise UsageError(f"the output is not compressed; leave out {ending} at the end of {output!r}")


def json_line(document: object) -> bytes:
    """Return a document as a line of JSON; numbers that JSON does not have (nan) become null, and dates texts."""
    return utf8(json.dumps(finite(document), ensure_ascii=False, default=str)) + b"\n"


def write_kept(
    source: str, output: str, kept: NDArray[np.bool_], *, column: str | None = None, texts: Sequence[str] = ()
) -> None:
    """Write the lines or records of a file that are kept; records keep all of their columns.

    Args:
        source: The path of a file with a text on each line; or, with `column`, of JSON lines, an array of JSON objects
            (written as JSON lines), CSV, TSV or Parquet.
        output: Where to write; replaced when all is written.
        kept: Whether each line or record is kept: (n,).
        column: The column of texts, of records.
        texts: Without a column, the lines.

    Raises:
        UsageError: The name of the output does not have the ending of its kind.
        FileFormatError: A record is damaged.
    """
    check_kept(source, output, column=column)
    with atomic_file(output) as file:
        if column is None:
            file.writelines(utf8(text) + b"\n" for text, keep in zip(texts, kept, strict=True) if keep)
        elif is_parquet_file(source):
            _filter_parquet(source, file, kept)
        else:
            records = read_records(source, limit=MAX_RECORD)
            written = (record for record, keep in zip(records, kept, strict=True) if keep)
            delimiter = csv_delimiter(source)
            lines = (json_line(record.values) for record in written)
            file.writelines(_csv(written, csv_header(source), delimiter) if delimiter else lines)


def _endings(source: str, column: str | None) -> tuple[str, ...]:
    if column is None:
        return ()
    if is_parquet_file(source):
        return (".parquet",)
    return (suffix_of(source),) if csv_delimiter(source) else JSON_LINES


def _csv(records: Iterator[FileRecord], names: list[str], delimiter: str) -> Iterator[bytes]:
    line = io.StringIO()
    writer = csv.writer(line, delimiter=delimiter, lineterminator="\n")
    rows = ([record.values.get(name, "") for name in names] for record in records)
    for row in filter(None, chain([names], rows)):
        writer.writerow(row)
        yield utf8(line.getvalue())
        line.seek(0)
        line.truncate()


def _filter_parquet(source: str, file: BinaryIO, kept: NDArray[np.bool_]) -> None:
    """Write the rows that are kept, with the schema of the source."""
    import pyarrow as pa
    from pyarrow import parquet

    with parquet.ParquetFile(source) as found, parquet.ParquetWriter(file, found.schema_arrow) as writer:
        row = 0
        for batch in found.iter_batches():
            writer.write_batch(batch.filter(pa.array(kept[row : row + len(batch)])))
            row += len(batch)
