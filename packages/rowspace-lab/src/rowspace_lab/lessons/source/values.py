"""`Values`: the numbers of a lesson's text, computed by functions of a module or cited from `citations.toml`."""

import inspect
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from rowspace.errors import MissingExtraError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.source.blocks import TEXTS, SourceError

__all__ = ["Value", "Values", "citations", "number_text", "quantity"]


class Value(NamedTuple):
    """A number of the text: as it is written, and where it comes from."""

    text: str
    source: str
    """The function that computes it, or the work that it is cited from."""
    kind: str
    """"computed", "cited" or "missing"."""


class Values:
    """The values that a text names: `{=name.field:format}` is computed, `{@name}` is cited.

    A computed value is the result of the function `name` of `module`, called with the table if it has a parameter
    `table`; `.field` selects from a mapping, and `:format` is a format specification of Python, or `quantity`.
    """

    def __init__(self, module: ModuleType, lab: Lab) -> None:
        self.module = module
        self.lab = lab

    def find(self, expression: str) -> Value:
        """Return the value of the text between braces, such as `=distance.cat_dog:.3f` or `@gpt2_ids`.

        Raises:
            SourceError: No such function, field or citation exists.
        """
        if expression.startswith("@"):
            return _cited(expression[1:])
        name, _, form = expression[1:].partition(":")
        function, *fields = name.split(".")
        source = f"{self.module.__name__}.{function}"
        try:
            result = self.result(function)
        except (MissingExtraError, UsageError) as error:
            return Value("—", str(error), "missing")
        for field in fields:
            if not isinstance(result, Mapping) or field not in result:
                raise SourceError(f"{source} has no field {field!r}")
            result = result[field]
        written = quantity(result) if form == "quantity" else format(result, form)
        return Value(number_text(written), source, "computed")

    def result(self, name: str) -> Any:
        """Return what the function `name` of the module returns, from the cache if it was called before.

        Raises:
            SourceError: There is no such function.
        """
        function: Callable[..., Any] | None = getattr(self.module, name, None)
        if not callable(function):
            raise SourceError(f"{self.module.__name__} has no function {name!r}")
        if "table" not in inspect.signature(function).parameters:
            return _constant(function)
        return self.lab.cached(f"{self.module.__name__}.{name}", lambda: function(self.lab.table))


@cache
def _constant(function: Callable[[], Any]) -> Any:
    """Return the result of a function that does not depend on the table."""
    return function()


def quantity(value: float) -> str:
    """Return a number as text, from a million on in words.

    >>> quantity(1300000), quantity(77_194_752), quantity(22.7e9), quantity(50_257), quantity(45.123)
    ('1.3 million', '77.2 million', '22.7 billion', '50,257', '45.12')
    """
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if abs(value) >= size:
            return f"{float(f'{value / size:.3g}'):,g} {word}"
    return f"{value:,.4g}" if isinstance(value, float) else f"{value:,}"


def number_text(written: str) -> str:
    """Return a written number with a minus sign instead of a hyphen; any other text is unchanged.

    >>> number_text("-0.20"), number_text("twenty-one")
    ('−0.20', 'twenty-one')
    """
    return f"−{written[1:]}" if written.startswith("-") and written[1:2].isdigit() else written


def _cited(name: str) -> Value:
    values = citations()["values"]
    if name not in values:
        raise SourceError(f"citations.toml has no value {name!r}")
    source = citations()["works"][values[name]["work"]]
    return Value(values[name]["text"], f"{source['authors']}, {source['title']}, {source['year']}", "cited")


@cache
def citations() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return `citations.toml`: the works that lessons cite, and the numbers taken from them."""
    return tomllib.loads(TEXTS.joinpath("citations.toml").read_text(encoding="utf-8"))
