"""`rowspace train`: train a small language model, whose input rows are a table.

Its options are the fields of `ModelOptions`, `TrainingOptions` and `TokenOptions`. Only options that are given are
passed on, so that `--resume` needs none.
"""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace.cli.arguments import AsJson, Corpus, with_options_of
from rowspace.cli.commands.learn.fit import corpus_of, default_output
from rowspace.cli.output import message, print_json, print_line
from rowspace.errors import UsageError
from rowspace_lab.commands.train_summary import document, summary
from rowspace_lab.experiments.language_model.options import ModelOptions, TokenOptions, TrainingOptions

if TYPE_CHECKING:
    from rowspace_lab.experiments.language_model.train import TrainedRun

__all__ = ["train"]


@with_options_of({"Model": ModelOptions, "Training": TrainingOptions, "Tokens": TokenOptions})
def train(
    corpus: Corpus = None,
    *,
    output: Annotated[
        str | None, typer.Option("-o", "--output", help="The folder of the run.  [default: CORPUS-run]")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the interrupted run of this output.")] = False,
    init: Annotated[
        str | None,
        typer.Option(
            "--init",
            metavar="RUN_OR_TABLE",
            help="Continue another run on this text, or start with the rows of a table of pieces; with its tokens.",
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Train a language model, whose rows become a table.

    Needs PyTorch. Ctrl-C (or SIGTERM) saves a checkpoint; --resume continues with the same text and options, and ends
    with the same bits.

    Example:
      rowspace train my-text.txt -o my-run
      rowspace train my-text.txt --untied --positions learned --steps 2000 -o other-run
      rowspace train --resume -o my-run
      rowspace train articles/ --init my-run --rows lora -o next-run
      rowspace train my-text.txt --init my-pieces -o run-with-rows
    """
    options = {name: value for name, value in options.items() if value is not None}
    names = corpus or []
    if "" in names:
        raise UsageError("the name of a corpus is empty; give a file, a folder, a pattern or -")
    if output == "":
        raise UsageError("-o is empty; give the folder of the run")
    output = output or default_output(names, "run", resume=resume)
    if resume and names:
        message("the interrupted run continues with the text that it has read; CORPUS is ignored")
    began = time.monotonic()
    run = _train(names, output, resume=resume, init=init, options=options)
    seconds = time.monotonic() - began
    if as_json:
        print_json(document(output, run, seconds))
    else:
        for line in summary(output, run, seconds):
            print_line(line)


def _train(
    names: list[str], output: str, *, resume: bool, init: str | None, options: Mapping[str, Any]
) -> "TrainedRun":
    """Run the training and show its progress."""
    from rowspace.text import corpus_bytes
    from rowspace_lab.commands.train_progress import train_reporter  # not needed for help
    from rowspace_lab.experiments.language_model.train import TrainReports, train as train_model

    corpus = corpus_of(names)
    total = None if resume or corpus is None else corpus_bytes(corpus)
    with cleanup_on_interrupt(), train_reporter(total) as progress:
        reports = TrainReports(on_bytes=progress.on_bytes, on_corpus=progress.on_corpus, on_progress=progress.on_step)
        return train_model(corpus, output, resume=resume, init=init, reports=reports, **options)
