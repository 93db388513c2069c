"""Words composed with their n-grams: composing rows, scattering updates, and listing the used buckets."""

import numpy as np
import pytest

from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.allocation import list_used, make_plan, make_scratch, make_weights, seed_random
from rowspace.learn.word2vec.export import composed_rows, learned_subwords
from rowspace.learn.word2vec.kernels.arrays import Ngrams
from rowspace.learn.word2vec.kernels.chunk import compose_word, learn_chunk, scatter_word
from rowspace.learn.word2vec.kernels.copies import merge_copies, own_row, start_copies
from rowspace.learn.word2vec.sampling import make_sampler
from rowspace.subwords.hashing import ngram_buckets

pytestmark = pytest.mark.kernels

V = 30
WORDS = ["banana", "at", "nab", "a"]


def options(**more):
    return FitOptions(**{"dim": 20, "subwords": True, "workers": 1, "buckets": 1000} | more)


def list_ngrams(chosen, words=WORDS):
    with np.errstate(over="ignore"):
        return list_used(words, np.arange(len(words), 0, -1), chosen)


@pytest.mark.parametrize("workers", [1, 2])
def test_word_is_the_mean_of_its_parts_and_its_update_goes_to_each(workers):
    chosen = options(workers=workers)
    ngrams = list_ngrams(chosen)
    weights, scratch = make_weights(len(WORDS), chosen, ngrams), make_scratch(len(WORDS), chosen)
    start_copies(weights, scratch.copies)
    scratch.sentence[2] = row = own_row(np.int64(0), scratch.copies)
    own, grams = weights.inputs.copy(), weights.ngrams.rows.copy()
    places = ngrams.indices[: ngrams.indptr[1]]  # banana has "ana" twice, and "an" and "na" in others
    assert len(set(places.tolist())) < len(places) == len(ngram_buckets("banana"))
    compose_word(2, weights, scratch)
    composed = scratch.composed[scratch.composed_rows[2]]
    np.testing.assert_allclose(composed, (own[row] + grams[places].sum(axis=0)) / (1 + len(places)), atol=1e-7)
    composed += 1
    scatter_word(2, weights, scratch)
    own[row] += 1
    np.add.at(grams, places, 1)
    np.testing.assert_allclose(weights.inputs, own, atol=1e-6)
    np.testing.assert_allclose(weights.ngrams.rows, grams, atol=1e-6)


@pytest.mark.parametrize("model", ["skipgram", "cbow"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("window", [1, 3, 8])
@pytest.mark.parametrize("length", [2, 3, 4, 17, 30])
def test_words_without_ngrams_are_trained_like_plain_words(model, workers, window, length):
    # Each word occurs once in the sentence, so it is composed and scattered as often as a plain word is updated.
    learned = []
    for subwords in (False, True):
        chosen = options(subwords=subwords, model=model, workers=workers, window=window)
        none = Ngrams(
            np.zeros((0, 32), np.float32), np.zeros(0, np.int64), np.zeros(V + 1, np.int64), np.zeros(0, "i4")
        )
        weights, scratch = make_weights(V, chosen, none), make_scratch(V, chosen)
        start_copies(weights, scratch.copies)
        seed_random(scratch, 5)
        sampler = make_sampler(np.ones(V, np.int64), sample=0, ns_exponent=0.75)
        weights.outputs[:V] = weights.inputs[:V][::-1]  # gives nonzero gradients from the first pair on
        start_copies(weights, scratch.copies)
        learn_chunk(np.arange(length, dtype=np.int32), weights, sampler, make_plan(chosen, 0.1, 0.1), scratch)
        merge_copies(weights, scratch.copies)
        learned.append((weights.inputs[:V].copy(), weights.outputs[:V].copy(), scratch.tally.copy()))
    for words, parts in zip(*learned, strict=True):
        np.testing.assert_allclose(words, parts, atol=1e-6)


def test_only_used_buckets_have_rows_sorted_by_frequency():
    chosen = options(min_n=2, max_n=2, buckets=100_003)
    ngrams = list_ngrams(chosen, ["ab", "cab"])  # with counts 2 and 1: ab and b> 3 times, <a twice, <c and ca once
    angle_a, ab, end_b, angle_c, ca = (
        int(ngram_buckets(word, min_n=2, max_n=2, buckets=100_003)[i])
        for word, i in [("ab", 0), ("ab", 1), ("ab", 2), ("cab", 0), ("cab", 1)]
    )
    assert [set(ngrams.buckets[some].tolist()) for some in (slice(0, 2), slice(2, 3), slice(3, 5))] == [
        {ab, end_b},
        {angle_a},
        {angle_c, ca},
    ]
    assert ngrams.buckets[ngrams.indices[:3]].tolist() == [angle_a, ab, end_b]


def test_trained_rows_and_rows_of_unseen_words_use_the_same_ngrams():
    chosen = options()
    weights = make_weights(len(WORDS), chosen, list_ngrams(chosen))
    rows, subwords = composed_rows(weights, chosen), learned_subwords(weights, chosen)
    for word, row in zip(WORDS, rows, strict=True):
        places = subwords.places_of(word)
        again = (subwords.own[WORDS.index(word)] + subwords.rows[places].sum(axis=0)) / (1 + len(places))
        np.testing.assert_allclose(row, again, atol=1e-7)
    assert subwords.row("banan") is not None
    assert learned_subwords(weights, options(subwords=False)) is None
