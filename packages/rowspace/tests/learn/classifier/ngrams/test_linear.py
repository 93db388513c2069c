"""TF-IDF and the linear model equal those of scikit-learn."""

import re

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.svm import LinearSVC

from rowspace.learn.classifier.ngrams.kernels import Targets
from rowspace.learn.classifier.ngrams.linear import Kind, choose_columns, counted, learn_ngrams, matrix_of

WORDS = ["The", "cat,", "the", "dog!", "naïve", "한국어", "a_b", "x1", "猫が好き", "don't"]


def texts(number=90, seed=0):
    generator = np.random.default_rng(seed)
    return [" ".join(generator.choice(WORDS, generator.integers(0, 6))) for _ in range(number)] + ["__label__x a", ""]


@pytest.mark.kernels
def test_words_have_the_weights_of_scikit_learn():
    given, others = texts(), texts(seed=1)
    vectorizer = TfidfVectorizer(token_pattern=r"\w+|[^\w\s]", ngram_range=(1, 2), sublinear_tf=True)
    expected = [vectorizer.fit_transform(given), vectorizer.transform(others)]
    kind = Kind(2, 0)
    columns = choose_columns(kind, kind.counts(given), most=10**6)
    assert len(columns.buckets) == expected[0].shape[1]
    for some, right in zip((given, others), expected, strict=True):
        matrix = matrix_of([kind.counts(some)], [columns])
        for text, (begin, end) in enumerate(zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)):
            np.testing.assert_allclose(
                np.sort(matrix.values[begin:end]), np.sort(right[text].toarray()[right[text].toarray() > 0]), rtol=1e-5
            )


@pytest.mark.kernels
def test_characters_of_two_texts_have_columns():
    given = texts()
    # The ends of a text are marked, so that scikit-learn has no n-gram for them.
    vectorizer = TfidfVectorizer(analyzer="char", ngram_range=(1, 5), min_df=2, lowercase=False)
    vectorizer.fit(["<" + re.sub(r"\s+", "▁", f" {text} ") + ">" for text in given])
    names = [name for name in vectorizer.get_feature_names_out() if name not in ("<", ">")]
    kind = Kind(0, 5)
    assert len(choose_columns(kind, kind.counts(given), most=10**6).buckets) == len(names)
    assert len(choose_columns(kind, kind.counts(given), most=7).buckets) == 7


@pytest.mark.kernels
def test_scores_equal_those_of_scikit_learn():
    given = texts()
    numbers = np.array([("cat" in text) + 2 * ("dog" in text) for text in given], np.int32)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(given)).astype(np.float32)
    counts = counted(given)
    targets = Targets(np.arange(len(given) + 1), numbers, weights)
    model = learn_ngrams(counts, targets, 4, seed=1, max_passes=500, tolerance=1e-10)
    matrix = matrix_of(counts, model.columns)
    dense = np.zeros((len(given), len(model.weights) - 1))
    for text in range(len(given)):
        places = slice(matrix.indptr[text], matrix.indptr[text + 1])
        dense[text, matrix.indices[places]] = matrix.values[places]
    svm = LinearSVC(tol=1e-8, max_iter=10_000).fit(dense, numbers, sample_weight=weights)
    np.testing.assert_allclose(model.scores(given), svm.decision_function(dense), atol=2e-3)
