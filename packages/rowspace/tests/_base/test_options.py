"""Options dataclasses that validate themselves by the annotations of their fields."""

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
import pytest

from rowspace._base.options import Option, option_fields, validate_options
from rowspace.errors import UsageError


@dataclass
class Paint:
    layers: Annotated[int, Option("How often.", minimum=1, maximum=9)] = 2
    share: Annotated[float | None, Option("Of water.", minimum=0.0, maximum=1.0, default="none")] = None
    color: Annotated[Literal["red", "blue"], Option("Of it.")] = "red"

    def __post_init__(self) -> None:
        validate_options(self)


def test_fields_have_their_type_and_default():
    fields = option_fields(Paint)
    assert [(field.name, field.kind, field.is_optional, field.default) for field in fields] == [
        ("layers", int, False, "2"),
        ("share", float, True, "none"),
        ("color", Literal["red", "blue"], False, "red"),
    ]


def test_bounds_are_inclusive():
    assert Paint(layers=9, share=1, color="blue").share == 1
    assert Paint(layers=1, share=0.0).layers == 1


def test_scalars_of_numpy_become_those_of_python():
    paint = Paint(layers=np.int64(3), share=np.float32(0.5))
    assert (paint.layers, type(paint.layers)) == (3, int)
    assert (paint.share, type(paint.share)) == (0.5, float)
    with pytest.raises(UsageError, match="layers must be a whole number from 1 to 9, not 10"):
        Paint(layers=np.int64(10))


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"layers": 0}, "layers must be a whole number from 1 to 9, not 0"),
        ({"layers": 1.5}, "layers must be a whole number from 1 to 9, not 1.5"),
        ({"layers": True}, "layers must be a whole number"),
        ({"layers": None}, "layers must be a whole number"),
        ({"share": 1.1}, "share must be a number from 0.0 to 1.0, not 1.1"),
        ({"share": float("nan")}, "share must be a number from 0.0 to 1.0, not nan"),
        ({"share": "half"}, "share must be a number"),
        ({"color": "green"}, "color must be one of red, blue, not 'green'"),
    ],
)
def test_invalid_value_error_names_the_option_and_its_expected_values(values, why):
    with pytest.raises(UsageError, match=why):
        Paint(**values)
