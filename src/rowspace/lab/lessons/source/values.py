"""`Values`: the numbers of a lesson's text, computed by functions of a module or cited from `citations.toml`."""

import inspect
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import ModuleType
from typing import Any, NamedTuple

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.lessons.source.blocks import SourceError

__all__ = ["Value", "Values", "citations"]


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
    `table`; `.field` selects from a mapping, and `:format` is a format specification of Python.
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
            result = self._result(function)
        except UsageError as error:
            return Value("—", str(error), "missing")
        for field in fields:
            if not isinstance(result, Mapping) or field not in result:
                raise SourceError(f"{source} has no field {field!r}")
            result = result[field]
        return Value(format(result, form), source, "computed")

    def _result(self, name: str) -> Any:
        function: Callable[..., Any] | None = getattr(self.module, name, None)
        if not callable(function):
            raise SourceError(f"{self.module.__name__} has no function {name!r}")
        if "table" not in inspect.signature(function).parameters:
            return _constant(function)
        return self.lab.cached((self.module.__name__, name), lambda: function(self.lab.table))


@cache
def _constant(function: Callable[[], Any]) -> Any:
    """Return the result of a function that does not depend on the table."""
    return function()


def _cited(name: str) -> Value:
    values = citations()["values"]
    if name not in values:
        raise SourceError(f"citations.toml has no value {name!r}")
    source = citations()["works"][values[name]["work"]]
    return Value(values[name]["text"], f"{source['authors']}, {source['title']}, {source['year']}", "cited")


@cache
def citations() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return `citations.toml`: the works that lessons cite, and the numbers taken from them."""
    text = files("rowspace.lab.lessons").joinpath("citations.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
