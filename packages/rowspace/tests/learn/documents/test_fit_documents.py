"""Rows of documents: PV-DBOW by the kernels of skip-gram."""

import numpy as np
import pytest
from tests.learn.word2vec.reference import skipgram_step

from rowspace.errors import CorpusError, FileFormatError, UsageError
from rowspace.learn import Documents, fit_documents
from rowspace.learn.documents.passes import learn_document
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import empty_weights, make_plan, make_scratch, seed_random
from rowspace.learn.word2vec.kernels.chunk import draw_targets, next_sentence
from rowspace.learn.word2vec.sampling import make_sampler


@pytest.fixture(scope="module")
def texts():
    rng = np.random.default_rng(0)
    words = [["cat", "dog", "cow", "eats", "sleeps", "runs"], ["saw", "axe", "pen", "cuts", "breaks", "rusts"]]
    return {f"{kind}-{i}": " ".join(rng.choice(words[kind], 12)) for i in range(60) for kind in (0, 1)}


@pytest.fixture(scope="module")
def documents(texts):
    return fit_documents(texts, dim=16, epochs=20, sample=0, workers=1)


# Parity: reference.py, whose step of skip-gram has one neighbor, the document.
@pytest.mark.kernels
def test_a_document_predicts_each_of_its_words():
    words, options = np.array([2, 0, 2, 1], np.int32), FitOptions(dim=16, negatives=3, window=1, workers=1)
    rng = np.random.default_rng(1)
    weights = empty_weights(5, options)
    weights.inputs[3] = rng.normal(0, 0.4, 16)
    weights.outputs[:5] = rng.normal(0, 0.4, (5, 16))
    inputs, outputs = weights.inputs.astype(np.float64), weights.outputs.astype(np.float64)
    counts, drawn = np.full(5, 7), []
    sampler, plan = make_sampler(counts, sample=0, ns_exponent=0.0), make_plan(options, 0.05, 0.05)

    seed = (1, 2)
    scratch = make_scratch(5, options)
    seed_random(scratch, *seed)
    learn_document(words, 3, np.float32(0.05), weights, sampler, plan, scratch)
    # The same negatives are found by learning word after word with a copy of the generator's state.
    replayed = make_scratch(5, options)
    seed_random(replayed, *seed)
    _, length = next_sentence(words, 0, sampler, replayed)
    for place in range(length):
        draw_targets(place, length, weights, sampler, plan, replayed)
        drawn.append([target for target in replayed.targets[:4].tolist() if target < 5])
    for targets in drawn:
        skipgram_step(inputs, outputs, [3], targets, alpha=0.05)
    assert [targets[0] for targets in drawn] == words.tolist()
    np.testing.assert_allclose(weights.inputs, inputs, atol=2e-4)
    np.testing.assert_allclose(weights.outputs[:5], outputs[:5], atol=2e-4)
    assert scratch.tally[0] == len(words)


def test_documents_with_the_same_words_become_neighbors(texts, documents):
    for tag in list(texts)[:20]:
        nearest = [other for other, _ in documents.table.neighbors(tag, k=20)]
        assert sum(other[0] == tag[0] for other in nearest) >= 18
    assert documents.table.settings["kind"] == "document"
    assert documents.table.counts.tolist() == [12] * len(texts)
    losses = documents.table.settings["losses"]
    assert losses[-1] < losses[0]


@pytest.mark.long
def test_an_inferred_row_depends_on_its_text_only(texts, documents):
    unseen = ["cat dog cow", "axe saw", "", "zebra", *list(texts.values())[:150]]
    rows = documents.infer(unseen)
    assert rows.dtype == np.float32
    assert rows.shape == (len(unseen), 16)
    for workers in (1, 3):
        np.testing.assert_array_equal(documents.infer(unseen[::-1], workers=workers)[::-1], rows)
    np.testing.assert_array_equal(documents.infer(["axe saw"])[0], rows[1])
    assert not rows[2:4].any()
    learned = documents.table.rows / documents.table.norms[:, None]
    nearest = [list(texts)[i] for i in np.argmax(rows[:2] @ learned.T, axis=1)]
    assert [tag[0] for tag in nearest] == ["0", "1"]


@pytest.mark.kernels
@pytest.mark.large
def test_inference_leaves_the_output_rows_alone(documents):
    before = documents.words.rows.copy()
    documents.infer(["cat dog"] * 10)
    np.testing.assert_array_equal(documents.words.rows, before)


def test_one_worker_is_reproducible_and_tags_are_numbers_without_a_mapping(texts, documents):
    again = fit_documents(list(texts.values()), dim=16, epochs=20, sample=0, workers=1)
    np.testing.assert_array_equal(again.table.rows, documents.table.rows)
    assert again.table.vocabulary[:3] == ["0", "1", "2"]


def test_saved_documents_infer_the_same_rows(documents, tmp_path):
    for _ in range(2):  # the second one replaces the first
        documents.save(tmp_path / "d")
    opened = Documents.load(tmp_path / "d")
    np.testing.assert_array_equal(opened.infer(["cat dog"]), documents.infer(["cat dog"]))
    assert opened.table.vocabulary[:] == documents.table.vocabulary
    assert opened.options == documents.options
    text = (tmp_path / "d" / "documents.json").read_text()
    (tmp_path / "d" / "documents.json").write_text(text.replace('"epochs": 20', '"epochs": 21'))
    with pytest.raises(FileFormatError, match="learn it again with fit_documents"):
        Documents.load(tmp_path / "d")


def test_what_cannot_be_learned_is_refused(documents):
    for given, options, error, message in [
        ("one text", {}, UsageError, "not one string"),
        (["one"], {}, UsageError, "give two or more, not 1"),
        (["a", None], {}, UsageError, "document 1 must be a string, not NoneType"),
        ({"x": "a", "y": 3}, {}, UsageError, "document 'y' must be a string, not int"),
        (["a a", "a"], {"min_count": 1}, CorpusError, "only one distinct word, 'a'"),
        (["", ""], {}, CorpusError, "holds no words"),
        (["a b", "b a"], {"dimension": 3}, UsageError, "no option 'dimension'"),
        (["a b", "b a"], {"alpha": 0.1, "min_alpha": 0.2}, UsageError, "min_alpha"),
    ]:
        with pytest.raises(error, match=message):
            fit_documents(given, **options)
    for given, epochs, message in [
        ([1], None, "text 0 must be a string, not int"),
        ("cat and dog", None, "texts must be a list of texts, not one string"),
        (["cat"], 0, "epochs must be a whole number from 1 to 100,000, not 0"),
    ]:
        with pytest.raises(UsageError, match=message):
            documents.infer(given, epochs=epochs)
