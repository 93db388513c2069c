"""What a function tells while it works, as a generator."""

from collections.abc import Callable
from threading import Event

import pytest

from rowspace.lab.jobs.callbacks import told_by


def test_what_is_told_comes_while_the_work_goes_on() -> None:
    heard = Event()

    def work(tell: Callable[[str], None]) -> None:
        tell("begun")
        assert heard.wait(60)
        tell("done")

    told = told_by(work)
    assert next(told) == "begun"
    heard.set()
    assert list(told) == ["done"]


def test_a_failure_comes_after_what_was_told() -> None:
    def work(tell: Callable[[float], None]) -> None:
        tell(0.0)
        raise ZeroDivisionError

    told = told_by(work)
    assert next(told) == 0.0
    with pytest.raises(ZeroDivisionError):
        next(told)
