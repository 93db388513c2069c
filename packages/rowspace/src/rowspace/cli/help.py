"""Help that shows an example first and options by subject, and errors as a message and an exit status.

A command's docstring is its help; the text under `Example:` at its end is shown first.

| cause | exit status |
|---|---|
| the command failed: `RowspaceError`, a system error, or a closed pipe | 1 |
| wrong usage: `UsageError`, and typer's errors | 2 |
| Ctrl-C, where nothing could be saved | 130 |

Anything else is an internal error and keeps its traceback. Warnings are also printed as messages.
"""

import errno
import sys
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from rowspace._base.interrupt import INTERRUPTED
from rowspace.cli import output
from rowspace.errors import RowspaceError, UsageError

__all__ = ["Command", "Group", "report_errors"]

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


FULL = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def report_errors() -> Iterator[None]:
    """Print a message for an error raised in the block, and raise `SystemExit` with the exit status.

    >>> try:
    ...     with report_errors():
    ...         raise UsageError("k must be at least 1, got 0")
    ... except SystemExit as end:
    ...     end.code
    2
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
            sys.stdout.flush()
        except RowspaceError as error:
            if str(error):
                output.message(str(error))
            raise SystemExit(2 if isinstance(error, UsageError) else 1) from error
        except OSError as error:
            sentence = _system_sentence(error)
            if sentence is None:
                raise
            output.message(sentence)
            raise SystemExit(1) from error
        except KeyboardInterrupt as error:
            output.message("stopped")
            raise SystemExit(INTERRUPTED) from error


def _show_warning(message: Warning | str, *_place: object, **_more: object) -> None:
    output.message(f"warning: {message}")


def _system_sentence(error: OSError) -> str | None:
    """Return the message for a system error; None where the error has no file name."""
    if error.errno in FULL:
        return "the disk is full; free some space, or write to another disk"
    if error.filename is None or not error.errno:
        return None
    name = error.filename if isinstance(error.filename, str | bytes) else str(error.filename)
    return f"{name!r}: {error.strerror}; check the path and its permissions"
