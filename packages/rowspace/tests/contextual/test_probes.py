"""Probes find what is linear in vectors, and the control task finds what they memorize."""

import numpy as np
import pytest

from rowspace.contextual import ContextualRows, probe, probe_layers
from rowspace.errors import UsageError

RANDOM = np.random.default_rng(0)


def test_a_label_in_one_component_is_found_and_noise_is_not():
    vectors = RANDOM.normal(size=(300, 10))
    found = probe(vectors, vectors[:, 3] > 0)
    noise = probe(vectors, RANDOM.integers(0, 2, 300))
    assert found.accuracy > 0.9
    assert found.selectivity > 0.3
    assert abs(noise.accuracy - 0.5) < 0.15
    assert (found.train, found.test) == (210, 90)


def test_majority_is_the_share_of_the_most_frequent_label():
    labels = ["often"] * 80 + ["seldom"] * 20
    score = probe(RANDOM.normal(size=(100, 3)), labels)
    assert 0.7 <= score.majority <= 0.9


def test_a_probe_memorizes_kinds_that_it_has_seen():
    """One vector for each kind: the control labels of known kinds are read as well as the real ones."""
    kinds = RANDOM.integers(0, 12, 400)
    vectors = np.eye(12)[kinds]
    score = probe(vectors, kinds % 2, kinds=kinds)
    assert score.accuracy == score.control == 1
    assert score.selectivity == 0


def test_groups_are_not_divided():
    groups = np.repeat(np.arange(20), 5)
    vectors = np.eye(20)[groups]  # only the group is in the vectors, and no test group was learned from
    labels = RANDOM.integers(0, 2, 20)[groups]
    assert probe(vectors, labels).accuracy == 1
    assert probe(vectors, labels, groups=groups).accuracy < 1


def test_layers_are_probed_one_by_one():
    """The label is in the static row of one token and in the second layer only of another."""
    tokens = [["x", "y"] for _ in range(40)]
    labels = [[None, "odd" if text % 2 else "even"] for text in range(40)]
    states = RANDOM.normal(size=(40, 2, 2, 4)).astype(np.float32)
    states[:, 1, 1, 0] = np.arange(40) % 2 * 10
    rows = ContextualRows(tokens, list(states), [np.zeros((2, 4), np.float32)] * 40)
    scores = probe_layers(rows, labels)
    assert list(scores) == ["rows", "layer 0", "layer 1"]
    assert scores["layer 1"].accuracy == 1
    assert max(scores["rows"].accuracy, scores["layer 0"].accuracy) < 0.9


@pytest.mark.parametrize(
    ("vectors", "labels", "options", "message"),
    [
        (np.eye(9), range(9), {}, "at least 10 examples and two labels"),
        (np.eye(10), [1] * 10, {}, "at least 10 examples and two labels"),
        (np.eye(10), range(9), {}, "there are 10 vectors but 9 labels"),
        (np.eye(10), range(10), {"kinds": [1]}, "there are 10 vectors but 1 kinds"),
        (np.eye(10), range(10), {"test_share": 1.0}, "test_share must be between 0 and 1, not 1.0"),
        (np.eye(10), range(10), {"groups": [1] * 10}, "the examples to learn from have one label only"),
    ],
)
def test_examples_that_do_not_do_are_refused(vectors, labels, options, message):
    with pytest.raises(UsageError, match=message):
        probe(vectors, list(labels), **options)


def test_labels_must_fit_the_tokens():
    rows = ContextualRows([["the", "class"]], [np.zeros((1, 2, 4), np.float32)], [np.zeros((2, 4), np.float32)])
    with pytest.raises(UsageError, match="one entry for each token"):
        probe_layers(rows, [[1]])
