"""`rowspace encode`: the vectors of texts, into a file or as JSON lines.

Its options are the fields of `EncodeOptions`. Only options that are given are passed on, so that the mode of a model's
own library applies otherwise.
"""

import json
import shlex
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.commands.encode.parts import report_bad_rows, run_parts
from rowspace.cli.output import print_json, print_line
from rowspace.cli.progress.encode import encode_reporter, text_rate
from rowspace.encode.options import EncodeOptions
from rowspace.errors import UsageError
from rowspace.files.remote import is_url, path_or_url

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rowspace.encode import ContextualEncoder, Encoder, StreamOptions, StreamResult

__all__ = ["encode"]

MANY_UNKNOWN = 0.2  # share of the tokens from which the summary gives advice
# The Python that opens an output of each kind; names are inserted as JSON strings.
NEXT_STEPS = {
    ".npy": 'import numpy; print(numpy.load({path}, mmap_mode="r").shape)',
    ".parquet": "import pyarrow.parquet as pq; print(pq.read_schema({path}))",
    ".lance": "import lance; print(lance.dataset({path}).schema)",
}


@with_options_of({"Vectors": EncodeOptions})
def encode(  # noqa: PLR0913  # what to encode, where to, and how
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE",
            help="Files with a text per line (.gz, .xz, .bz2 and .zst too), files with records (JSON lines or "
            "arrays, CSV, Parquet), folders, patterns, URLs such as s3://bucket/folder, or - for standard input.",
            show_default=False,
        ),
    ],
    *,
    table: Annotated[
        str,
        typer.Option(
            metavar="TABLE",
            help="A table with a tokenizer, in any format: a folder saved by rowspace "
            "fit, model2vec or sentence-transformers, a checkpoint, ...",
            show_default=False,
        ),
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            help="Where to save: a name that ends in .npy, .parquet or .lance (the first two may be URLs); with --on, "
            "a folder or the URL of one; without it, JSON lines are printed, with texts or the columns of records.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(help="The column with the text, in files with records (JSON, CSV, Parquet).", show_default=False),
    ] = None,
    keep_text: Annotated[
        bool,
        typer.Option(
            "--text/--no-text", help="Save the texts, too, in .parquet and .lance; all other columns are kept there."
        ),
    ] = True,
    vector_column: Annotated[
        str, typer.Option(metavar="NAME", help="The column of the vectors, in .parquet, .lance and JSON lines.")
    ] = "vector",
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted run of this output.")] = False,
    on: Annotated[
        Literal["processes", "ray", "dask"] | None,
        typer.Option(
            help="Encode each file, and ranges of rows of large Parquet files, as a part with a file of its own, by "
            "processes of this machine or a cluster; a second run encodes what is missing.",
            show_default=False,
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Stop at a row without a text (null, damaged, not UTF-8); otherwise its vector is zeros, and the "
            "first of them are named.",
        ),
    ] = False,
    part_megabytes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --on, divide larger Parquet files into parts of this size.  [default: 256]",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Turn texts into vectors, one for each line of a file.

    Memory stays bounded for sources of any size. After Ctrl-C or a kill, the same command with --resume continues.

    Example:
      rowspace encode sentences.txt --table my-table -o vectors.npy
      rowspace encode reviews.jsonl.gz --column text --table a-model2vec-folder --normalize -o vectors.parquet
      rowspace encode questions.txt --table my-table --dim 8
      rowspace encode 's3://b/docs/*.parquet' --column text --table my-table -o s3://b/vectors/ --on ray
    """
    from rowspace.encode import Encoder, StreamOptions, encode_to  # not needed for help
    from rowspace.encode.stream import check_output

    if on is not None:
        parts = {
            "column": column,
            "keep_text": keep_text,
            "vector_column": vector_column,
            "strict": strict,
            "part_megabytes": part_megabytes,
        }
        with cleanup_on_interrupt():
            run_parts(files, table, output, on=on, is_resumed=resume, as_json=as_json, parts=parts, options=options)
        return
    if part_megabytes is not None:
        raise UsageError("--part-megabytes is for parts; give --on, such as --on processes")
    if output is None and (resume or as_json):
        raise UsageError(f"{'--resume' if resume else '--json'} is for a run that saves vectors; give -o")
    if output is not None:
        check_output(output)
    began = time.monotonic()
    encoder = Encoder.load(table, **options)
    stream = StreamOptions(column=column, keep_text=keep_text, vector_column=vector_column, strict=strict)
    if output is None:
        _print_vectors(encoder, files, stream)
        return
    with cleanup_on_interrupt(), encode_reporter() as progress:
        result = encode_to(
            encoder, _source(files), output, options=stream, resume=resume, on_progress=progress.on_progress
        )
    if as_json:
        print_json(_document(table, output, encoder, result))
    else:
        report_bad_rows(result.bad_rows, result.bad)
        for line in _summary(output, encoder, result, time.monotonic() - began):
            print_line(line)


def _source(names: Sequence[str]) -> str | list[PathLike[str]]:
    if "" in names:
        raise UsageError("the name of a file is empty; give a file, a folder, a pattern or -")
    for name in names:
        if (
            " " in name
            and not any(character in name for character in "*?[")
            and not (is_url(name) or Path(name).exists())
        ):
            raise UsageError(f"there is no file {name!r}; to encode a text, pipe it: echo TEXT | rowspace encode - ...")
    return names[0] if len(names) == 1 else list(map(path_or_url, names))


def _print_vectors(encoder: "Encoder | ContextualEncoder", names: Sequence[str], options: "StreamOptions") -> None:
    """Print a JSON object with each text, or all columns of its record, and its vector."""
    from rowspace.encode.stream import open_source
    from rowspace.encode.stream.bad_rows import BadRows, encode_texts
    from rowspace.encode.stream.columns import check_kept
    from rowspace.text.characters import clean

    check_kept("the output", {"text": None}, options.vector_column)
    bad = BadRows(strict=options.strict)
    source = open_source(_source(names), column=options.column, bad=bad)
    is_read_again = options.column is not None and source.total_bytes is not None
    records = _records([file.path for file in source.files], options) if is_read_again else None
    for texts in source.read(None):
        for text, vector in zip(texts, encode_texts(encoder, texts), strict=True):
            document = {"text": None if text is None else clean(text)} if records is None else next(records)
            print_json(document | {options.vector_column: _numbers(vector)}, indent=None)
    report_bad_rows(bad.first, bad.count)


def _records(files: Sequence[str], options: "StreamOptions") -> Iterator[dict[str, Any]]:
    """Yield the columns of the records of files."""
    from rowspace.encode.stream.columns import check_kept, columns_of
    from rowspace.text.characters import clean
    from rowspace.text.corpus import read_text_records
    from rowspace.text.corpus.pieces import is_parquet_file

    for name in files:
        if not is_parquet_file(name):
            for record in read_text_records(name, str(options.column)):
                check_kept(name, record.values, options.vector_column)
                yield json.loads(clean(json.dumps(record.values, ensure_ascii=False)))
        elif columns := columns_of([name], options.column, options.vector_column, keep_text=True):
            for batch in columns.batches():
                yield from batch.to_pylist()


def _numbers(vector: "NDArray[Any]") -> list[float]:
    """Return numbers that print with as few digits as their dtype needs."""
    return list(map(float, vector.astype(str))) if vector.dtype.kind == "f" else vector.tolist()


def _summary(
    output: str, encoder: "Encoder | ContextualEncoder", result: "StreamResult", seconds: float
) -> Iterator[str]:
    """Yield the lines of the summary."""
    report, new = encoder.report, result.texts - result.resumed_texts
    resumed = f", {new:,} of them in this run" if result.resumed_texts else ""
    form = f"{result.dim} {result.dtype}"
    if encoder.options.dtype in ("binary", "ubinary"):
        form = f"{plural(encoder.dim, 'bit')}, packed in {form}"
    yield f"{plural(result.texts, 'text')}{resumed} × {form}"
    advice = "; another table may fit this text better" if report.unknown_share > MANY_UNKNOWN else ""
    yield f"{plural(report.tokens, 'token')}, {100 * report.unknown_share:.1f} % out of vocabulary{advice}"
    yield f"encoding took {result.seconds:.1f} s at {text_rate(new, result.seconds)}, this command {seconds:.1f} s"
    yield f"saved in {output}" + ("" if is_url(output) else f"; try: python -c {shlex.quote(_next_step(output))}")


def _next_step(output: str) -> str:
    path = Path(output)
    names = {"path": output, "folder": str(path.parent), "stem": path.stem}
    return NEXT_STEPS[path.suffix.lower()].format(**{name: json.dumps(value) for name, value in names.items()})


def _document(
    table: str, output: str, encoder: "Encoder | ContextualEncoder", result: "StreamResult"
) -> dict[str, object]:
    """Return the summary as a JSON document."""
    report = encoder.report
    return {
        "table": table,
        "output": output,
        "texts": result.texts,
        "resumed_texts": result.resumed_texts,
        "bad": result.bad,
        "bad_rows": [row._asdict() for row in result.bad_rows],
        "dim": result.dim,
        "dtype": result.dtype,
        "tokens": report.tokens,
        "unknown_tokens": report.unknown_tokens,
        "scanned_share": round(report.scanned_share, 4),
        "seconds": round(result.seconds, 3),
        "texts_per_second": round((result.texts - result.resumed_texts) / max(1e-3, result.seconds)),
        "options": asdict(encoder.options),
        "fingerprint": encoder.fingerprint,
    }
