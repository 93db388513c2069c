import fasttext
import numpy as np
import pytest
from tests.compat.gensim.conftest import assert_topics_apart

from rowspace.compat.gensim.models import FastText
from rowspace.compat.gensim.models.fasttext import (
    FastTextKeyedVectors,
    compute_ngrams,
    ft_hash_bytes,
    ft_ngram_hashes,
    load_facebook_model,
    load_facebook_vectors,
    save_facebook_model,
)
from rowspace.subwords.hashing import ngram_buckets

SMALL = {"vector_size": 16, "min_count": 1, "epochs": 20, "workers": 1, "alpha": 0.05, "bucket": 500}
MODELS = {
    "cbow": {},
    "skip-gram": {"sg": 1},
    "hierarchical softmax": {"sg": 1, "hs": 1, "negative": 0},
    "sums": {"cbow_mean": 0, "alpha": 0.02},
    "no n-grams": {"max_n": 0},
    "no n-grams, hierarchical softmax": {"max_n": 0, "hs": 1, "negative": 0},
}


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_every_model_tells_topics_apart(name, sentences):
    model = FastText(sentences, **SMALL | MODELS[name])
    assert_topics_apart(model.wv)
    if model.wv.bucket:
        assert model.wv["horses"].shape == (16,)
        assert model.wv.similarity("horses", "horse") > model.wv.similarity("horses", "gold")
    else:
        with pytest.raises(KeyError, match="there are no n-grams"):
            model.wv["horses"]


@pytest.mark.parametrize("name", ["cbow", pytest.param("hierarchical softmax", marks=pytest.mark.long)])
def test_a_saved_model_is_trained_further_as_it_would_have_been(name, sentences, tmp_path):
    model = FastText(sentences, **SMALL | MODELS[name])
    model.save(tmp_path / "model")
    loaded = FastText.load(tmp_path / "model")
    for each in (model, loaded):
        each.build_vocab([["zebra", "cat"]], update=True)
        each.train([*sentences, ["zebra", "cat"]], total_examples=401, epochs=2)
    assert (model.wv.vectors == loaded.wv.vectors).all()
    assert (model.wv.vectors_ngrams == loaded.wv.vectors_ngrams).all()
    assert "zebra" in loaded.wv.key_to_index


@pytest.fixture(scope="module")
def facebook(sentences, tmp_path_factory):
    """A model of Facebook's own library, and its file."""
    folder = tmp_path_factory.mktemp("facebook")
    (folder / "corpus.txt").write_text("".join(" ".join(sentence) + "\n" for sentence in sentences))
    # With fewer threads fastText 0.9.3 leaves some numbers uninitialized.
    model = fasttext.train_unsupervised(
        str(folder / "corpus.txt"), dim=8, minCount=1, bucket=300, epoch=2, thread=11, verbose=0
    )
    model.save_model(str(folder / "model.bin"))
    return model, folder / "model.bin"


def test_facebooks_models_are_opened_and_trained_further(facebook, sentences):
    theirs, path = facebook
    model, vectors = load_facebook_model(path), load_facebook_vectors(path)
    for word in ["cat", "gold", "horses", "naïve", "</s>"]:
        np.testing.assert_allclose(model.wv[word], theirs.get_word_vector(word), atol=1e-6)
        np.testing.assert_allclose(vectors[word], theirs.get_word_vector(word), atol=1e-6)
    assert (model.syn1neg == theirs.get_output_matrix()).all()
    assert (model.sg, model.hs, model.negative, model.window, model.wv.bucket) == (1, 0, 5, 5, 300)
    model.sample = 0  # the model's own threshold would drop most words of so few
    model.train(sentences, total_examples=len(sentences), epochs=20)
    assert_topics_apart(model.wv)


def test_saved_models_are_those_of_facebook(facebook, sentences, tmp_path):
    _, path = facebook
    save_facebook_model(load_facebook_model(path), tmp_path / "again.bin")
    assert (tmp_path / "again.bin").read_bytes() == path.read_bytes()
    for name in ("cbow", "hierarchical softmax"):
        model = FastText(sentences, **SMALL | MODELS[name])
        save_facebook_model(model, tmp_path / "ours.bin")
        theirs = fasttext.load_model(str(tmp_path / "ours.bin"))
        for word in ["cat", "gold", "horses"]:
            np.testing.assert_allclose(model.wv[word], theirs.get_word_vector(word), atol=1e-6)


def test_other_files_are_refused(facebook, tmp_path):
    path = tmp_path / "file.bin"
    (tmp_path / "labels.txt").write_text("__label__a cat\n__label__b gold\n" * 5)
    # With 11 threads and a multiple of 10 columns, fastText sets all rows before it learns; else some are never set.
    classifier = fasttext.train_supervised(str(tmp_path / "labels.txt"), dim=10, epoch=1, thread=11, verbose=0)
    classifier.save_model(str(path))
    with pytest.raises(NotImplementedError, match="is a classifier"):
        load_facebook_model(path)
    path.write_bytes(b"no model of any kind, but longer than the arguments of one would be" * 2)
    with pytest.raises(NotImplementedError, match="is not a model of fastText"):
        load_facebook_model(path)
    path.write_bytes(facebook[1].read_bytes()[:-9])
    with pytest.raises(ValueError, match="ends before its output rows"):
        load_facebook_model(path)


def test_ngrams_by_gensims_names_are_those_of_rowspace():
    assert compute_ngrams("at", 2, 3) == ["<a", "at", "t>", "<at", "at>"]
    for word in ("naïve", "日本", "", "x"):
        buckets = ngram_buckets(word, min_n=3, max_n=5, buckets=1000).tolist()
        assert ft_ngram_hashes(word, 3, 5, 1000).tolist() == buckets
    assert ft_hash_bytes("北海道".encode()) == 4096045468  # by Facebook's library


def test_only_used_buckets_are_random():
    vectors = FastTextKeyedVectors(4, 3, 3, 100)
    vectors.index_to_key, vectors.key_to_index = ["at"], {"at": 0}
    vectors.resize_vectors(seed=1)
    used = ft_ngram_hashes("at", 3, 3, 100)
    assert sorted(set(used.tolist())) == np.flatnonzero(vectors.vectors_ngrams.any(axis=1)).tolist()
    expected = (vectors.vectors_vocab[0] + vectors.vectors_ngrams[used].sum(axis=0)) / (1 + len(used))
    np.testing.assert_allclose(vectors["at"], expected, atol=1e-6)


def test_a_word_without_ngrams_is_zero():
    vectors = FastTextKeyedVectors(4, 6, 6, 100)
    with pytest.warns(UserWarning, match="has no n-grams"):
        assert (vectors["a"] == 0).all()


def test_a_fast_training_is_kept_after_a_general_one(sentences):
    model = FastText(sentences, **SMALL | {"epochs": 1})
    for rate in (0, 1):
        before = model.wv.vectors_vocab.copy(), model.wv.vectors_ngrams.copy()
        model.wv.vectors_vocab_lockf = np.full(1, rate, np.float32)  # 0 is learned by the general learner
        model.train(sentences, total_examples=len(sentences), epochs=1)
        assert (model.wv.vectors_vocab != before[0]).any() == bool(rate)
        assert (model.wv.vectors_ngrams != before[1]).any()


def test_vectors_become_a_table_with_ngrams(sentences):
    model = FastText(sentences, **SMALL)
    table = model.wv.to_table()
    with pytest.warns(UserWarning, match="horses"):
        np.testing.assert_allclose(table["horses"], model.wv["horses"], atol=1e-6)


def test_word_ngrams_are_refused():
    with pytest.raises(ValueError, match="word_ngrams must be 1"):
        FastText(word_ngrams=2)
