"""`rowspace fit`: learn a table from text.

Its options are the fields of `FitOptions`, `TextOptions` and `TokenizerOptions`. Only options that are given are passed
on, so that `--resume` needs none.
"""

import time
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace.cli.arguments import AsJson, Corpus
from rowspace.cli.dataclass_options import with_options_of
from rowspace.cli.interruption import cleanup_on_interrupt
from rowspace.cli.output import message, print_json, print_line
from rowspace.cli.progress.fit import progress_reporter
from rowspace.cli.summaries.fit import document, summary
from rowspace.errors import UsageError
from rowspace.files.remote import path_or_url
from rowspace.learn.options import FitOptions
from rowspace.text import TextOptions, TokenizerOptions

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["corpus_of", "default_output", "fit"]

COMPRESSIONS = frozenset({".gz", ".xz", ".zst", ".bz2"})


@with_options_of({"Learning": FitOptions, "Words and sentences": TextOptions, "Tokens": TokenizerOptions})
def fit(
    corpus: Corpus = None,
    *,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Where to save the table.  [default: CORPUS-table]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted fit of this output.")] = False,
    init: Annotated[
        str | None,
        typer.Option("--init", help="A table to continue from: its rows are learned further, and new words are added."),
    ] = None,
    on: Annotated[
        Literal["processes", "ray", "dask"] | None,
        typer.Option(
            help="Count the words of the text part by part, by processes of this machine or a cluster; rows are "
            "learned here.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Learn a table from text: a row for each word or token.

    Ctrl-C (or SIGTERM) saves the table learned so far; --resume continues with the same text and options.

    Example:
      rowspace fit my-text.txt -o my-table
      rowspace fit articles/ more.txt.xz --dim 300 --epochs 10 -o big-table
      rowspace fit my-text.txt --tokens bpe --vocabulary-size 8000 -o my-pieces
      rowspace fit --resume -o big-table
      rowspace fit more-text.txt --init my-table -o my-larger-table
      rowspace fit 's3://bucket/text/*.zst' -o my-table --on ray
    """
    options = {name: value for name, value in options.items() if value is not None}
    names = corpus or []
    if "" in names:
        raise UsageError("the name of a corpus is empty; give a file, a folder, a pattern or -")
    if output == "":
        raise UsageError("-o is empty; give the folder to save the table in")
    output = output or default_output(names, "table", resume=resume)
    if resume and names:
        message("the interrupted fit continues with the text that it has read; CORPUS is ignored")
    began = time.monotonic()
    if init == "":
        raise UsageError("--init is empty; give the folder or file of a table")
    if on is not None and (resume or not names):
        raise UsageError(f"--on is for a text that is read; {'leave it out with --resume' if resume else 'name files'}")
    how = {name: value for name, value in {"init": init, "on": on}.items() if value is not None}
    table = _fit(names, output, resume=resume, options=options | how)
    seconds = time.monotonic() - began
    if as_json:
        print_json(document(output, table, seconds))
    else:
        for line in summary(output, table, seconds):
            print_line(line)


def _fit(names: list[str], output: str, *, resume: bool, options: Mapping[str, Any]) -> "Table":
    """Run the fit and show its progress."""
    from rowspace.learn import Reports  # not needed for help
    from rowspace.learn.fit import fit as learn_table
    from rowspace.learn.warm import warm_fit
    from rowspace.text import corpus_bytes

    corpus = corpus_of(names)
    total = None if resume or corpus is None else corpus_bytes(corpus)
    if total is not None and "phrases" in options:
        total *= 3  # to find phrases, to count them, and to use those that are frequent
    elif total is not None and TokenizerOptions(options.get("tokens", "words")).reads_text:
        total *= 2  # once to train the tokenizer, once to use it
    # Compiled now, kernels neither delay the progress bars nor count as learning time.
    warm_fit(subwords=options.get("subwords", False))
    with cleanup_on_interrupt(), progress_reporter(total) as progress:
        reports = Reports(
            on_bytes=progress.on_bytes,
            on_vocabulary=progress.on_vocabulary,
            on_lowered_rate=_report_lowered_rate,
            on_progress=progress.on_progress,
        )
        if "on" in options:
            from rowspace.scale import fit_parts

            return fit_parts(corpus or [], output=output, reports=reports, **options)
        return learn_table(corpus, output=output, resume=resume, reports=reports, **options)


def _report_lowered_rate(alpha: float, default: float) -> None:
    message(f"alpha starts at {alpha:g}, since the fit would diverge at the default {default:g}; --alpha overrides it")


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
