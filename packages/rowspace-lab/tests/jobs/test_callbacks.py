"""A function that reports through a callback, as a generator."""

from collections.abc import Callable
from threading import Event

import pytest

from rowspace_lab.jobs.callbacks import iterate_callbacks


def test_values_arrive_while_the_function_runs() -> None:
    heard = Event()

    def work(report: Callable[[str], None]) -> None:
        report("begun")
        assert heard.wait(60)
        report("done")

    values = iterate_callbacks(work)
    assert next(values) == "begun"
    heard.set()
    assert list(values) == ["done"]


def test_error_is_raised_after_the_last_value() -> None:
    def work(report: Callable[[float], None]) -> None:
        report(0.0)
        raise ZeroDivisionError

    values = iterate_callbacks(work)
    assert next(values) == 0.0
    with pytest.raises(ZeroDivisionError):
        next(values)
