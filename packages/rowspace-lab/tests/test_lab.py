"""The table and cache shared by all pages."""

import gc
import weakref
from collections.abc import Callable

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab


def test_table_without_rows_is_refused(small_lab: Callable[..., Lab]) -> None:
    with pytest.raises(UsageError, match="small-table: the table has no rows to show; open another one"):
        small_lab([], np.ones((0, 3), np.float32))


class Thing:
    """Something that a weak reference can find."""


def test_values_of_parameters_are_kept_only_while_they_are_used(small_lab: Callable[..., Lab]) -> None:
    lab = small_lab(["a"], np.ones((1, 3), np.float32))
    made: list[object] = []
    values, failed = weakref.WeakSet[Thing](), weakref.WeakSet[Thing]()

    def make(key: object) -> Thing:
        made.append(key)
        values.add(thing := Thing())
        return thing

    def fail(parameter: Thing) -> None:
        failed.add(parameter)
        raise UsageError("refused")

    for number in range(100):
        for key in ("alone", f"alone {number}", ("used", 0), ("used", number), ("other", 0)):
            assert lab.cached(key, lambda key=key: make(key)) is lab.existing(key)
        with pytest.raises(UsageError, match="refused"):
            lab.cached(("refused", parameter := Thing()), lambda parameter=parameter: fail(parameter))
    del parameter
    gc.collect()
    assert [made.count(key) for key in ("alone", ("used", 0), ("used", 1), ("other", 0))] == [1] * 4
    assert (len(values), len(failed)) == (101 + 8 + 1, 8)
    assert lab.existing(("used", 1)) is None
    assert lab.existing("never made") is None
