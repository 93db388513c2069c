"""Help that shows an example first, and failures told in one place, for every command.

A command's docstring is its help; what stands under `Example:` at its end is shown before all else. Left out: what is
a failure (`failures.py`, read it next).
"""

import textwrap
from typing import Any

from typer.core import TyperCommand, TyperGroup

from rowspace.cli.failures import told

__all__ = ["Command", "Group"]


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

    def invoke(self, *args: Any) -> Any:  # whatever typer gives and takes
        """Run the command."""
        with told():
            return super().invoke(*args)


def _parted(text: str | None) -> tuple[str, str]:
    """Return a docstring without its example, and the example as help shows it."""
    description, _, example = (text or "").partition("Example:\n")
    return description.strip(), f"Example:\n{textwrap.indent(textwrap.dedent(example).rstrip(), '  ')}\n\n"
