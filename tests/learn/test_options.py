"""Options say no to what cannot work, and fill in what depends on the model."""

import pytest

from rowspace.errors import UsageError
from rowspace.learn import FitOptions


@pytest.mark.parametrize(
    ("name", "value"),
    [("dim", 0), ("window", 0), ("negatives", -1), ("sample", 2.0), ("alpha", -1.0), ("epochs", 0), ("workers", 0),
     ("model", "glove"), ("cbow_gradient", "none"), ("seed", -1), ("dim", "many"), ("epochs", 1.5), ("window", True)],
)  # fmt: skip
def test_a_wrong_value_is_named(name, value):
    with pytest.raises(UsageError, match=f"{name} must be .* not {value!r}"):
        FitOptions(**{name: value})


@pytest.mark.parametrize(
    ("given", "rates"),
    [({}, (0.035, 0.0105)), ({"model": "cbow"}, (0.1, 0.03)), ({"alpha": 0.1, "min_alpha": 0.0}, (0.1, 0.0))],
)
def test_the_learning_rate_depends_on_the_model_unless_given(given, rates):
    assert FitOptions(**given).learning_rates == pytest.approx(rates)
