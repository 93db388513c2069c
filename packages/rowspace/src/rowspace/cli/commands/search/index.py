"""`rowspace index`: files → an index for `rowspace search`."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson
from rowspace.cli.dataclass_options import with_options_of
from rowspace.cli.interruption import cleanup_on_interrupt
from rowspace.cli.output import message, print_json, shown
from rowspace.errors import UsageError
from rowspace.files.hub import local_path
from rowspace.search.options import IndexOptions

if TYPE_CHECKING:
    from rowspace.encode import Encoder
    from rowspace.search import Summary

__all__ = ["index"]

_NAMED = 20  # files that their parser could not read
_NAMED_UNKNOWN = 3  # files with many words that have no row


@with_options_of({"Passages": IndexOptions})
def index(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILES", help="Files and folders; the default is all that the index has.", show_default=False
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
    download: Annotated[
        bool, typer.Option("--download", help="Fetch --table from the Hugging Face Hub first, such as org/name.")
    ] = False,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Build the index again, with the given files only.")] = (
        False
    ),
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Name the files and folders that are left out, each with the reason.")
    ] = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Index text, documents, notebooks and source code for a search.

    A later run reads only files that are new or have changed, and removes those that no longer exist. Files that
    .gitignore excludes, names that begin with a dot, lock files, minified and binary files are left out; --verbose
    names all of them.

    Example:
      rowspace index src docs -o my-index
      rowspace index -o my-index
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    with cleanup_on_interrupt():
        if table is not None:
            table = str(local_path(table, download=download))
        elif download:
            raise UsageError("--download needs --table with a name of the Hugging Face Hub, such as org/name")
        summary = _build(files or [], output, table, chosen) if rebuild else _update(files or [], output, table, chosen)
    if as_json:
        print_json({"index": output, **vars(summary)})
    else:
        _report_problems(summary.problems)
        for path, reason in sorted(summary.left_out.items() if verbose else ()):
            message(f"{shown(path)}: left out: {reason}")
        if summary.unknown:
            message(_unknown_sentence(summary))
        message(_sentence(output, summary))


def _report_problems(problems: dict[str, str]) -> None:
    """Name the files that their parser could not read."""
    for path, problem in list(problems.items())[:_NAMED]:
        message(f"{shown(path)}: {problem}")
    if len(problems) > _NAMED:
        message(f"and {plural(len(problems) - _NAMED, 'more file')}; --json names all")


def _update(files: list[str], output: str, table: str | None, options: dict[str, int]) -> "Summary":
    """Update the index, or build it if there is none."""
    from rowspace.encode import Encoder
    from rowspace.search import Index

    if not Index.exists(output):
        return _build(files, output, table, options)
    found = Index.open(output, None if table is None else Encoder.load(table))
    changed = [name for name, value in options.items() if getattr(found.settings, name) != value]
    if changed:
        option = changed[0].replace("_", "-")
        known = getattr(found.settings, changed[0])
        raise UsageError(f"{output} was built with --{option} {known}; to change it, build it again with --rebuild")
    return found.update(files or None, on_progress=_Reporter())


def _build(files: list[str], output: str, table: str | None, options: dict[str, int]) -> "Summary":
    from rowspace.search import Index

    if not files:
        raise UsageError("name files or folders to index, for example: rowspace index src docs -o my-index")
    Index.check_target(output)
    encoder, path = _open_encoder(table)
    built = Index.build(files, encoder, output, options=IndexOptions(**options), table=path, on_progress=_Reporter())
    return built.summary


def _open_encoder(table: str | None) -> "tuple[Encoder, str]":
    from rowspace.cli.default_table import index_table_path
    from rowspace.encode import Encoder

    path = index_table_path() if table is None else table
    return Encoder.load(path), path


def _sentence(output: str, summary: "Summary") -> str:
    counts = {name: getattr(summary, name) for name in ("added", "changed", "removed", "unchanged")}
    files = ", ".join(f"{number:,} {name}" for name, number in counts.items() if number) or "none"
    skipped = ", ".join(f"{number:,} {reason}" for reason, number in sorted(summary.skipped.items()))
    left_out = f"; left out: {skipped}" if skipped else ""
    return f"files: {files}{left_out}; {output} has {plural(summary.chunks, 'passage')}; {summary.seconds:.1f} s"


def _unknown_sentence(summary: "Summary") -> str:
    """Say which files have many words without a row."""
    named = list(summary.unknown.items())[:_NAMED_UNKNOWN]
    more = len(summary.unknown) - len(named)
    listed = ", ".join(f"{shown(path)} ({share:.0%})" for path, share in named)
    return (
        f"{summary.unknown_share:.0%} of the letters are in words without a row in the table, which vectors leave out, "
        f"and more than 20% in {plural(len(summary.unknown), 'file')}: {listed}"
        f"{f', and {more:,} more, which --json names' if more else ''}; another --table may fit better"
    )


class _Reporter:
    """The progress on standard error: a line that is written again on a terminal, a line at intervals elsewhere."""

    def __init__(self) -> None:
        from rowspace.cli.progress.pace import SECONDS_BETWEEN_LINES, Pace
        from rowspace.cli.progress.terminal import uses_bars

        self._is_terminal = uses_bars()
        self._pace = Pace(0.1 if self._is_terminal else SECONDS_BETWEEN_LINES)
        self._is_started = False

    def __call__(self, done: int, total: int) -> None:
        """Report the number of files done."""
        if self._pace.is_due(0):
            self._is_started = True
            if not self._is_terminal:
                message(f"read {done:,} of {plural(total, 'file')}")
                return
            print(f"\rread {done:,} of {plural(total, 'file')}", end="", file=sys.stderr, flush=True)
        if done == total and self._is_started and self._is_terminal:
            print(f"\r{' ' * 40}\r", end="", file=sys.stderr, flush=True)
