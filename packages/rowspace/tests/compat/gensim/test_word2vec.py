import logging

import numpy as np
import pytest
from tests.compat.gensim.conftest import TOPICS, assert_topics_apart

from rowspace.compat.gensim.models import CallbackAny2Vec, KeyedVectors, Word2Vec
from rowspace.compat.gensim.models.word2vec import LineSentence, PathLineSentences, Text8Corpus

SMALL = {"vector_size": 16, "min_count": 1, "epochs": 20, "workers": 1, "alpha": 0.05}
MODELS = {
    "cbow": {},
    "skip-gram": {"sg": 1},
    "sums": {"cbow_mean": 0},
    "hierarchical softmax": {"sg": 1, "hs": 1, "negative": 0},
    "cbow with hierarchical softmax": {"hs": 1, "negative": 0},
    "both": {"hs": 1},
    "fixed windows": {"shrink_windows": False, "window": 3},
}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_tells_topics_apart(name, sentences):
    assert_topics_apart(Word2Vec(sentences, **SMALL | MODELS[name]).wv)


@pytest.mark.parametrize("name", ["cbow", "hierarchical softmax"])
def test_one_worker_is_reproducible_and_another_seed_differs(name, sentences):
    models = [Word2Vec(sentences, **SMALL | MODELS[name], seed=seed) for seed in (1, 1, 2)]
    assert (models[0].wv.vectors == models[1].wv.vectors).all()
    assert (models[0].wv.vectors != models[2].wv.vectors).any()


@pytest.mark.parametrize("name", ["cbow", "both"])
def test_a_saved_model_is_trained_further_as_it_would_have_been(name, sentences, tmp_path):
    model = Word2Vec(sentences, **SMALL | MODELS[name])
    model.save(tmp_path / "model")
    loaded = Word2Vec.load(tmp_path / "model")
    mapped = Word2Vec.load(tmp_path / "model", mmap="r")
    before = model.wv.vectors.copy()
    for each in (model, loaded, mapped):
        each.train(sentences, total_examples=each.corpus_count, epochs=3)
    assert (model.wv.vectors != before).any()
    assert (model.wv.vectors == loaded.wv.vectors).all()
    assert (model.wv.vectors == mapped.wv.vectors).all()
    assert model.wv.index_to_key == loaded.wv.index_to_key


def test_training_goes_on_from_the_weights(sentences):
    model = Word2Vec(sentences, **SMALL)
    learned = model.wv.vectors.copy()
    model.train(sentences, total_examples=1, epochs=1, start_alpha=1e-6, end_alpha=1e-7)
    np.testing.assert_allclose(model.wv.vectors, learned, atol=1e-3)


def test_new_words_are_added_and_old_rows_are_kept(sentences):
    model = Word2Vec(sentences, **SMALL)
    old, outputs = model.wv.vectors.copy(), model.syn1neg.copy()
    model.build_vocab([["zebra", "cat", "cat"]], update=True)
    assert model.wv.index_to_key[-1] == "zebra"
    assert (model.wv.vectors[:-1] == old).all()
    assert (model.syn1neg[:-1] == outputs).all()
    assert (model.syn1neg[-1] == 0).all()
    count = sum(sentence.count("cat") for sentence in sentences)
    assert model.wv.get_vecattr("cat", "count") == count + 2
    model.train([["zebra", "horse"]] * 50, total_examples=50, epochs=5)
    assert (model.wv["zebra"] != 0).all()


def test_a_table_of_a_model_has_its_output_rows(sentences):
    model = Word2Vec(sentences, **SMALL)
    table = model.to_table()
    assert (table.outputs == model.syn1neg).all()
    assert table.neighbors("cat", k=1)[0][0] == model.wv.most_similar("cat", topn=1)[0][0]


def test_locked_vectors_stay(sentences):
    model = Word2Vec(**SMALL)
    model.build_vocab(sentences)
    model.wv.vectors_lockf = np.ones(len(model.wv), np.float32)
    model.wv.vectors_lockf[0] = 0
    before = model.wv.vectors.copy()
    model.train(sentences, total_examples=model.corpus_count, epochs=2)
    assert (model.wv.vectors[0] == before[0]).all()
    assert (model.wv.vectors[1:] != before[1:]).any(axis=1).all()


def test_a_file_gives_the_same_model_as_lists(sentences, tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("".join(" ".join(sentence) + "\n" for sentence in sentences))
    models = [
        Word2Vec(sentences, **SMALL),
        Word2Vec(corpus_file=str(path), **SMALL),
        Word2Vec(LineSentence(path), **SMALL),
    ]
    for model in models[1:]:
        assert (model.wv.vectors == models[0].wv.vectors).all()


class Record(CallbackAny2Vec):
    def __init__(self):
        self.calls, self.losses, self.norms = [], [], []

    def on_train_begin(self, model):
        self.calls.append("train")

    def on_epoch_begin(self, model):
        self.calls.append("epoch")

    def on_epoch_end(self, model):
        self.calls.append("end")
        self.losses.append(model.get_latest_training_loss())
        self.norms.append(float(np.linalg.norm(model.wv.vectors)))

    def on_train_end(self, model):
        self.calls.append("trained")


@pytest.mark.parametrize("name", ["cbow", "hierarchical softmax"])
def test_callbacks_see_each_epoch(name, sentences):
    record = Record()
    Word2Vec(sentences, **SMALL | MODELS[name] | {"epochs": 3}, compute_loss=True, callbacks=[record])
    assert record.calls == ["train", *["epoch", "end"] * 3, "trained"]
    assert 0 < record.losses[0] < record.losses[1] < record.losses[2]
    assert len(set(record.norms)) == 3


def test_predictions_are_probabilities(sentences):
    model = Word2Vec(sentences, **SMALL)
    words = model.predict_output_word(["cat", "dog"], topn=None)
    assert sum(probability for _, probability in words) == pytest.approx(1, abs=1e-5)
    likely = [word for word, _ in words[:5]]
    assert len(set(likely) & {*TOPICS[0], "the"}) >= 4
    assert model.predict_output_word(["unknown"]) is None


@pytest.mark.long
def test_likely_sentences_score_higher(sentences):
    model = Word2Vec(sentences, **SMALL | {"hs": 1, "negative": 0, "sg": 1})
    same, mixed = model.score([["cat", "dog", "horse"], ["cat", "iron", "horse"]])
    assert same > mixed


def test_vocabulary_follows_counts_and_rules(sentences):
    model = Word2Vec(min_count=2, vector_size=4)
    rule = {"drop": 1, "keep": 2}
    model.build_vocab([["a", "a", "drop", "drop", "keep"]], trim_rule=lambda word, count, least: rule.get(word, 0))
    assert model.wv.index_to_key == ["a", "keep"]
    model = Word2Vec(min_count=1, max_final_vocab=2, vector_size=4)
    model.build_vocab_from_freq({"a": 5, "b": 4, "c": 3})
    assert model.wv.index_to_key == ["a", "b"]
    assert model.effective_min_count == 4


def test_unusual_input_is_logged(caplog):
    with caplog.at_level(logging.WARNING):
        model = Word2Vec(["cat", "dog"], min_count=1, vector_size=4)
        model.train(["cat"], total_examples=3, epochs=1, start_alpha=0.5)
    assert "whose characters become words" in caplog.text
    assert "the corpus has 1 sentences" in caplog.text
    assert "Effective 'alpha' higher" in caplog.text


def test_files_of_sentences_are_read(tmp_path):
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text(f"{name} x\ny z w\n")
    assert [line[0] for line in PathLineSentences(tmp_path)] == ["a.txt", "y", "b.txt", "y"]
    assert list(LineSentence(tmp_path / "a.txt", max_sentence_length=2)) == [["a.txt", "x"], ["y", "z"], ["w"]]
    assert list(LineSentence(tmp_path / "a.txt", limit=1)) == [["a.txt", "x"]]
    assert list(Text8Corpus(tmp_path / "a.txt", max_sentence_length=4)) == [["a.txt", "x", "y", "z"], ["w"]]


def untrained():
    model = Word2Vec(min_count=1, vector_size=4)
    model.build_vocab([["a", "b"]])
    return model


ERRORS = {
    "no vocabulary": (lambda: Word2Vec([]), RuntimeError, "no vocabulary"),
    "all rare": (lambda: Word2Vec([["a"]]), RuntimeError, "lower min_count"),
    "nothing to learn": (lambda: Word2Vec([["a"]], min_count=1, negative=0), ValueError, "hs must be 1"),
    "generator": (lambda: Word2Vec(word for word in ["a"]), TypeError, "a generator is not"),
    "two corpora": (lambda: Word2Vec([["a"]], "file"), TypeError, "got both"),
    "numbers": (lambda: Word2Vec([1, 2]), TypeError, "of type int"),
    "lists in lists": (lambda: Word2Vec([[["a"]]]), TypeError, "sentence 0 is not a list of words"),
    "vector_size": (lambda: Word2Vec(vector_size=0), ValueError, "vector_size must be at least 1, got 0"),
    "negative": (lambda: Word2Vec(negative=-1), ValueError, "negative must not be negative"),
    "epochs": (lambda: untrained().train([["a"]], total_examples=1), ValueError, "epochs=model.epochs"),
    "examples": (lambda: untrained().train([["a"]], epochs=1), ValueError, "total_examples=model.corpus_count"),
    "update": (lambda: Word2Vec().build_vocab([["a"]], update=True), RuntimeError, "there is none yet"),
    "score": (lambda: untrained().score([["a"]]), RuntimeError, "hs=1"),
    "no file": (lambda: Word2Vec(corpus_file="/no/such/file"), ValueError, "cannot be opened"),
    "no model": (lambda: Word2Vec.load("/no/such/file"), ValueError, "cannot be opened"),
    "instance": (lambda: untrained().load("x"), AttributeError, "call Word2Vec.load"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_is_wrong(name):
    call, kind, message = ERRORS[name]
    with pytest.raises(kind, match=message):
        call()


def test_files_of_others_are_refused(sentences, tmp_path):
    import gensim.models

    path = str(tmp_path / "model")
    gensim.models.Word2Vec([["a", "b"]] * 5, vector_size=4).save(path)
    with pytest.raises(ValueError, match=r"is a pickle of gensim.*save_word2vec_format"):
        Word2Vec.load(path)
    untrained().wv.save(path)
    with pytest.raises(AttributeError, match="holds a KeyedVectors, not a Word2Vec"):
        Word2Vec.load(path)
    assert len(KeyedVectors.load(path)) == 2


def test_vectors_without_weights_cannot_be_trained(tmp_path):
    model = untrained()
    model.wv.save_word2vec_format(tmp_path / "vectors")
    other = Word2Vec()
    other.wv = KeyedVectors.load_word2vec_format(tmp_path / "vectors")
    with pytest.raises(RuntimeError, match="vectors only"):
        other.train([["a", "b"]], total_examples=1, epochs=1)
    with pytest.raises(RuntimeError, match="negative of at least 1"):
        other.predict_output_word(["a"])
