"""Comparing two tables: on fits of real text, and against SciPy and scikit-learn."""

import re

import numpy as np
import pytest
from scipy.linalg import orthogonal_procrustes
from sklearn.neighbors import NearestNeighbors

import rowspace as rs
from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import whitespace_json
from rowspace.learn import align, tune
from rowspace.learn.merging.comparison import null_limits
from rowspace.table import Table
from rowspace.text import Tokenizer

OPTIONS = {"dim": 32, "epochs": 10, "workers": 1}


@pytest.fixture(scope="module")
def paragraphs(english):
    return english.read_text(encoding="utf-8").lower().split("\n\n")


@pytest.fixture(scope="module")
def refits(paragraphs):
    """The same text learned from with three seeds."""
    return [rs.fit(paragraphs, seed=seed, **OPTIONS) for seed in range(3)]


@pytest.mark.parametrize("by", ["cosine", "neighbors"])
def test_words_that_change_places_in_half_of_the_text_are_the_most_changed(paragraphs, by):
    swapped = {"list": "module", "module": "list"}
    first = rs.fit(paragraphs[::2], seed=0, **OPTIONS)
    other = [re.sub(r"\b(list|module)\b", lambda found: swapped[found[0]], text) for text in paragraphs[1::2]]
    found = rs.compare(first, rs.fit(other, seed=1, **OPTIONS), by=by, min_count=40)
    assert {*found.tokens[:2]} == {*swapped}
    assert found.facts["aligned"] is True


@pytest.mark.long
def test_five_percent_of_the_words_of_a_refit_are_beyond_the_null(refits):
    first, second, third = refits
    for by in ("cosine", "neighbors"):
        facts = rs.compare(first, second, null=third, by=by, min_count=5).facts
        assert facts["compared"] == len(first)
        assert 0.02 < facts["beyond_share"] < 0.1
        assert 0.03 < facts["expected_share"] < 0.06
        assert abs(facts["median_overlap"] - facts["null_median_overlap"]) < 0.03
        assert abs(facts["median_cosine"] - facts["null_median_cosine"]) < 0.03


def test_tuning_moves_rows_in_the_same_axes(refits, paragraphs):
    first = refits[0]
    long = [text for text in paragraphs if len(text) > 100][:240]
    pairs = list(zip(long[::2], long[1::2], strict=True))
    found = rs.compare(first, tune(first, pairs, epochs=3), min_count=5)
    assert found.facts["aligned"] is False
    words = {token for text in Tokenizer.of_table(first).encode_with_offsets(long) for token in text.tokens}
    unmoved = np.array([token not in words for token in found.tokens])
    np.testing.assert_allclose(found.cosines[unmoved], 1, atol=1e-6)
    assert not unmoved[: len(unmoved) // 2].any()
    assert found.cosines[0] < 0.98


def test_a_continued_fit_stays_in_the_same_axes(refits, paragraphs):
    first = refits[0]
    found = rs.compare(first, rs.fit(paragraphs[:800], init=first, epochs=2, workers=1), min_count=5)
    assert found.facts["aligned"] is False
    assert found.facts["median_cosine"] > 0.8
    forced = rs.compare(first, refits[1], align=False, min_count=5)
    assert forced.facts["aligned"] is False
    assert forced.facts["median_cosine"] < 0.5


def test_the_figures_are_those_of_scipy_and_scikit_learn(refits):
    first, second = refits[:2]
    found = rs.compare(first, second, neighbors=7, min_count=0)
    ids, others = first.ids(found.tokens), second.ids(found.tokens)
    rows, after = first.rows.astype(np.float64), second[list(first.vocabulary)].astype(np.float64)
    rotated = (after @ orthogonal_procrustes(after, rows)[0])[ids]
    lengths = np.linalg.norm(rotated, axis=1) * np.linalg.norm(rows[ids], axis=1)
    np.testing.assert_allclose(found.cosines, (rotated * rows[ids]).sum(axis=1) / lengths, atol=1e-6)
    near = [NearestNeighbors(n_neighbors=8, metric="cosine").fit(side.rows) for side in (first, second)]
    before = near[0].kneighbors(first.rows[ids], return_distance=False)[:, 1:]
    later = first.find(second.vocabulary)[near[1].kneighbors(second.rows[others], return_distance=False)[:, 1:]]
    shares = [len({*one} & {*two}) / 7 for one, two in zip(before.tolist(), later.tolist(), strict=True)]
    np.testing.assert_allclose(found.overlaps, shares)
    assert (np.diff(found.cosines) >= 0).all()


def test_tokens_that_are_not_compared_are_counted(first, second):
    rows = first.rows.copy()
    rows[first.id("word15")] = 0
    rows[first.id("word16"), 0] = np.nan
    null = Table(first.vocabulary[:49], first.rows[:49, ::-1] + 0.1, first.counts[:49])
    found = rs.compare(Table(first.vocabulary, rows, first.counts), second, null=null, min_count=15)
    facts = found.facts
    assert (facts["shared"], facts["only_before"], facts["only_after"]) == (40, 10, 10)
    assert facts["left_out"] == {"not_in_null": 1, "zeros": 2, "rare": 12}
    assert facts["compared"] == len(found.tokens) == 25
    counts = [min(first.counts[first.id(word)], second.counts[second.id(word)]) for word in found.tokens]
    assert found.counts.tolist() == counts
    assert min(counts) == 15


def test_a_sample_has_its_neighbors_among_all_tokens(refits):
    first, second = refits[:2]
    every, some = (rs.compare(first, second, min_count=0, sample=sample) for sample in (10_000, 100))
    assert (some.facts["compared"], some.facts["eligible"]) == (100, len(first))
    place = {token: number for number, token in enumerate(every.tokens)}
    places = [place[token] for token in some.tokens]
    assert places == sorted(places)
    np.testing.assert_array_equal(some.overlaps, every.overlaps[places])


def test_neighbors_are_shared_tokens(first, second):
    found = rs.compare(first, second, min_count=0)
    ((before, after),) = found.neighbors(["word20"], k=5)
    shared = {*first.vocabulary} & {*second.vocabulary}
    expected = [token for token, _ in first.neighbors("word20", k=50) if token in shared][:5]
    assert before == after == expected  # the second table is the first one, rotated


def test_tables_of_different_widths_are_compared_by_neighbors(first, second):
    wide = Table(second.vocabulary, np.pad(second.rows, ((0, 0), (0, 3))), second.counts)
    found = rs.compare(first, wide, min_count=0)
    assert found.cosines is None
    assert (found.facts["by"], found.facts["aligned"], found.facts["median_cosine"]) == ("neighbors", None, None)
    np.testing.assert_array_equal(found.overlaps, 1)
    for options in ({"by": "cosine"}, {"align": False}):
        with pytest.raises(UsageError, match="rows of 8 and of 11 numbers, so that only their neighbors can be"):
            rs.compare(first, wide, **options)


def test_limits_are_those_of_tokens_with_similar_counts():
    generator = np.random.default_rng(0)
    counts = generator.permutation(np.repeat([10, 1000], 1000))
    changes = generator.random((2, 2000)) / np.sqrt(counts)
    limits = null_limits(changes, counts)
    for count in (10, 1000):
        of_count = counts == count
        np.testing.assert_allclose(limits[of_count], np.quantile(changes[:, of_count], 0.95), rtol=0.05)
    np.testing.assert_allclose(null_limits(changes, None), np.quantile(changes, 0.95))


def test_different_tokenizers_are_warned_of(first, second):
    document = whitespace_json(list(first.vocabulary)).replace("WordLevel", "WordPiece")
    pieces = Table(first.vocabulary, first.rows, tokenizer=document)
    with pytest.warns(UserWarning, match="different tokenizers, so the same token may stand for other"):
        found = rs.compare(pieces, second)
    assert found.facts["same_tokenizer"] is False
    assert rs.compare(first, second, min_count=0).facts["same_tokenizer"] is True  # which differ in their words only


def test_wrong_input_is_refused(first, second):
    with pytest.raises(UsageError, match="same rows for all 50 tokens that are compared, so nothing changed"):
        rs.compare(first, Table(first.vocabulary, first.rows))
    with pytest.raises(UsageError, match="table 2 of the null has the same rows as the first table; give a fit with"):
        rs.compare(first, second, null=[second, first], min_count=0)
    for tables in ((first, Table([], np.zeros((0, 8)))), (Table([], np.zeros((0, 8))), first)):
        for call in (rs.compare, align, lambda *tables: rs.merge(tables)):
            with pytest.raises(UsageError, match="a table has no tokens; give tables with at least one"):
                call(*tables)
    with pytest.raises(UsageError, match="share no token"):
        rs.compare(first, Table(["x"], np.ones((1, 8))))
    with pytest.raises(UsageError, match=r"only 0 tokens .* 40 have a count below 999\); give a lower min_count"):
        rs.compare(first, second, min_count=999)
    with pytest.raises(UsageError, match=r"only 2 tokens of the tables can be compared, .* with more tokens in common"):
        rs.compare(first, Table(first.vocabulary[:2], np.eye(2, 8)))
    with pytest.raises(UsageError, match="neighbors must be a whole number"):
        rs.compare(first, second, neighbors=0)
    with pytest.raises(UsageError, match="compare has no option 'k'"):
        rs.compare(first, second, k=3)
