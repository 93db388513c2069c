import numpy as np
import pytest
from scipy.stats import ortho_group

from rowspace import space
from rowspace.errors import UsageError
from rowspace.learn import changes
from rowspace.table import Table


@pytest.fixture
def series(first, second):
    """Three tables in three axes; word20 moves in the first step, word30 and a little word31 in the second."""
    moved = second.rows.copy()
    moved[second.id("word20")] *= -1
    later = moved.copy()
    later[second.id("word30")] *= -1
    later[second.id("word31")] += moved[second.id("word32")]
    words = second.vocabulary
    turned = (later @ ortho_group.rvs(8, random_state=5)).astype(np.float32)
    return [first, Table(words, moved, second.counts), Table(words, turned, second.counts)]


def test_moved_tokens_come_first(series):
    one, two = changes(series, min_count=0)
    assert one.tokens[0] == "word20"
    assert two.tokens[:2] == ["word30", "word31"]
    assert len(one.tokens) == 40
    assert len(two.tokens) == 50
    for step in (one, two):
        assert (np.diff(step.cosines) >= 0).all()
        assert step.cosines[0] < -0.5
        assert np.median(step.cosines) > 0.97
        for token, cosine in zip(step.tokens, step.cosines, strict=True):
            rows = step.before[token], step.after[token]
            np.testing.assert_allclose(cosine, space.cosine(*rows), atol=1e-6)
    assert two.before is one.after


def test_tables_in_the_same_axes_need_no_alignment(first):
    rows = first.rows.copy()
    rows[:3] *= -2
    (step,) = changes([first, Table(first.vocabulary, rows)], align=False)
    np.testing.assert_allclose(step.cosines, [-1] * 3 + [1] * 47, atol=1e-6)
    assert {*step.tokens[:3]} == {*first.vocabulary[:3]}


def test_rare_tokens_are_left_out_if_counts_are_known(first, second, series):
    (step,) = changes(series[:2], min_count=30)
    expected = {word for word in first if word in second and second.counts[second.id(word)] >= 30}
    assert {*step.tokens} == expected
    (step,) = changes([Table(first.vocabulary, first.rows), series[1]], min_count=30)
    assert len(step.tokens) == 40


def test_wrong_input_is_refused(first, second):
    with pytest.raises(UsageError, match="at least two tables in their order in time"):
        changes([first])
    with pytest.raises(UsageError, match="at least two tables"):
        changes(first)
    with pytest.raises(UsageError, match="has a count of at least 1000; give a lower min_count"):
        changes([first, second], min_count=1000)
    with pytest.raises(UsageError, match="min_count must be a whole number"):
        changes([first, second], min_count=-1)
    with pytest.raises(UsageError, match="share no token"):
        changes([first, Table(["x"], np.ones((1, 8)))], align=False)
