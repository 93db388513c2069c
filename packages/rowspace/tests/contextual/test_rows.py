"""The vectors of tokens in texts, of an encoder on disk, and the measures of Ethayarajh (2019)."""

from itertools import combinations

import numpy as np
import pytest
import torch
from tests.bert_of_words import save_bert_of_words, save_roberta_of_words
from transformers import BertModel, T5Config, T5EncoderModel, T5Model

from rowspace.contextual import contextual_rows
from rowspace.errors import FileFormatError, UsageError

TEXTS = ["the class of the object", "the object is a class", "a class is a type"]
WORDS = sorted(set(" ".join(TEXTS).split()))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    """A BERT with random weights and a tokenizer of words."""
    folder = tmp_path_factory.mktemp("encoder")
    save_bert_of_words(folder, WORDS)
    return folder


def test_states_of_an_encoder_are_those_of_transformers(encoder, assert_close):
    found = contextual_rows(encoder, TEXTS)
    assert found.tokens == [text.split() for text in TEXTS]
    model = BertModel.from_pretrained(encoder).eval()
    ids = torch.tensor([[WORDS.index(word) for word in TEXTS[0].split()]])
    with torch.no_grad():
        states = model(ids, output_hidden_states=True).hidden_states
    assert found.layers == len(states) == 4
    assert_close(found.states[0], torch.cat(states))
    assert_close(found.static_row("class"), model.get_input_embeddings().weight.detach()[WORDS.index("class")])


def test_occurrences_are_in_the_order_of_the_texts(encoder):
    found = contextual_rows(encoder, TEXTS)
    places = [(0, 1), (1, 4), (2, 1)]
    expected = np.stack([found.states[text][:, place] for text, place in places])
    np.testing.assert_array_equal(found.occurrences("class"), expected)
    assert len(found.occurrences("the")) == 3
    with pytest.raises(UsageError, match="token 'dog' does not occur"):
        found.occurrences("dog")


def cosine(a, b):
    return a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_measures_are_those_of_the_paper(encoder, assert_close):
    """Computed pair by pair, as the formulas of the paper are written."""
    found = contextual_rows(encoder, TEXTS)
    measures = found.measures()
    names = [token for tokens in found.tokens for token in tokens]
    for layer in range(found.layers):
        all_vectors = np.concatenate([states[layer] for states in found.states]).astype(np.float64)
        different = [
            cosine(all_vectors[i], all_vectors[j])
            for i, j in combinations(range(len(names)), 2)
            if names[i] != names[j]
        ]
        same = []
        for token in {name for name in names if names.count(name) > 1}:
            own = [all_vectors[place] for place, name in enumerate(names) if name == token]
            same.append(np.mean([cosine(a, b) for a, b in combinations(own, 2)]))
        inside = []
        for states in found.states:
            vectors = states[layer].astype(np.float64)
            inside.append(np.mean([cosine(vector, vectors.mean(axis=0)) for vector in vectors]))
        base = np.mean(different)
        assert_close(np.float32(measures.anisotropy[layer]), base)
        assert_close(np.float32(measures.self_similarity[layer]), np.mean(same) - base)
        assert_close(np.float32(measures.intra_sentence_similarity[layer]), np.mean(inside) - base)


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one string", "texts must be a list of texts"),
        ([], "no text has a token"),
        ([""], "no text has a token"),
        (["the " * 9], "has 9 tokens, but the model reads 8; shorten it"),
    ],
)
def test_texts_that_do_not_do_are_refused(texts, message, encoder):
    with pytest.raises(UsageError, match=message):
        contextual_rows(encoder, texts)


def test_roberta_reads_fewer_ids_than_it_has_positions(tmp_path):
    save_roberta_of_words(tmp_path, WORDS)
    assert contextual_rows(tmp_path, ["the " * 10]).states[0].shape[1] == 10
    with pytest.raises(UsageError, match="has 11 tokens, but the model reads 10; shorten it"):
        contextual_rows(tmp_path, ["the " * 11])


def test_states_of_a_model_with_a_decoder_are_those_of_its_encoder(tmp_path, assert_close):
    save_bert_of_words(tmp_path, WORDS)
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
    T5Model(T5Config(vocab_size=len(WORDS) + 1, **sizes)).save_pretrained(tmp_path)
    found = contextual_rows(tmp_path, TEXTS[:1])
    ids = torch.tensor([[WORDS.index(word) for word in TEXTS[0].split()]])
    with torch.no_grad():
        states = T5EncoderModel.from_pretrained(tmp_path).eval()(ids, output_hidden_states=True).hidden_states
    assert_close(found.states[0], torch.cat(states))


def test_measures_need_a_token_that_occurs_twice(encoder):
    with pytest.raises(UsageError, match="no token occurs twice"):
        contextual_rows(encoder, ["the class"]).measures()
    with pytest.raises(UsageError, match="all tokens of the texts are the same"):
        contextual_rows(encoder, ["the the", "the"]).measures()
    assert np.isnan(contextual_rows(encoder, ["the class"]).self_similarity("the")).all()


def test_invalid_models_are_refused(tmp_path, encoder):
    with pytest.raises(UsageError, match=r"is not a model of transformers, since it has no config\.json"):
        contextual_rows(tmp_path, TEXTS)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(FileFormatError, match="does not open as a model of transformers"):
        contextual_rows(tmp_path, TEXTS)
