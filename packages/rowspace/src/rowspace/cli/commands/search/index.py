"""`rowspace index`: files or records → an index for `rowspace search`."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.output import message, print_json, shown
from rowspace.errors import UsageError, missing_file
from rowspace.files.foreign import hub_hint
from rowspace.files.hub import local_path
from rowspace.files.remote import is_url
from rowspace.search.options import IndexOptions
from rowspace.text.corpus.records import RECORD_NAMES, has_records

if TYPE_CHECKING:
    from rowspace.search import Index, Summary

__all__ = ["index"]

_NAMED = 20  # files that their parser could not read
_NAMED_UNKNOWN = 3  # files with many words that have no row


@with_options_of({"Passages": IndexOptions})
def index(  # noqa: PLR0913  # what to index, and how
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE",
            help="Files and folders, or files of records; the default is all that the index has.",
            show_default=False,
        ),
    ] = None,
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="The index: a folder, or s3://BUCKET/PATH.")],
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="The table that encodes passages.  [default: that of the index, or one made once from a sentence "
            "encoder that is installed, else from the standard library of this Python]",
            show_default=False,
        ),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="A sentence encoder of transformers that encodes passages, instead of a table: better answers to "
            "questions, and 5 to 10 passages a second on a core.",
            show_default=False,
        ),
    ] = None,
    download: Annotated[
        bool,
        typer.Option(
            "--download", help="Fetch --table or --encoder from the Hugging Face Hub first, such as org/name."
        ),
    ] = False,
    column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of records, the column of texts.  [default: text]", show_default=False),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of records, the column of ids.  [default: id, or the numbers of lines]",
            show_default=False,
        ),
    ] = None,
    title_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of records, the column of titles.  [default: none]", show_default=False),
    ] = None,
    on: Annotated[
        Literal["processes", "ray", "dask"] | None,
        typer.Option(
            help="Build the index by processes of this machine or by a cluster; of files, not of records.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="How many workers build the index; processes without --on.  [default: one per core]",
            show_default=False,
        ),
    ] = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build the index again, with the given files only.")] = (
        False
    ),
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Name the files and folders that are left out, each with the reason.")
    ] = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Index text, documents, source code or records for a search.

    A later run reads only files that are new or have changed, and removes those that no longer exist. Files that
    .gitignore excludes, names that begin with a dot, lock files, minified and binary files are left out; --verbose
    names all of them.

    Files whose names end in .jsonl, .ndjson, .csv, .tsv or .parquet, perhaps compressed, have records if they are named
    themselves: each record has a text, an id, and other columns, by which rowspace search can filter.

    Example:
      rowspace index src docs -o my-index
      rowspace index -o my-index
      rowspace index docs --encoder a-sentence-encoder -o my-index
      rowspace index s3://bucket/docs -o s3://bucket/index --on ray
      rowspace index books.csv --column description --title-column title -o my-books
    """
    given = {"column": column, "id_column": id_column, "title_column": title_column}
    columns = {name: value for name, value in given.items() if value is not None}
    if (on or workers) and not rebuild and _has_index(output):
        message(f"{output} is updated by one process, so --on and --workers have no effect")
    with cleanup_on_interrupt():
        build = partial(_build, on=on or ("processes" if workers else None), workers=workers)
        run = build if rebuild else partial(_update, build=build)
        built = run(files or [], output, _path_of(table, encoder, download=download), options, columns)
    summary = built.summary
    if as_json:
        print_json({"index": output, **vars(summary)})
    else:
        _report_problems(summary.problems)
        for path, reason in sorted(summary.left_out.items() if verbose else ()):
            message(f"{shown(path)}: left out: {reason}")
        if summary.unknown:
            message(_unknown_sentence(summary, _noun(built)))
        message(_sentence(output, summary, _noun(built)))


def _has_index(output: str) -> bool:
    from rowspace.search import Index

    return Index.exists(output)


def _report_problems(problems: dict[str, str]) -> None:
    """Name the files that their parser could not read."""
    for path, problem in list(problems.items())[:_NAMED]:
        message(f"{shown(path)}: {problem}")
    if len(problems) > _NAMED:
        message(f"and {plural(len(problems) - _NAMED, 'more file')}; --json names all")


def _path_of(table: str | None, encoder: str | None, *, download: bool) -> str | None:
    """Return the path of the table or the encoder, if one is given; it must be of this kind."""
    from rowspace.encode.modes import check_static, is_contextual_at

    if table is not None and encoder is not None:
        raise UsageError("--table and --encoder both encode passages; give one of them")
    name = encoder or table
    if name is None:
        if download:
            raise UsageError(
                "--download needs --table or --encoder with a name of the Hugging Face Hub, such as org/name"
            )
        return None
    path = Path(local_path(name, download=download))
    is_on_hub = bool(hub_hint(name))
    if not path.exists() and (is_on_hub or encoder is not None):
        fetch = ", or fetch it from the Hugging Face Hub with --download" if is_on_hub else ""
        raise missing_file(name, f"check the path{fetch}")
    if encoder is None:
        check_static(path, option="--encoder in place of --table")
    elif not is_contextual_at(path):
        raise UsageError(f"{path} is not a sentence encoder of transformers; give a table with --table")
    return str(path)


Builder = Callable[[list[str], str, str | None, dict[str, int], dict[str, str]], "Index"]


def _update(  # what to index, how, and what builds it if there is none
    files: list[str],
    output: str,
    encoder: str | None,
    options: dict[str, int],
    columns: dict[str, str],
    *,
    build: Builder,
) -> "Index":
    """Update the index, or build it if there is none."""
    from rowspace.cli.default_table import open_index
    from rowspace.cli.progress.encode import CountReporter
    from rowspace.search import Index

    if not Index.exists(output):
        return build(files, output, encoder, options, columns)
    found = open_index(output, encoder)
    kinds = {"column": "text", "id_column": "id", "title_column": "title"}
    known = vars(found.settings) | {name: getattr(found.settings.records, kind, None) for name, kind in kinds.items()}
    for name, value in (options | columns).items():
        if known[name] != value:
            if files and not len(found):  # the first build has ended at a damaged record
                return build(files, output, encoder, options, columns)
            option = name.replace("_", "-")
            how = f"without --{option}" if known[name] is None else f"with --{option} {known[name]}"
            raise UsageError(f"{output} was built {how}; to change it, build it again with --rebuild")
    if found.settings.records is None and (records := _records_of(files)):
        raise UsageError(f"{output} has files and {records[0]} has records; index them separately")
    found.update(files or None, on_progress=CountReporter(_noun(found)))
    return found


def _build(  # what to index, how, and where
    files: list[str],
    output: str,
    encoder: str | None,
    options: dict[str, int],
    columns: dict[str, str],
    *,
    on: Literal["processes", "ray", "dask"] | None,
    workers: int | None,
) -> "Index":
    from rowspace.cli.default_table import index_table_path
    from rowspace.cli.progress.encode import CountReporter
    from rowspace.search import Index

    if not files:
        raise UsageError("name files or folders to index, for example: rowspace index src docs -o my-index")
    records = _records_of(files, arrays=bool(columns))
    if records and len(records) < len(files):
        other = next(file for file in files if file not in records)
        raise UsageError(f"{records[0]} has records and {other} does not; index them separately")
    if columns and not records:
        option = next(iter(columns)).replace("_", "-")
        names = ", ".join((*RECORD_NAMES, ".json"))
        raise UsageError(f"--{option} is for records, whose names end in {names}, not {files[0]}")
    if records and on is not None:
        raise UsageError(f"{records[0]} has records, which one process indexes; leave out --on and --workers")
    Index.check_target(output)
    if encoder is None:
        encoder = index_table_path()
    chosen = IndexOptions(**options)
    if on is not None:
        from rowspace.scale import build_index

        reporter = CountReporter("file")
        return build_index(files, encoder, output, options=chosen, on=on, workers=workers, on_progress=reporter)
    if not records:
        return Index.build(files, encoder, output, options=chosen, on_progress=CountReporter("file"))
    return Index.build_records(files, encoder, output, **columns, options=chosen, on_progress=CountReporter("record"))


def _records_of(files: list[str], *, arrays: bool = False) -> list[str]:
    """Return the files that have records, by their names."""
    return [file for file in files if has_records(file, arrays=arrays) and (is_url(file) or not Path(file).is_dir())]


def _noun(index: "Index") -> str:
    return "file" if index.settings.records is None else "record"


def _sentence(output: str, summary: "Summary", noun: str) -> str:
    counts = {name: getattr(summary, name) for name in ("added", "changed", "removed", "unchanged")}
    files = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number) or "none"
    skipped = ", ".join(f"{number:,} {reason}" for reason, number in sorted(summary.skipped.items()))
    left_out = f"; left out: {skipped}" if skipped else ""
    return f"{noun}s: {files}{left_out}; {output} has {plural(summary.chunks, 'passage')}; {summary.seconds:.1f} s"


def _unknown_sentence(summary: "Summary", noun: str) -> str:
    """Say which files or records have many words that the table or the encoder does not know."""
    named = list(summary.unknown.items())[:_NAMED_UNKNOWN]
    more = len(summary.unknown) - len(named)
    listed = ", ".join(f"{shown(path)} ({share:.0%})" for path, share in named)
    return (
        f"in one passage from the middle of each {noun}, {summary.unknown_share:.0%} of the letters are in words that "
        f"the vectors do not cover, and more than 20% in {plural(len(summary.unknown), noun)}: {listed}"
        f"{f', and {more:,} more, which --json names' if more else ''}; another --table or --encoder may fit better"
    )
