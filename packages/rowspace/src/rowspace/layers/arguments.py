"""Arguments shared by many modules, and their validation."""

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import SupportsFloat, SupportsIndex, TypedDict, TypeGuard

import torch

from rowspace._base.plural import plural
from rowspace.errors import RowspaceError, UsageError, reason_of

Device = torch.device | str | int | None  # where the tensors of a module are created; None: the current default


class Factory(TypedDict, total=False):
    """Device and dtype of a module's parameters: the last arguments of every module."""

    device: Device
    dtype: torch.dtype | None


def require_positive(**sizes: int) -> None:
    """Raise `UsageError` unless each of the named sizes is an integer of 1 or more."""
    _require_integers(1, sizes)


def require_not_negative(**counts: int) -> None:
    """Raise `UsageError` unless each of the named counts is an integer of 0 or more."""
    _require_integers(0, counts)


def require_above(bound: float, **numbers: float) -> None:
    """Raise `UsageError` unless each of the named numbers is above `bound` and finite.

    >>> require_above(0, factor=float("nan"))
    Traceback (most recent call last):
    rowspace.errors.UsageError: factor must be above 0 and finite, not nan
    """
    for name, number in numbers.items():
        if not _is_number(number) or not bound < number < math.inf:
            raise UsageError(f"{name} must be above {bound} and finite, not {number!r}")


def require_bool(name: str, value: object) -> None:
    """Raise `UsageError` unless an argument is True or False, as when arguments are passed in another order.

    >>> require_bool("sparse", 3)
    Traceback (most recent call last):
    rowspace.errors.UsageError: sparse must be True or False, not 3
    """
    if not isinstance(value, bool):
        raise UsageError(f"{name} must be True or False, not {value!r}")


@contextmanager
def one_sentence(problem: str, kind: type[RowspaceError] = UsageError) -> Iterator[None]:
    """Raise errors of Python and torch for impossible entries of a config as one sentence."""
    try:
        yield
    except RowspaceError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError) as error:
        raise kind(f"{problem} ({reason_of(error)}); restore the config.json") from None


def is_finite(number: object) -> bool:
    """Whether `number` is a finite number."""
    return _is_number(number) and math.isfinite(number)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, SupportsFloat) and not isinstance(value, bool)


def _require_integers(least: int, values: Mapping[str, int]) -> None:
    for name, value in values.items():
        if not isinstance(value, SupportsIndex) or isinstance(value, bool):
            raise UsageError(f"{name} must be an integer, not {value!r}")
        if value < least:
            raise UsageError(f"{name} must be {least} or more, not {value}")


def row_index(padding_idx: int | None, num_embeddings: int) -> int | None:
    """Resolve a negative `padding_idx`, which counts from the end as in torch; raise `UsageError` out of range."""
    if padding_idx is None:
        return None
    # int comes first because testing for the protocol takes 3 µs, and each lookup does this.
    if not isinstance(padding_idx, (int, SupportsIndex)) or isinstance(padding_idx, bool):
        raise UsageError(f"padding_idx must be an integer or None, not {padding_idx!r}")
    if not -num_embeddings <= padding_idx < num_embeddings:
        raise UsageError(
            f"padding_idx must be a row of the table of {plural(num_embeddings, 'row')}, not {padding_idx}"
        )
    return padding_idx % num_embeddings
