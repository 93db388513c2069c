import gensim.models
import numpy as np
import pytest
from tests.compat.gensim.conftest import assert_topics_apart

from rowspace.compat.gensim.models import Doc2Vec, KeyedVectors, TaggedDocument
from rowspace.compat.gensim.models.doc2vec import TaggedLineDocument

SMALL = {"vector_size": 12, "min_count": 1, "epochs": 30, "workers": 1, "alpha": 0.05, "window": 2}
MODELS = {
    "dbow": {"dm": 0},
    "dbow, hierarchical softmax": {"dm": 0, "hs": 1, "negative": 0},
    "dbow with words": {"dm": 0, "dbow_words": 1},
    "dm": {"dm": 1},
    "dm, sums": {"dm_mean": 0},
    "dm, hierarchical softmax": {"hs": 1, "negative": 0},
    "dm, concatenation": {"dm_concat": 1},
}


@pytest.fixture(scope="module")
def documents(sentences):
    """Twelve documents, whose topics alternate, with a tag for each and a tag for its topic."""
    return [
        TaggedDocument([word for sentence in sentences[number::12] for word in sentence], [number])
        for number in range(12)
    ]


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_every_model_tells_documents_apart(name, documents):
    model = Doc2Vec(documents, **SMALL | MODELS[name])
    assert_topics_apart(model.dv, [[0, 2, 4, 6, 8, 10], [1, 3, 5, 7, 9, 11]])
    inferred = model.infer_vector(documents[4].words)
    assert model.dv.most_similar([inferred], topn=1)[0][0] % 2 == 0
    assert (inferred == model.infer_vector(documents[4].words)).all()
    if name in ("dbow with words", "dm"):
        assert_topics_apart(model.wv)


@pytest.mark.long
@pytest.mark.parametrize("name", ["dbow", "dm, concatenation"])
def test_a_saved_model_is_trained_further_as_it_would_have_been(name, documents, tmp_path):
    model = Doc2Vec(documents, **SMALL | MODELS[name])
    model.save(tmp_path / "model")
    loaded = Doc2Vec.load(tmp_path / "model")
    assert (model.infer_vector(["cat"]) == loaded.infer_vector(["cat"])).all()
    for each in (model, loaded):
        each.train(documents, total_examples=each.corpus_count, epochs=2)
    assert (model.dv.vectors == loaded.dv.vectors).all()
    assert (model.wv.vectors == loaded.wv.vectors).all()


def test_tags_are_numbers_or_text():
    documents = [TaggedDocument(["a", "b"], [2, "first"]), TaggedDocument(["c"], ["second", "first"])]
    model = Doc2Vec(documents, vector_size=4, min_count=1)
    assert model.dv.index_to_key == [0, 1, 2, "first", "second"]
    assert model.dv.get_index("second") == 4
    assert model.dv.get_vecattr("first", "doc_count") == 2
    assert model.dv.get_vecattr("first", "word_count") == 3
    assert (model["second"] == model.dv[4]).all()
    model.build_vocab([TaggedDocument(["d"], ["third"])], update=True)
    assert model.dv.index_to_key[-1] == "third"
    assert model.dv.vectors.shape == (6, 4)


def test_a_file_gives_documents(documents, tmp_path):
    path = tmp_path / "documents.txt"
    path.write_text("".join(" ".join(document.words) + "\n" for document in documents))
    assert [document.tags for document in TaggedLineDocument(path)] == [[number] for number in range(12)]
    first, second = Doc2Vec(documents, **SMALL), Doc2Vec(corpus_file=str(path), **SMALL)
    assert (first.dv.vectors == second.dv.vectors).all()


def test_unseen_documents_are_compared(documents):
    model = Doc2Vec(documents, **SMALL | {"dm": 0})
    assert model.similarity_unseen_docs(["cat", "dog"], ["cat", "dog"]) == pytest.approx(1)
    assert model.similarity_unseen_docs(["cat"] * 9, ["dog"] * 9) > model.similarity_unseen_docs(
        ["cat"] * 9, ["iron"] * 9
    )


def test_inference_changes_nothing_else(documents):
    model = Doc2Vec(documents, **SMALL)
    before = [rows.copy() for rows in (model.wv.vectors, model.dv.vectors, model.syn1neg)]
    model.infer_vector(["cat", "dog"])
    for rows, old in zip((model.wv.vectors, model.dv.vectors, model.syn1neg), before, strict=True):
        assert (rows == old).all()


def test_vectors_of_words_and_documents_are_written_to_one_file(documents, tmp_path):
    model = Doc2Vec(documents, **SMALL)
    model.save_word2vec_format(tmp_path / "vectors", doctag_vec=True)
    vectors = KeyedVectors.load_word2vec_format(tmp_path / "vectors")
    assert len(vectors) == len(model.wv) + len(model.dv)
    np.testing.assert_array_equal(vectors["*dt_3"], model.dv[3])


def test_names_equal_gensims():
    # gensim ignores dm_mean=0; cbow_mean=0 has the same meaning in both.
    for options in (
        *({}, {"dm": 0}, {"dm": 0, "dbow_words": 1}, {"cbow_mean": 0}, {"dm_concat": 1}, {"hs": 1}),
        {"hs": 1, "negative": 0, "workers": 1, "min_count": 1, "sample": 0, "comment": "of a test"},
        {"vector_size": 20, "window": 9, "sample": 1e-5, "min_count": 2},
    ):
        assert str(Doc2Vec(**options)) == str(gensim.models.Doc2Vec(**options))
    assert str(TaggedDocument(["a"], [0])) == str(gensim.models.doc2vec.TaggedDocument(["a"], [0]))


ERRORS = {
    "a string": (lambda model: model.infer_vector("cat dog"), TypeError, "call split"),
    "no tags": (lambda model: model.train([["cat"]], total_examples=1, epochs=1), TypeError, "TaggedDocument"),
    "negative": (lambda _: Doc2Vec([TaggedDocument(["a"], [-1])]), ValueError, "must not be negative, got -1"),
    "empty": (lambda _: Doc2Vec().infer_vector(["a"]), RuntimeError, "no vocabulary"),
    "nothing to write": (lambda model: model.save_word2vec_format("x", word_vec=False), ValueError, "must be true"),
    "unknown tag": (lambda model: model["unknown"], KeyError, "'unknown' is not in the vocabulary"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_say_what_is_wrong(name, documents):
    call, kind, message = ERRORS[name]
    with pytest.raises(kind, match=message):
        call(Doc2Vec(documents, **SMALL | {"epochs": 1}))
