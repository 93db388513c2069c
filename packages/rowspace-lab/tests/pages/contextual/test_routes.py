"""A word in several texts, layer by layer, compared with transformers, NumPy and SciPy."""

import sys
from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cosine, pdist, squareform
from tests.bert_of_words import save_bert_of_words
from transformers import BertModel

from rowspace.errors import MissingExtraError, UsageError
from rowspace.store import load
from rowspace_lab.lab import Lab
from rowspace_lab.pages.contextual.routes import SENSES
from rowspace_lab.tables.english import ENGLISH

LAYERS = "contextual/layers"
TEXTS = ["the bank of the river", "a bank holds money", "the river has a bank", "money in the bank"]
WORDS = sorted(set(" ".join(TEXTS).split()))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A lab over the table of a BERT with random weights, whose tokens are words."""
    folder = tmp_path_factory.mktemp("encoder")
    save_bert_of_words(folder, WORDS)
    return Lab(load(folder), str(folder))


@pytest.fixture(scope="module")
def vectors(encoder):
    """The vectors of "bank" as transformers computes them, (layers, 4, d), and its row."""
    model = BertModel.from_pretrained(encoder.path).eval()
    found = []
    for text in TEXTS:
        words = text.split()
        ids = torch.tensor([[WORDS.index(word) for word in words]])
        with torch.no_grad():
            states = model(ids, output_hidden_states=True).hidden_states
        found.append(np.stack([state[0, words.index("bank")].double().numpy() for state in states]))
    row = model.get_input_embeddings().weight.detach()[WORDS.index("bank")].double().numpy()
    return np.stack(found, axis=1), row


def test_cosines_equal_those_of_scipy(encoder, check_code, vectors) -> None:
    reply = check_code(encoder, LAYERS, word="Bank", texts=TEXTS)
    states, row = vectors
    assert reply.meta["token"] == "bank"
    assert reply.meta["places"] == [[0, 1], [1, 1], [2, 4], [3, 3]]
    for layer, uses in enumerate(states):
        between = 1 - squareform(pdist(uses, "cosine"))
        np.testing.assert_allclose(reply.arrays["between"][layer], between, atol=1e-6)
        np.testing.assert_allclose(reply.arrays["own"][layer], between[np.triu_indices(4, 1)].mean(), atol=1e-6)
        to_row = [1 - cosine(use, row) for use in uses]
        np.testing.assert_allclose(reply.arrays["to_row"][layer], to_row, atol=1e-6)


def test_pooled_texts_are_compared_as_by_scipy(encoder, ask) -> None:
    model, means = BertModel.from_pretrained(encoder.path).eval(), []
    for text in TEXTS:
        ids = torch.tensor([[WORDS.index(word) for word in text.split()]])
        with torch.no_grad():
            states = model(ids, output_hidden_states=True).hidden_states
        means.append([state[0].double().mean(0).numpy() for state in states])
    expected = [(1 - pdist(layer, "cosine")).mean() for layer in zip(*means, strict=True)]
    reply = ask(encoder, LAYERS, word="bank", texts=TEXTS)
    np.testing.assert_allclose(reply.arrays["pooled"], expected, atol=1e-6)
    single = ask(encoder, LAYERS, word="the", texts=["the bank of the river"])
    assert np.isnan(single.arrays["pooled"]).all()


def test_the_map_has_the_distances_of_the_plane_and_turns_little_between_layers(encoder, ask, vectors) -> None:
    xy = ask(encoder, LAYERS, word="bank", texts=TEXTS[:3]).arrays["xy"]
    assert xy.shape == (4, 4, 2)
    for layer, uses in enumerate(vectors[0][:, :3]):  # three points lie in a plane, so that their distances are kept
        units = uses / np.linalg.norm(uses, axis=1, keepdims=True)
        np.testing.assert_allclose(pdist(xy[layer][:3]), pdist(units), atol=1e-6)
    for one, other in pairwise(xy):  # no rotation or reflection brings a layer nearer to the last one
        assert np.trace(one.T @ other) == pytest.approx(np.linalg.svd(one.T @ other, compute_uv=False).sum(), abs=1e-9)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"word": "piano"},
            "no token of the texts is 'piano'; the tokens of the first text are: the bank of the river",
        ),
        ({"texts": [" "]}, "there is no text; type at least two"),
        ({"texts": ["a bank"]}, "no token occurs twice in the texts"),
    ],
)
def test_bad_input_is_refused(encoder, ask, parameters, message) -> None:
    with pytest.raises(UsageError, match=message):
        ask(encoder, LAYERS, **{"word": "bank", "texts": TEXTS} | parameters)


def test_own_texts_have_a_stored_result_where_no_model_can_be_run(ask, monkeypatch: pytest.MonkeyPatch) -> None:
    computed = ask(ENGLISH.open(), LAYERS)
    assert computed.meta["missing"] == ""
    monkeypatch.setitem(sys.modules, "transformers", None)  # as if it were not installed
    stored = ask(ENGLISH.open(), LAYERS)
    assert "pip install 'rowspace[torch,models]'" in stored.meta["missing"]
    for reply in (computed, stored):
        del reply.meta["missing"], reply.meta["code"]
    assert stored.meta == computed.meta  # or run scripts/make_contextual.py
    assert stored.arrays.keys() == computed.arrays.keys()
    for name, array in computed.arrays.items():
        np.testing.assert_allclose(stored.arrays[name], array, atol=1e-3)
    with pytest.raises(MissingExtraError):
        ask(ENGLISH.open(), LAYERS, texts=[*SENSES][1:])
