"""Command options generated from the fields of options dataclasses, which describe them (`_base/options.py`)."""

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, get_origin

import typer

from rowspace._base.options import OptionField, option_fields

__all__ = ["with_options_of"]

Command = Callable[..., None]


def with_options_of(panels: dict[str, type]) -> Callable[[Command], Command]:
    """Return a decorator that replaces the `**options` of a command by an option for each field of some dataclasses.

    The value of an option that is not given is None, so that the dataclass's default applies.

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
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        vars(command)["__signature__"] = signature.replace(parameters=[*own, *parameters])
        command.__annotations__ |= {one.name: one.annotation for one in parameters}
        return command

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
