"""The command line: one file per command, which parses, calls and prints.

| file | what it holds |
|---|---|
| `fit.py`, `near.py`, `similar.py`, `analogy.py`, `odd.py`, `eval.py`, `info.py`, `convert.py` | one command each |
| `split.py`, `merges.py`, `coverage.py` | one command each, on tokenizers |
| `lab.py` | the workbench |
| `arguments.py` | the arguments and options that several commands have |
| `opening.py` | what a command is given → the table and the tokens that it works on |
| `tokenizers.py` | the same for tokenizers |
| `output.py` | tables, JSON documents and messages |
| `progress.py` | how a fit goes, on a terminal and elsewhere |
| `failures.py` | what ends a command early → one sentence and an exit status |
| `groups.py` | help that shows an example first |

The commands import what they work with when they run, so that `rowspace --help` stays light. Read next: `near.py`.
"""

import io
import sys
from collections.abc import Callable
from typing import Annotated

import typer

from rowspace import __version__
from rowspace.cli.analogy import analogy
from rowspace.cli.convert import convert
from rowspace.cli.coverage import coverage
from rowspace.cli.eval import evaluate
from rowspace.cli.fit import fit
from rowspace.cli.groups import Command, Group
from rowspace.cli.info import info
from rowspace.cli.lab import lab
from rowspace.cli.merges import merges
from rowspace.cli.near import near
from rowspace.cli.odd import odd
from rowspace.cli.similar import similar
from rowspace.cli.split import split

__all__ = ["app", "main"]

COMMANDS: dict[str, Callable[..., None]] = {
    "fit": fit,
    "near": near,
    "similar": similar,
    "analogy": analogy,
    "odd": odd,
    "eval": evaluate,
    "info": info,
    "convert": convert,
    "split": split,
    "merges": merges,
    "coverage": coverage,
    "lab": lab,
}

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,  # frames would leave half of the width for the help of an option
    pretty_exceptions_enable=False,  # what nobody expected keeps its plain traceback
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, command in COMMANDS.items():
    app.command(name, cls=Command)(command)


def main() -> None:
    """Run the command that the process was started with, and end the process with its exit status."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a token that the terminal cannot show is no failure
    app(prog_name="rowspace")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"rowspace {__version__}")
        raise typer.Exit


@app.callback()
def _rowspace(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn a table of rows from text, and ask it questions.

    Example:
      rowspace fit my-text.txt -o my-table
      rowspace near my-table word
    """
