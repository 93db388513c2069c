"""Words out of the vocabulary, compared with fastText."""

import fasttext
import numpy as np
import pytest

from rowspace.encode import Encoder
from rowspace.encode.unseen import split_words
from rowspace.errors import UsageError
from rowspace.learn.fit import fit
from rowspace.table import Table

pytestmark = pytest.mark.kernels
TEXTS = ["the cat sat", "", "catsat on\u00a0the\tzebra\x00mat", "x", "한국 cats cats the", "the", "\ud800"]


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("fasttext")
    (path / "text").write_text("the cat sat on the mat\nthe dog sat on the cat\n" * 20)
    # With T threads fastText 0.9.3 initializes only T * (size // 10) numbers; the rest is uninitialized memory.
    model = fasttext.train_unsupervised(
        str(path / "text"), dim=6, minCount=1, minn=2, maxn=3, bucket=100, epoch=1, thread=11, verbose=0
    )
    model.save_model(str(path / "model.bin"))
    return model, path / "model.bin"


def vector_by_fasttext(model, text):
    """The mean of the vectors of all words that have one; `get_sentence_vector` normalizes each word first."""
    words = split_words(text.replace("\ud800", "\ufffd"))
    vectors = [model.get_word_vector(word) for word in words if model.get_subwords(word)[1].size]
    return np.mean(vectors, axis=0) if vectors else np.zeros(6)


def test_vectors_are_means_of_those_of_fasttext(model):
    library, path = model
    encoder = Encoder.load(path)
    assert (encoder.tokenizer, encoder.options.mode) == (None, "rowspace")
    expected = np.stack([vector_by_fasttext(library, text) for text in TEXTS])
    for compiled in (False, True):
        out = np.empty((len(TEXTS), 6), np.float32)
        encoder.executor.encode_piece(TEXTS, encoder.plan, out, compiled=compiled)
        np.testing.assert_allclose(out, expected, atol=1e-6)
    assert encoder.report.composed_tokens == 2 * 8


def test_words_without_a_bucket_are_unknown(model):
    encoder = Encoder.load(model[1])
    sparse = encoder.table.subwords
    buckets = sparse.places.copy()
    buckets[:] = -2  # all n-grams are pruned
    table = Table(
        encoder.table.vocabulary, encoder.table.rows, subwords=type(sparse)(sparse.rows, sparse.own, buckets, 2, 3)
    )
    pruned = Encoder(table)
    assert (pruned.encode("zebra the") == encoder.encode("the")).all()
    assert pruned.report.unknown_tokens == 1
    assert pruned.report.composed_tokens == 0


def test_tokenizer_of_words_leaves_unseen_words_to_their_ngrams():
    table = fit(["the cat sat on the mat"] * 20, dim=4, epochs=1, min_count=1, subwords=True, buckets=50, workers=1)
    encoder = Encoder(table)
    assert encoder.tokenizer is not None
    texts = ["The CATS sat!", "ZEBRA, zebra", "the", ""]
    words = [["the", "cats", "sat"], ["zebra", "zebra"], ["the"], []]
    rows = {
        word: table.rows[table.id(word)] if word in table else table.subwords.row(word)
        for each in words
        for word in each
    }
    expected = [np.mean([rows[word] for word in each], axis=0) if each else np.zeros(4) for each in words]
    for compiled in (False, True):
        out = np.empty((4, 4), np.float32)
        encoder.executor.encode_piece(texts, encoder.plan, out, compiled=compiled)
        np.testing.assert_allclose(out, expected, atol=1e-6)
    assert encoder.report.composed_tokens == 2 * 3


def test_other_modes_need_a_tokenizer(model):
    with pytest.raises(UsageError, match="mode 'model2vec' needs a table with a tokenizer"):
        Encoder.load(model[1], mode="model2vec")
    with pytest.raises(UsageError, match="this table has no tokenizer, so texts have no ids; encode"):
        Encoder.load(model[1]).encode_tokens(["a"])
