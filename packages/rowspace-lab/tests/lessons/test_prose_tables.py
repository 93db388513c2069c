"""Tables in the prose of lessons."""

from collections.abc import Callable

import numpy as np

from rowspace_lab.lab import Lab
from rowspace_lab.lessons import computed
from rowspace_lab.lessons.source import Values, prose_html


def test_empty_corner_of_a_table_is_no_header(small_lab: Callable[..., Lab]) -> None:
    values = Values(computed, small_lab(["a"], np.ones((1, 2), np.float32)))
    html = prose_html("| | row |\n|---|---|\n| cat | long |", values)
    assert html.count("<th>") == 1  # a screen reader announces headers, and an empty one says nothing
    assert html.count("<td>") == 3
