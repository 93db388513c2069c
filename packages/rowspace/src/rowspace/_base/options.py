"""Help, bounds and defaults of the fields of options dataclasses, for validation and for the command line.

A field is written `dim: Annotated[int, Option("Length of a row.", minimum=1, maximum=65_536)] = 100`. The dataclass
validates itself by it, and the command line generates an option from it.
"""

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Iterable
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError

__all__ = [
    "Dim",
    "Option",
    "OptionField",
    "Seed",
    "Workers",
    "check_option_names",
    "option_fields",
    "shows_options",
    "validate_options",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


@dataclasses.dataclass(frozen=True)
class Option:
    """The help, bounds and default of a field.

    Attributes:
        help: one sentence.
        minimum, maximum: bounds of a number; integers for an integer field.
        default: the default as text, if it is not the field's value.
        flags: the names on the command line, if they are not the field's name: "--yes/--no".
    """

    help: str
    _: dataclasses.KW_ONLY
    minimum: float | None = None
    maximum: float | None = None
    default: str | None = None
    flags: str | None = None


# Options that several commands have in common.
Dim = Annotated[int, Option("Length of a row.", minimum=1, maximum=65_536)]
Seed = Annotated[int, Option("Seed of all random numbers.", minimum=0, maximum=2**63 - 1)]
Workers = Annotated[
    int | None, Option("Threads; 1 gives reproducible rows.", minimum=1, maximum=1_024, default="all cores")
]


@dataclasses.dataclass(frozen=True)
class OptionField:
    """A field with its `Option`.

    Attributes:
        name: its name.
        option: its help, bounds and default.
        kind: its type, without None; the first of several.
        is_optional: whether it may be None.
        default: its default as text.
    """

    name: str
    option: Option
    kind: Any
    is_optional: bool
    default: str


@cache
def option_fields(options: Any) -> tuple[OptionField, ...]:
    """Return the fields of an options dataclass in order.

    >>> from typing import Annotated
    >>> @dataclasses.dataclass
    ... class Paint:
    ...     layers: Annotated[int | None, Option("How often to paint.", minimum=1, maximum=9)] = 2
    >>> field = option_fields(Paint)[0]
    >>> field.name, field.kind, field.is_optional, field.default
    ('layers', <class 'int'>, True, '2')
    """
    hints = get_type_hints(options, include_extras=True)
    fields = []
    for field in dataclasses.fields(options):
        annotation, option = get_args(hints[field.name])
        kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
        default = option.default or str(field.default)
        fields.append(OptionField(field.name, option, kinds[0], NoneType in kinds, default))
    return tuple(fields)


def shows_options(*kinds: Any) -> Callable[[_Function], _Function]:
    """Return a decorator that lists options in the signature of a function, in place of its `**options`.

    So `help`, `inspect.signature` and completion show each option with its type and default. Type checkers read the
    `TypedDict` of the function.

    Args:
        kinds: The options dataclasses; or a `TypedDict` whose keys are optional, and None by default. Of fields with
            the same name, the first is listed; none if the function has a parameter of this name.

    >>> @dataclasses.dataclass
    ... class Paint:
    ...     layers: int = 2
    >>> @shows_options(Paint)
    ... def paint(wall: str, **options: Any) -> None: ...
    >>> inspect.signature(paint)
    <Signature (wall: str, *, layers: int = 2) -> None>
    """
    listed: dict[str, inspect.Parameter] = {}
    keyword = inspect.Parameter.KEYWORD_ONLY
    for kind in kinds:
        hints = get_type_hints(kind)
        for name in hints if is_typeddict(kind) else ():
            listed.setdefault(name, inspect.Parameter(name, keyword, default=None, annotation=hints[name]))
        for field in () if is_typeddict(kind) else dataclasses.fields(kind):
            default = field.default
            if field.default_factory is not dataclasses.MISSING:
                default = field.default_factory()
            parameter = inspect.Parameter(field.name, keyword, default=default, annotation=hints[field.name])
            listed.setdefault(field.name, parameter)

    def decorate(function: _Function) -> _Function:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        options = [each for name, each in listed.items() if name not in signature.parameters]
        vars(function)["__signature__"] = signature.replace(parameters=[*own, *options])
        return function

    return decorate


def check_option_names(function: str, names: Iterable[str], *kinds: Any) -> None:
    """Raise `UsageError` for a name that is not a field of one of the options dataclasses `kinds`.

    >>> check_option_names("paint", ["help", "minimums"], Option)
    Traceback (most recent call last):
    rowspace.errors.UsageError: paint has no option 'minimums'; did you mean minimum?
    """
    known = {field.name for kind in kinds for field in dataclasses.fields(kind)}
    unknown = set(names) - known
    if unknown:
        near = difflib.get_close_matches(min(unknown), sorted(known), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"{function} has no option {min(unknown)!r}{hint}")


def validate_options(options: Any) -> None:
    """Convert NumPy scalars to Python numbers; raise `UsageError` for a value outside its bounds or choices."""
    kind: Any = type(options)
    for field in option_fields(kind):
        value = getattr(options, field.name)
        if isinstance(value, np.generic):  # which JSON does not have
            value = value.item()
            object.__setattr__(options, field.name, value)
        if value is None and field.is_optional:
            continue
        if get_origin(field.kind) is Literal and value not in get_args(field.kind):
            choices = ", ".join(get_args(field.kind))
            raise UsageError(f"{field.name} must be one of {choices}, not {value!r}")
        if field.kind is int:
            check_whole_number(field.name, value, int(field.option.minimum or 0), int(field.option.maximum or 0))
        elif field.kind is float:
            _check_number(field.name, value, field.option)


def _check_number(name: str, value: object, option: Option) -> None:
    low, high = float(option.minimum or 0), float(option.maximum or 0)
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not low <= value <= high:
        raise UsageError(f"{name} must be a number from {low:,} to {high:,}, not {value!r}")
