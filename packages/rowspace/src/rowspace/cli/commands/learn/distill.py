"""`rowspace distill`: a sentence encoder on disk → a table.

Its options are the fields of `DistillOptions`.
"""

import shlex
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.commands.learn.fit import corpus_of, default_output
from rowspace.cli.fit_summary import example_word
from rowspace.cli.output import print_json, print_line
from rowspace.errors import UsageError
from rowspace.learn.distillation.options import DistillOptions

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["distill"]


@with_options_of({"Distilling": DistillOptions})
def distill(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="The folder of a model of sentence-transformers or transformers, with safetensors."
        ),
    ],
    *,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="Where to save the table.  [default: MODEL-table]")
    ] = None,
    words: Annotated[
        str | None,
        typer.Option("--words", metavar="FILE", help="Extra words or phrases that get a row, one on each line."),
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            "--corpus",
            metavar="TEXT",
            help="Text whose words get a row, and whose counts give the weights; repeatable.",
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Make a table from a sentence encoder on disk.

    Needs PyTorch and transformers. Nothing is downloaded, and no code of the model's folder is run. The table also
    opens in model2vec: StaticModel.from_pretrained(TABLE).

    Example:
      rowspace distill all-MiniLM-L6-v2/ -o my-table
      rowspace distill all-MiniLM-L6-v2/ --words phrases.txt --dim 128 -o my-table
      rowspace distill all-MiniLM-L6-v2/ --corpus articles/ -o my-table
    """
    if output == "":
        raise UsageError("-o is empty; give the folder to save the table in")
    output = output or default_output([model], "table", resume=False)
    began = time.monotonic()
    table = _distill(model, output, words=words, names=corpus or [], options=options)
    seconds = time.monotonic() - began
    if as_json:
        facts = {"table": output, "num_embeddings": len(table), "embedding_dim": table.dim}
        print_json(facts | {"seconds": round(seconds, 3)} | table.settings)
        return
    for line in _summary(output, table, seconds):
        print_line(line)


def _distill(model: str, output: str, *, words: str | None, names: list[str], options: dict[str, Any]) -> "Table":
    """Distill, show the progress, and save the table."""
    from rowspace.cli.progress.fit import distill_reporter  # not needed for help
    from rowspace.learn.distillation.distill import DistillReports, distill as distill_model
    from rowspace.table import Table
    from rowspace.text import corpus_bytes

    Table.check_target(output)
    listed = None if words is None else _read_words(words)
    corpus = corpus_of(names)
    size = None if corpus is None else corpus_bytes(corpus)
    with cleanup_on_interrupt(), distill_reporter(None if size is None else 2 * size) as progress:
        reports = DistillReports(on_bytes=progress.on_bytes, on_tokens=progress.on_tokens)
        table = distill_model(model, words=listed, corpus=corpus, reports=reports, **options)
        table.save(output)
    return table


def _read_words(path: str) -> list[str]:
    """Return the lines of a file that are not blank."""
    from rowspace.text.corpus.examples_file import read_examples

    text = read_examples(path, "a file with a word in each line with --words")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _summary(output: str, table: "Table", seconds: float) -> list[str]:
    settings: dict[str, Any] = table.settings
    rows = plural(settings["distilled"], "token")
    extra, skipped = settings["extra_words"], settings["skipped_words"]
    others = len(table) - settings["distilled"]
    lines = [
        f"{plural(len(table), 'token')} × {table.dim}, distilled from {settings['model']} with "
        f"{settings['pooling']} pooling; {others:,} special or unused ones have zeros",
        f"{settings['variance']:.1%} of the variance of {rows} is in these {table.dim} of {settings['model_dim']} "
        f"dimensions; weights from {settings['weights']}",
    ]
    if extra or skipped:
        lines.append(f"{plural(extra, 'extra word')}; {skipped:,} more are tokens already or have no known text")
    lines.append(f"this command took {seconds:.1f} s")
    example = table.shown(example_word(table))
    lines.append(f"saved in {output}; try: rowspace near {shlex.quote(output)} {shlex.quote(example)}")
    return lines
