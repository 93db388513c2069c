"""Help that shows an example first and options by subject, and error messages in one style.

A command's docstring is its help; the text under `Example:` at its end is shown first.
"""

import sys
import textwrap
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from rowspace.cli.errors import report_errors
from rowspace.errors import UsageError

__all__ = ["Command", "Group"]

_ClickError: Any = typer.BadParameter.__mro__[2]  # click's ClickException, or typer's copy of it


_WORDING = {
    "Value error, ": "",
    ". Did you mean": ", did you mean",
    "Input should be": "it must be",
    ", unable to parse string as an integer": "",
    ", unable to parse string as a number": "",
}


class _ExampleFirst:
    """A mixin for a command or group whose help begins with the example of its docstring."""

    help: str | None

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.help, self.example = _split_example(self.help)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # click's, or typer's copy of it
        """Write the example, then what typer writes."""
        formatter.write(self.example)
        super().format_help(ctx, formatter)  # type: ignore[misc]  # of the typer class next to the mixin


class Command(_ExampleFirst, TyperCommand):
    """A command whose help begins with its example."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options, those of each help panel under its own heading."""
        panels: dict[str, list[Any]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            is_argument = parameter.param_type_name == "argument"
            panel = getattr(parameter, "rich_help_panel", None) or ("Arguments" if is_argument else "Options")
            panels.setdefault(panel, []).append(parameter.get_help_record(ctx))
        for panel, records in panels.items():
            if any(records):
                with formatter.section(panel):
                    formatter.write_dl([record for record in records if record])


class Group(_ExampleFirst, TyperGroup):
    """The group of all commands, whose help also begins with an example; it reports the errors of commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Show the help where no command is given."""
        if not args and not ctx.resilient_parsing:  # which completion by the shell sets
            typer.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def invoke(self, *args: Any) -> Any:
        """Run the command."""
        with report_errors():
            return super().invoke(*args)

    def main(self, *args: Any, **options: Any) -> NoReturn:
        """Run the command line, and end the process with its exit status."""
        with report_errors():
            try:
                status = super().main(*args, **options | {"standalone_mode": False})
            except _ClickError as error:
                raise UsageError(_sentence(error)) from error
        sys.exit(status if isinstance(status, int) else 0)


def _split_example(text: str | None) -> tuple[str, str]:
    """Return a docstring without its example, and the example as shown in the help."""
    description, _, example = (text or "").partition("Example:\n")
    return description.strip(), f"Example:\n{textwrap.indent(textwrap.dedent(example).rstrip(), '  ')}\n\n"


def _sentence(error: Any) -> str:
    """Return typer's message about wrong usage as one sentence, with the command that shows help.

    >>> _sentence(_ClickError("Missing argument 'TABLE'."))
    "missing argument 'TABLE'; see rowspace --help"
    """
    text = " ".join(error.format_message().split()).rstrip(".?")
    for original, replacement in _WORDING.items():
        text = text.replace(original, replacement)
    command = error.ctx.command_path if getattr(error, "ctx", None) else "rowspace"
    return f"{text[:1].lower()}{text[1:]}; see {command} --help"
