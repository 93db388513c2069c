"""`rowspace fit`: learn a table from text.

Its options are the fields of `FitOptions`, `TextOptions` and `TokenizerOptions`. Only options that are given are passed
on, so that `--resume` needs none.
"""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace.cli.arguments import AsJson, Corpus, with_options_of
from rowspace.cli.fit_summary import document, summary
from rowspace.cli.output import message, print_json, print_line
from rowspace.cli.progress.fit import progress_reporter, report_lowered_rate
from rowspace.errors import RowspaceError, UsageError
from rowspace.files.remote import path_or_url
from rowspace.learn.options import FitOptions
from rowspace.text import TextOptions, TokenizerOptions

if TYPE_CHECKING:
    from rowspace.cli.progress.fit import Bars, Lines
    from rowspace.learn import Reports
    from rowspace.scale.fit.text_parts import Source
    from rowspace.table import Table

__all__ = ["corpus_of", "default_output", "fit"]

SECONDS_TO_PRINT = 1.0  # for the process that prints, since torchrun ends all processes when one has ended
COMPRESSIONS = frozenset({".gz", ".xz", ".zst", ".bz2"})


@with_options_of({"Learning": FitOptions, "Words and sentences": TextOptions, "Tokens": TokenizerOptions})
def fit(  # noqa: PLR0913  # the options of the command
    corpus: Corpus = None,
    *,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Where to save the table.  [default: CORPUS-table]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted fit of this output.")] = False,
    init: Annotated[
        str | None,
        typer.Option(
            "--init",
            metavar="TABLE",
            help="A table to continue from: its rows are learned further, and new words are added.",
        ),
    ] = None,
    on: Annotated[
        Literal["processes", "ray", "dask"] | None,
        typer.Option(
            help="Count the words of the text part by part, by processes of this machine or a cluster; rows are "
            "learned here, or with --machines there.",
            show_default=False,
        ),
    ] = None,
    machines: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="With --on ray: how many processes learn together, which Ray spreads over its machines.",
            rich_help_panel="Several machines",
            show_default=False,
        ),
    ] = None,
    merge_every: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Words that each process learns between two merges.  [default: 32768 for each thread]",
            rich_help_panel="Several machines",
            show_default=False,
        ),
    ] = None,
    first_rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Rows that each merge includes; each second one has twice as many.  [default: 2048]",
            rich_help_panel="Several machines",
            show_default=False,
        ),
    ] = None,
    merging: Annotated[
        Literal["mean", "adaptive"] | None,
        typer.Option(
            help="How rows are merged; adaptive, a sum of changes, is for dozens of processes.  [default: mean]",
            rich_help_panel="Several machines",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Learn a table from text: a row for each word or token.

    Ctrl-C (or SIGTERM) saves the table learned so far; --resume continues with the same text and options.
    Processes that torchrun starts (torchrun --nnodes 2 ... -m rowspace fit ...) learn together, each from its part; the
    same command with --resume continues after one of them has ended.

    Example:
      rowspace fit my-text.txt -o my-table
      rowspace fit articles/ more.txt.xz --dim 300 --epochs 10 -o big-table
      rowspace fit my-text.txt --tokens bpe --vocabulary-size 8000 -o my-pieces
      rowspace fit --resume -o big-table
      rowspace fit more-text.txt --init my-table -o my-larger-table
      rowspace fit 's3://bucket/text/*.zst' -o my-table --on ray
      rowspace fit /shared/text -o /shared/my-table --on ray --machines 4
    """
    began = time.monotonic()
    merges = {"merge_every": merge_every, "first_rows": first_rows, "merging": merging}
    how = {"init": init, "on": on, "machines": machines, **merges}
    options |= {name: value for name, value in how.items() if value is not None}
    names = corpus or []
    with _printed_once():
        _check(names, output, options, resume=resume)
        output = output or default_output(names, "table", resume=resume)
    if resume and names and "machines" not in options and not _is_one_of_several():
        message("the interrupted fit continues with the text that it has read; CORPUS is ignored")
    table = _fit(names, output, resume=resume, options=options)
    seconds = time.monotonic() - began
    if not _is_first():
        return
    if as_json:
        print_json(document(output, table, seconds))
    else:
        for line in summary(output, table, seconds):
            print_line(line)


def _check(names: list[str], output: str | None, given: Mapping[str, Any], *, resume: bool) -> None:
    """Raise `UsageError` for arguments that are empty or do not fit together."""
    if "" in names:
        raise UsageError("the name of a corpus is empty; give a file, a folder, a pattern or -")
    if output == "":
        raise UsageError("-o is empty; give the folder to save the table in")
    if given.get("init") == "":
        raise UsageError("--init is empty; give the folder or file of a table")
    if "machines" in given:
        _check_machines(names, given)
    elif "on" in given and (resume or not names):
        raise UsageError(f"--on is for a text that is read; {'leave it out with --resume' if resume else 'name files'}")
    if _is_one_of_several():
        alone = "--init" if "init" in given else "--on" if "on" in given else None
        if alone:
            raise UsageError(f"{alone} is for one process; leave it out, or leave out torchrun")
        if resume and not names:
            raise UsageError("several processes read the text again to resume a fit; name its files")
    elif "machines" not in given and not given.keys().isdisjoint({"merge_every", "first_rows", "merging"}):
        raise UsageError(
            "--merge-every, --first-rows and --merging are for several processes; start them with torchrun, or with "
            "--machines"
        )


def _check_machines(names: list[str], given: Mapping[str, Any]) -> None:
    """Raise `UsageError` for arguments that do not fit --machines."""
    if given.get("on") != "ray":
        raise UsageError("--machines is for processes that Ray starts; give --on ray, or start them with torchrun")
    if "init" in given:
        raise UsageError("--init is for one process; leave it out, or leave out --machines")
    if not names:
        raise UsageError("several machines read the text; name its files")


def _fit(names: list[str], output: str, *, resume: bool, options: Mapping[str, Any]) -> "Table":
    """Run the fit and show its progress."""
    from rowspace.cli.warm import warm_fit
    from rowspace.learn.fit import SILENT, fit as learn_table  # not needed for help
    from rowspace.text import corpus_bytes

    corpus = corpus_of(names)
    is_shared = _is_one_of_several() or "machines" in options
    total = None if resume or corpus is None or is_shared else corpus_bytes(corpus)
    if total is not None and "phrases" in options:
        total *= 3  # to find phrases, to count them, and to use those that are frequent
    elif total is not None and TokenizerOptions(options.get("tokens", "words")).reads_text:
        total *= 2  # once to train the tokenizer, once to use it
    # Compiled now, kernels neither delay the progress bars nor count as learning time.
    warm_fit(subwords=options.get("subwords", False))
    with cleanup_on_interrupt(), progress_reporter(total) if _is_first() else nullcontext() as progress:
        reports = SILENT if progress is None else _reports(progress)
        if _is_one_of_several():
            return _fit_on_machines(corpus or [], output, reports, {"resume": resume, **options})
        if "machines" in options:
            from rowspace.scale import fit_on_ray

            return fit_on_ray(
                corpus or [],
                output=output,
                resume=resume,
                reports=reports,
                **{name: value for name, value in options.items() if name != "on"},
            )
        if "on" in options:
            from rowspace.scale import fit_parts

            return fit_parts(corpus or [], output=output, reports=reports, **options)
        return learn_table(corpus, output=output, resume=resume, reports=reports, **options)


def _reports(progress: "Bars | Lines") -> "Reports":
    from rowspace.learn import Reports

    return Reports(
        on_bytes=progress.on_bytes,
        on_vocabulary=progress.on_vocabulary,
        on_lowered_rate=report_lowered_rate,
        on_progress=progress.on_progress,
    )


def corpus_of(names: list[str]) -> str | list[PathLike[str]] | None:
    """Return the corpus for `rowspace.fit`, which reads a list of strings as texts."""
    if not names:
        return None
    return names[0] if len(names) == 1 else list(map(path_or_url, names))


def default_output(names: list[str], kind: str, *, resume: bool) -> str:
    """Return CORPUS-table in the current folder, or CORPUS and another kind; raise `UsageError` if it exists."""
    output = f"{_stem(names[0]) if names else 'stdlib'}-{kind}"
    if Path(output).exists() and not resume:
        raise UsageError(f"{output!r} already exists; give -o {output} to replace it, or another name")
    return output


def _stem(name: str) -> str:
    """Return the name of a corpus without folders, suffixes and wildcards."""
    if name == "-":
        return "stdin"
    path = Path(name).resolve()
    if path.suffix in COMPRESSIONS:
        path = path.with_suffix("")
    return "".join(character for character in path.stem if character not in "*?[]") or "text"


def _is_one_of_several() -> bool:
    """Whether torchrun has started several processes."""
    return os.environ.get("WORLD_SIZE", "1") != "1"


def _is_first() -> bool:
    """Whether this is the first of the processes, or the only one."""
    return not _is_one_of_several() or os.environ.get("RANK") == "0"


@contextmanager
def _printed_once() -> Iterator[None]:
    """Let only the first process print why the call is wrong, which all of them find before they are connected."""
    try:
        yield
    except UsageError as error:
        if _is_first():
            raise
        time.sleep(SECONDS_TO_PRINT)
        raise UsageError("") from error  # of which nothing is printed


def _fit_on_machines(corpus: "Source", output: str, reports: "Reports", options: Mapping[str, Any]) -> "Table":
    """Learn a table with the other processes.

    Raises:
        RowspaceError: A process has failed; without a message if another one prints it.
    """
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # a lost connection is reported in one sentence
    from rowspace.scale import fit_machines
    from rowspace.scale.fit.machines import FailedElsewhere

    try:
        return fit_machines(corpus, output=output, reports=reports, **options)
    except FailedElsewhere as error:
        time.sleep(SECONDS_TO_PRINT)
        raise RowspaceError("") from error
