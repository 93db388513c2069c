"""`rowspace encode --on`: the vectors of many files, part by part."""

import json
import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from rowspace._base.plural import plural
from rowspace.cli.output import message, print_json, print_line
from rowspace.cli.progress.encode import encode_reporter, text_rate
from rowspace.errors import UsageError
from rowspace.files.remote import is_url

if TYPE_CHECKING:
    from rowspace.scale import PartsResult
    from rowspace.text.corpus import BadRow

__all__ = ["report_bad_rows", "run_parts"]

_NAMED = 5  # rows without a text


def run_parts(  # the options of the command
    files: list[str],
    table: str,
    output: str | None,
    *,
    on: Literal["processes", "ray", "dask"],
    is_resumed: bool,
    as_json: bool,
    parts: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Encode parts and print a summary.

    Args:
        files: Files, folders, patterns and URLs.
        table: The path or URL of the table.
        output: The folder or URL of the vectors.
        on: Where parts are encoded.
        is_resumed: Whether --resume was given, which is not needed.
        as_json: Print a JSON document.
        parts: The fields of `PartsOptions`, the size in megabytes.
        options: The options of the encoder that were given, and `workers`.

    Raises:
        UsageError: The output or an option does not fit.
    """
    from rowspace.encode import Encoder  # not needed for help
    from rowspace.scale import PartsOptions, encode_parts

    if output is None:
        raise UsageError("--on saves vectors in a folder or at a URL; name it with -o")
    stem, dot, suffix = output.rpartition(".")
    if f"{dot}{suffix}" in (".npy", ".parquet", ".lance"):
        raise UsageError(f"--on saves a folder of Parquet files, and {output} is the name of a file; try -o {stem}")
    if is_resumed:
        raise UsageError("--resume is not needed with --on: the same command again encodes what is missing")
    size = parts.pop("part_megabytes") or PartsOptions.part_bytes / 1e6
    workers = options.pop("workers", None)
    with encode_reporter() as progress:
        result = encode_parts(
            Encoder.load(table, **options),
            files,
            output,
            options=PartsOptions(**parts, part_bytes=int(size * 1e6)),
            on=on,
            workers=workers,
            on_progress=progress.on_progress,
        )
    if as_json:
        print_json({"table": table, **result._asdict(), "bad_rows": [row._asdict() for row in result.bad_rows]})
        return
    report_bad_rows(result.bad_rows, result.bad)
    for line in _summary(result):
        print_line(line)


def report_bad_rows(rows: "Sequence[BadRow]", count: int) -> None:
    """Name the first rows without a text, and count the others."""
    for row in rows[:_NAMED]:
        message(f"{row.place}: {row.problem}; its vector is zeros")
    if count > _NAMED:
        message(f"and {plural(count - _NAMED, 'more row')} without a text, whose vectors are zeros")


def _summary(result: "PartsResult") -> Iterator[str]:
    """Yield the lines of the summary."""
    skipped = result.parts - result.new_parts
    yield f"{plural(result.texts, 'text')} × {result.dim} {result.dtype} in {plural(result.parts, 'part')}"
    if skipped:
        yield f"{plural(skipped, 'part')} of an earlier run, {result.new_parts:,} of this one"
    if result.new_texts:
        yield f"encoding took {result.seconds:.1f} s at {text_rate(result.new_texts, result.seconds)}"
    code = f"import pyarrow.dataset as ds; print(ds.dataset({json.dumps(result.out)}).head(3))"
    yield f"saved in {result.out}" + ("" if is_url(result.out) else f"; try: python -c {shlex.quote(code)}")
