"""Help that shows an example first, and errors in one style, for every command.

A command's docstring is its help; what stands under `Example:` at its end is shown before all else. Left out: which
errors there are (`failures.py`, read it next).
"""

import sys
import textwrap
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from rowspace.cli.failures import told
from rowspace.errors import UsageError

__all__ = ["Command", "Group"]

_ClickError: Any = typer.BadParameter.__mro__[2]  # click's ClickException, which newer versions of typer have a copy of


_WORDING = {
    "Value error, ": "",
    ". Did you mean": ", did you mean",
    "Input should be": "it must be",
    ", unable to parse string as an integer": "",
    ", unable to parse string as a number": "",
}


class Command(TyperCommand):
    """A command whose help begins with its example."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.help, self.example = _parted(self.help)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # click's, or typer's copy of it
        """Write the example, then what typer writes."""
        formatter.write(self.example)
        super().format_help(ctx, formatter)


class Group(TyperGroup):
    """All commands: its help begins with an example too, and it tells how a command failed."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.help, self.example = _parted(self.help)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # click's, or typer's copy of it
        """Write the example, then what typer writes."""
        formatter.write(self.example)
        super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Show the help where nothing is asked for."""
        if not args:
            typer.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def invoke(self, *args: Any) -> Any:  # whatever typer gives and takes
        """Run the command."""
        with told():
            return super().invoke(*args)

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run the command line, and end the process with its exit status."""
        with told():
            try:
                status = super().main(*args, **options | {"standalone_mode": False})
            except _ClickError as error:
                raise UsageError(_sentence(error)) from error
        sys.exit(status if isinstance(status, int) else 0)


def _parted(text: str | None) -> tuple[str, str]:
    """Return a docstring without its example, and the example as help shows it."""
    description, _, example = (text or "").partition("Example:\n")
    return description.strip(), f"Example:\n{textwrap.indent(textwrap.dedent(example).rstrip(), '  ')}\n\n"


def _sentence(error: Any) -> str:
    """Return what typer says of a wrong call as one sentence of ours, with the command that shows help.

    >>> _sentence(_ClickError("Missing argument 'TABLE'."))
    "missing argument 'TABLE'; see rowspace --help"
    """
    text = " ".join(error.format_message().split()).rstrip(".?")
    for theirs, ours in _WORDING.items():
        text = text.replace(theirs, ours)
    command = error.ctx.command_path if getattr(error, "ctx", None) else "rowspace"
    return f"{text[:1].lower()}{text[1:]}; see {command} --help"
