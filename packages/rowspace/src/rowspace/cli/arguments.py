"""Arguments and options that several commands share, and those from the fields of dataclasses (`_base/options.py`)."""

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal, get_origin

import typer

from rowspace._base.options import OptionField, option_fields

__all__ = ["AsJson", "Corpus", "Key", "Metric", "TablePath", "Words", "with_options_of"]

Corpus = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CORPUS",
        help="Files (.gz, .xz, .bz2 and .zst too), folders, patterns, or - for standard input; the default is the "
        "standard library of this Python.",
    ),
]
TablePath = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="A table in any format: a folder saved by rowspace fit, word2vec, GloVe, .npz, ..."
    ),
]
Words = Annotated[list[str], typer.Argument(metavar="WORD", help="Words of the table.", show_default=False)]
Metric = Annotated[
    Literal["cosine", "dot", "euclidean"], typer.Option(help="How to compare rows; euclidean is a distance.")
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key", help="The name of the tensor of rows in a safetensors file or a checkpoint.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]

Command = Callable[..., None]


def with_options_of(panels: dict[str, type]) -> Callable[[Command], Command]:
    """Return a decorator that replaces the `**options` of a command by an option for each field of some dataclasses.

    The command gets those that are given, so that the dataclasses' defaults apply to the others.

    Args:
        panels: The dataclasses, by the heading of their options in the help. Of fields with the same name, the first
            is used.
    """
    fields = dict[str, tuple[OptionField, str]]()
    for panel, options in panels.items():
        for field in option_fields(options):
            fields.setdefault(field.name, (field, panel))
    parameters = [_parameter(field, panel) for field, panel in fields.values()]

    def decorate(command: Command) -> Command:
        signature = inspect.signature(command)
        own = {name: one for name, one in signature.parameters.items() if one.kind is not inspect.Parameter.VAR_KEYWORD}

        @functools.wraps(command)
        def call(**arguments: Any) -> None:
            command(**{name: value for name, value in arguments.items() if name in own or value is not None})

        vars(call)["__signature__"] = signature.replace(parameters=[*own.values(), *parameters])
        call.__annotations__ |= {one.name: one.annotation for one in parameters}
        return call

    return decorate


def _parameter(field: OptionField, panel: str) -> inspect.Parameter:
    """Return a keyword-only parameter with typer's declaration of an option."""
    option = typer.Option(
        *([field.option.flags] if field.option.flags else []),
        help=f"{field.option.help}  [default: {field.default}]",
        rich_help_panel=panel,
    )
    kind = list[str] if get_origin(field.kind) is Iterable else field.kind
    annotation = Annotated[kind | None, option]  # type: ignore[valid-type]  # known at run time only
    return inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)
