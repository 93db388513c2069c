"""The typer application `app`, whose commands are imported when they are called.

Other packages add commands by entry points of the group `GROUP`, as the workbench does.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer
import typer.main

from rowspace.cli.help import Command, Group
from rowspace.errors import MissingExtraError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["COMMANDS", "SUBCOMMANDS", "app", "command_function", "command_names"]

GROUP = "rowspace.commands"
WORKBENCH = ("lab", "train", "arena", "merges")  # the commands of rowspace-lab

# Each command: its module in `rowspace.cli.commands` and its function.
COMMANDS = {
    "fit": "learn.fit:fit",
    "fit-graph": "learn.fit_graph:fit_graph",
    "fit-items": "learn.fit_items:fit_items",
    "distill": "learn.distill:distill",
    "tune": "learn.tune:tune",
    "encode": "encode.encode:encode",
    "compile": "encode.compile:compile_kernels",
    "classify": "classify:classify",
    "dedupe": "text.groups:dedupe",
    "cluster": "text.groups:cluster",
    "near": "table.words:near",
    "similar": "table.words:similar",
    "analogy": "table.words:analogy",
    "odd": "table.words:odd",
    "eval": "table.eval:evaluate",
    "info": "table.info:info",
    "convert": "table.convert:convert",
    "align": "table.align:align",
    "merge": "table.merge:merge",
    "compare": "table.compare:compare",
    "split": "text.split:split",
    "coverage": "text.coverage:coverage",
    "index": "search.index:index",
    "search": "search.search:search",
    "bridge": "search.bridge:bridge",
    "mcp": "search.search:mcp",
    "serve": "servers.serve:serve",
}
# The commands of a command that is a group, each the module and the function's name in the group's folder.
SUBCOMMANDS = {"classify": {"fit": "fit", "predict": "predict", "test": "measure"}}


def command_names() -> list[str]:
    """Return the names of all commands, those of other packages last."""
    return [*COMMANDS, *_added()]


@cache
def _added() -> "dict[str, EntryPoint]":
    """The commands of other packages; finding them takes longer than importing a command."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP) if point.name not in COMMANDS}


def command_function(name: str) -> Callable[..., None]:
    """Import the function of a command."""
    if name not in COMMANDS:
        loaded: Callable[..., None] = _added()[name].load()
        return loaded
    module, attribute = COMMANDS[name].split(":")
    function: Callable[..., None] = getattr(import_module(f"rowspace.cli.commands.{module}"), attribute)
    return function


class _LazyCommands(Mapping[str, Any]):
    """The commands by name, as typer parses them, each imported when it is first needed."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS and name not in _added():
            if name in WORKBENCH:
                raise MissingExtraError(f"rowspace {name} is in the workbench: pip install rowspace-lab")
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = _made_group(name) if name in SUBCOMMANDS else _made_command(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(command_names())

    def __len__(self) -> int:
        return len(command_names())


def _made_command(name: str) -> Any:
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=Command)(command_function(name))
    return typer.main.get_command(alone)


def _made_group(name: str) -> Any:
    group = typer.Typer(name=name, cls=Group, add_completion=False, rich_markup_mode=None)
    group.callback()(command_function(name))
    for one, module in SUBCOMMANDS[name].items():
        function = getattr(import_module(f"rowspace.cli.commands.{name}.{module}"), module)
        group.command(one, cls=Command)(function)
    return typer.main.get_command(group)


class _LazyGroup(Group):
    """The group of all commands."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.commands: Any = _LazyCommands()

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of all commands."""
        return command_names()


app = typer.Typer(
    cls=_LazyGroup,
    rich_markup_mode=None,  # rich's frames would leave half of the width for the help texts
    pretty_exceptions_enable=False,  # internal errors print Python's traceback
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        from rowspace import __version__

        typer.echo(f"rowspace {__version__}")
        raise typer.Exit


@app.callback()
def _rowspace(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Learn tables of word and token vectors from text, and query them.

    Example:
      rowspace fit my-text.txt -o my-table
      rowspace near my-table word
    """
