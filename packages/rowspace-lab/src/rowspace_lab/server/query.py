"""`Query`: the parameters of a request, validated when they are read."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeVar

from rowspace._base.plural import plural
from rowspace.errors import UsageError

__all__ = ["MAX_NUMBER", "Query"]

MAX_NUMBER = 1e30
_MAX_LENGTH = 1000
_Number = TypeVar("_Number", int, float)
_Option = TypeVar("_Option", bound=str)


class Query:
    """The parameters of a request, each with one or more values, and its body.

    Every method takes the name of a parameter and a default; a parameter without a default is required. All methods
    raise `UsageError` with the name of the parameter, the expected and the received value.

    >>> query = Query({"k": ["5"], "word": ["cat"], "metric": ["cosine"]})
    >>> query.integer("k", low=1, high=100), query.text("word"), query.flag("kept", False)
    (5, 'cat', False)
    >>> query.integer("k", low=10, high=100)
    Traceback (most recent call last):
    rowspace.errors.UsageError: k must be a whole number from 10 to 100, not '5'
    """

    def __init__(self, parameters: Mapping[str, Sequence[str]] | None = None, body: bytes | None = None) -> None:
        self._parameters = dict(parameters or {})
        self.body = body
        """The uploaded bytes, possibly empty; None for a request without an upload."""

    def replaced(self, names: Collection[str], change: Callable[[str], str]) -> "Query":
        """Return the query with each value of the named parameters changed.

        >>> Query({"word": ["Cat"], "metric": ["Dot"]}).replaced(["word"], str.lower).texts("word")
        ['cat']
        """
        changed = {name: [change(value) for value in self._parameters.get(name, ())] for name in names}
        return Query(self._parameters | changed, self.body)

    def text(self, name: str, default: str | None = None, *, max_length: int = _MAX_LENGTH) -> str:
        """Return the value as a string of at most `max_length` characters."""
        value = self._one(name, default)
        if len(value) > max_length:
            raise UsageError(f"{name} must have at most {max_length:,} characters, not {len(value):,}")
        return value

    def texts(self, name: str, default: Sequence[str] | None = None, *, limit: int = 20) -> list[str]:
        """Return all values of a repeated parameter, at most `limit`."""
        values = list(self._parameters.get(name, ())) or list(default or ())
        if not values:
            raise UsageError(f"{name} is missing: pass it at least once")
        if len(values) > limit:
            raise UsageError(f"{name} must have at most {plural(limit, 'value')}, not {len(values):,}")
        if longest := next((value for value in values if len(value) > _MAX_LENGTH), None):
            raise UsageError(f"{name} must have at most {_MAX_LENGTH:,} characters, not {len(longest):,}")
        return values

    def integer(self, name: str, default: int | None = None, *, low: int, high: int) -> int:
        """Return an integer from `low` to `high`."""
        value = self._one(name, None if default is None else str(default))
        return self._within(name, self._integer(value), value, low, high, "a whole number")

    def number(self, name: str, default: float | None = None, *, low: float, high: float) -> float:
        """Return a float from `low` to `high`."""
        value = self._one(name, None if default is None else str(default))
        return self._within(name, self._float(value), value, low, high, "a number")

    def numbers(self, name: str, default: Sequence[float] | None = None, *, limit: int) -> list[float]:
        """Return at most `limit` comma-separated numbers smaller than MAX_NUMBER in magnitude."""
        value = self._one(name, None if default is None else ",".join(map(str, default)))
        numbers = [self._float(part) for part in value.split(",")] if value.count(",") < limit else [None]
        if any(number is None or not abs(number) < MAX_NUMBER for number in numbers):
            raise UsageError(f"{name} must be at most {plural(limit, 'comma-separated number')}, not {value[:40]!r}")
        return [number for number in numbers if number is not None]

    def integers(
        self, name: str, default: Sequence[int] | None = None, *, low: int, high: int, limit: int
    ) -> list[int]:
        """Return at most `limit` comma-separated integers from `low` to `high`."""
        parts = self._one(name, None if default is None else ",".join(map(str, default))).split(",")
        if len(parts) > limit:
            raise UsageError(f"{name} must be at most {plural(limit, 'whole number')}, not {len(parts):,}")
        return [self._within(name, self._integer(part), part, low, high, "whole numbers") for part in parts]

    def choice(self, name: str, options: Sequence[_Option], default: _Option | None = None) -> _Option:
        """Return one of `options`; the default is the first option if `default` is None."""
        value = self._one(name, options[0] if default is None else default)
        for option in options:
            if option == value:
                return option
        raise UsageError(f"{name} must be one of {', '.join(options)}, not {value[:40]!r}")

    def flag(self, name: str, default: bool) -> bool:
        """Return True for "true" and False for "false"."""
        return self.choice(name, ("false", "true"), "true" if default else "false") == "true"

    def _one(self, name: str, default: str | None) -> str:
        values = self._parameters.get(name, ())
        if len(values) > 1:
            raise UsageError(f"{name} must have one value, not {len(values)}")
        if not values and default is None:
            raise UsageError(f"{name} is missing")
        return values[0] if values else str(default)

    @staticmethod
    def _integer(value: str) -> int | None:
        try:
            return int(value) if len(value) < 20 else None
        except ValueError:
            return None

    @staticmethod
    def _float(value: str) -> float | None:
        try:
            return float(value)
        except ValueError:
            return None

    @staticmethod
    def _within(name: str, number: _Number | None, value: str, low: _Number, high: _Number, kind: str) -> _Number:
        if number is None or not low <= number <= high:
            raise UsageError(f"{name} must be {kind} from {low:,} to {high:,}, not {value[:40]!r}")
        return number
