"""`FitOptions` refuses invalid values and fills in defaults that depend on the model."""

import pytest

from rowspace.errors import UsageError
from rowspace.learn import FitOptions
from rowspace.learn.word2vec.allocation import bytes_needed, check_memory, empty_weights, make_scratch


@pytest.mark.parametrize(
    ("name", "value"),
    [("dim", 0), ("window", 0), ("negatives", -1), ("sample", 2.0), ("alpha", -1.0), ("epochs", 0), ("workers", 0),
     ("buckets", 2**31 - 1), ("alpha", float("nan")), ("sample", float("inf")), ("workers", 1025), ("window", 1001),
     ("negatives", 1001), ("dim", 65_537), ("epochs", 10**9),
     ("model", "glove"), ("cbow_gradient", "none"), ("seed", -1), ("dim", "many"), ("epochs", 1.5), ("window", True)],
)  # fmt: skip
def test_invalid_value_is_named_in_the_error(name, value):
    with pytest.raises(UsageError, match=f"{name} must be .* not {value!r}"):
        FitOptions(**{name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [("seed", 0), ("seed", 2**63 - 1), ("negatives", 1), ("negatives", 1000), ("window", 1000), ("workers", 1024),
     ("dim", 1), ("dim", 65_536), ("sample", 0.0), ("sample", 1.0)],
)  # fmt: skip
def test_bounds_themselves_are_valid(name, value):
    assert getattr(FitOptions(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("given", "rates"),
    [({}, (0.035, 0.0105)), ({"model": "cbow"}, (0.1, 0.03)), ({"alpha": 0.1, "min_alpha": 0.0}, (0.1, 0.0))],
)
def test_default_learning_rate_depends_on_the_model(given, rates):
    assert FitOptions(**given).learning_rates == pytest.approx(rates)


@pytest.mark.parametrize("given", [{"min_alpha": 1.0}, {"alpha": 0.01, "min_alpha": 0.02}])
def test_increasing_learning_rate_is_refused(given):
    with pytest.raises(UsageError, match="min_alpha, the learning rate at the end, must not exceed alpha"):
        FitOptions(**given)


def test_tables_larger_than_memory_are_refused_before_allocating():
    for size, ngrams, options in (
        (100_000_000, 0, {"dim": 65_536}),
        (1_000_000_000_000, 0, {"dim": 1}),
        (10, 10**12, {"dim": 100, "subwords": True}),
    ):
        with pytest.raises(UsageError, match=r"dim=.* need [\d,.]+ GiB, but this machine has"):
            check_memory(size, ngrams, FitOptions(**options, workers=1))
    check_memory(1000, 1000, FitOptions(subwords=True))


def test_estimated_memory_equals_allocated_memory():
    for given in (
        {},
        {"workers": 3},
        {"model": "cbow", "subwords": True, "workers": 2, "buckets": 100},
        {"workers": 1, "deterministic": True},
    ):
        options = FitOptions(dim=20, **given)
        weights = empty_weights(700, options)
        arrays = [*weights[:2]]
        for worker in range(options.threads):
            scratch = make_scratch(700, options, worker=worker)
            arrays += [scratch.composed, scratch.composed_before, scratch.hidden, scratch.hidden_before]
            arrays += [scratch.copies.inputs, scratch.copies.outputs]
        needed = bytes_needed(700, 0, options) - 4 * options.buckets * options.subwords
        assert sum(array.nbytes for array in arrays) == pytest.approx(needed, rel=0.01)


def test_bounds_in_messages_have_thousands_separators():
    with pytest.raises(UsageError, match="buckets must be a whole number from 1 to 100,000,000, not 0"):
        FitOptions(buckets=0)
    with pytest.raises(UsageError, match=r"alpha must be a number from 0\.0 to 10\.0, not -1"):
        FitOptions(alpha=-1)
