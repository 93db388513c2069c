"""The vectors of tokens in texts, of our runs."""

import numpy as np
import pytest
import torch

from rowspace.contextual import contextual_rows, probe_layers
from rowspace_lab.experiments import load_run

TEXTS = ["the class of the object", "the object is a class", "a class is a type"]


def test_states_of_a_run_are_those_of_its_model(finished):
    run = load_run(finished.path)
    found = contextual_rows(run, TEXTS)
    ids = run.tokenizer.encode(TEXTS[1]).astype(np.int64)
    assert found.tokens[1] == [run.tokenizer.token(number) for number in ids]
    with torch.no_grad():
        states = run.model.states(torch.from_numpy(ids)[None])
    assert found.layers == 2
    for layer in range(2):
        np.testing.assert_array_equal(found.states[1][layer], states[layer][0])
    np.testing.assert_array_equal(found.static[1], finished.table.rows[ids])


def test_a_static_table_has_self_similarity_one(finished):
    """Without positions, the input of the first block is the row itself."""
    found = contextual_rows(load_run(finished.path), TEXTS)
    for token in ("t", "e"):
        assert found.self_similarity(token)[0] == pytest.approx(1) or len(found.occurrences(token)) == 1


def test_layers_of_a_run_encode_the_previous_token(finished, text):
    texts = [topic[:200] for topic in text]
    rows = contextual_rows(load_run(finished.path), texts)
    labels = [[token.startswith("Ġ") for token in tokens] for tokens in rows.tokens]
    scores = probe_layers(rows, labels)
    assert set(scores) == {"rows", "layer 0", "layer 1"}
    assert scores["rows"].test > 50
