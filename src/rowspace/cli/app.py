"""All commands under one name: `app`, a typer application."""

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

__all__ = ["COMMANDS", "app"]

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
    add_completion=False,
    rich_markup_mode=None,  # frames would leave half of the width for the help of an option
    pretty_exceptions_enable=False,  # an internal error keeps its plain traceback
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name, command in COMMANDS.items():
    app.command(name, cls=Command)(command)


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
