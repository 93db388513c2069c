"""`rowspace.fit` that continues from a table."""

import random

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import CorpusWarning, FitInterrupted, UsageError
from rowspace.learn import Reports, run_folder_of
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.initial import InitialTable
from rowspace.text import TextOptions, encode_corpus

SMALL = {"dim": 16, "epochs": 2, "workers": 1}


@pytest.fixture(scope="module")
def halves(english):
    lines = english.read_text().splitlines()
    return lines[: len(lines) // 2], lines[len(lines) // 2 :]


@pytest.fixture(scope="module")
def first(halves):
    return rs.fit(halves[0], **SMALL)


def bare(table):
    """Return a table as other libraries write it: without output rows, n-grams and settings."""
    return rs.Table(list(table), table.rows, table.counts)


@pytest.mark.parametrize(
    "more",
    [{}, *(pytest.param(each, marks=pytest.mark.long) for each in ({"workers": 2}, {"model": "cbow"}))],
    ids=["", "workers", "cbow"],
)
def test_old_words_keep_ids_and_untouched_rows_and_new_words_follow(halves, first, more):
    for init in (first, bare(first)):
        went_on = rs.fit(halves[1], init=init, epochs=1, **more)
        assert went_on.vocabulary[: len(first)] == first.vocabulary
        report = went_on.settings["init"]
        assert report["new"] == len(went_on) - len(first) > 50
        assert went_on.norms.min() > 0
        used = {word for line in halves[1] for word in line.lower().split()}
        unused = [word for word in first if not any(word in text for text in used)]
        assert len(unused) > 20
        np.testing.assert_array_equal(went_on[unused], first[unused])
        learned = went_on.rows[: len(first)] != first.rows
        assert 0.95 * report["in_text"] < learned.any(axis=1).sum() <= report["in_text"]  # some are alone in a line


@pytest.mark.parametrize(
    "more",
    [{}, {"workers": 2}, {"model": "cbow"}, {"model": "cbow", "cbow_mean": False, "negatives": 9}],
    ids=["", "workers", "cbow", "cbow sum"],
)
def test_fixed_rows_have_the_same_bits(halves, first, more):
    for init in (first, bare(first)):
        went_on = rs.fit(halves[1], init=init, epochs=1, freeze="old", **more)
        assert went_on.rows[: len(first)].tobytes() == first.rows.tobytes()
        if init is first:
            assert went_on.outputs[: len(first)].tobytes() == first.outputs.tobytes()
        assert len(went_on) > len(first)
        assert went_on.settings["init"]["moved"] == []


def test_a_row_of_zeros_is_learned_unless_it_is_fixed():
    table = rs.Table(["cat", "the"], np.float32([[0, 0], [1, 2]]))
    texts = ["the cat and the zebra"] * 60
    assert rs.fit(texts, init=table, epochs=1)["cat"].any()
    fixed = rs.fit(texts, init=table, epochs=1, freeze="old")
    assert fixed.rows[:2].tobytes() == table.rows.tobytes()
    assert fixed["zebra"].any()


def test_fixed_rows_with_ngrams_have_the_same_bits(halves):
    options = {"subwords": True, "buckets": 3000, "max_n": 4} | SMALL
    first = rs.fit(halves[0], **options)
    for workers in (1, 2):
        went_on = rs.fit(halves[1], init=first, epochs=1, freeze="old", workers=workers)
        assert went_on.rows[: len(first)].tobytes() == first.rows.tobytes()
        assert went_on.subwords.rows[: len(first.subwords.rows)].tobytes() == first.subwords.rows.tobytes()
        assert went_on.subwords.own[: len(first)].tobytes() == first.subwords.own.tobytes()
        assert len(went_on.subwords.rows) > len(first.subwords.rows)


def test_rows_with_ngrams_are_the_means_of_their_parts(halves):
    first = rs.fit(halves[0], subwords=True, buckets=3000, max_n=4, **SMALL)
    went_on = rs.fit(halves[1], init=first, epochs=1)
    for word in (went_on.vocabulary[3], went_on.vocabulary[len(first) - 1], went_on.vocabulary[-1]):
        places = went_on.subwords.places_of(word)
        parts = [went_on.subwords.own[went_on.id(word)], *went_on.subwords.rows[places]]
        np.testing.assert_allclose(went_on[word], np.mean(parts, axis=0), atol=1e-6)


def test_new_words_start_at_the_mean_of_their_ngrams(halves, tmp_path):
    first = rs.fit(halves[0], subwords=True, buckets=3000, max_n=4, **SMALL)
    corpus = encode_corpus(halves[1], tmp_path, options=TextOptions(), extends=first)
    options = FitOptions(dim=16, subwords=True, buckets=3000, max_n=4)
    from rowspace.learn.word2vec.allocation import list_used
    from rowspace.learn.word2vec.export import composed_rows

    initial = InitialTable(first, corpus)
    weights = initial.weights(options, list_used(corpus.vocabulary, corpus.counts, options))
    rows = composed_rows(weights, options)
    new = [(i, word) for i, word in enumerate(corpus.vocabulary) if word not in first]
    near = 0
    for i, word in new:
        expected = first.subwords.row(word)
        near += expected is not None and expected @ rows[i] > 0.9 * np.linalg.norm(expected) * np.linalg.norm(rows[i])
    assert near > 0.9 * len(new)  # n-grams without a row start at random


def test_tokens_of_a_tokenizer_go_on_with_it(halves):
    first = rs.fit(halves[0], tokens="bpe", vocabulary_size=600, **SMALL)
    went_on = rs.fit(halves[1], init=first)
    assert went_on.vocabulary == first.vocabulary
    assert went_on.settings["init"]["new"] == 0
    np.testing.assert_array_equal(went_on.counts >= first.counts, True)
    unused = first.counts == 0
    assert (went_on.norms[unused & (went_on.counts > 0)] > 0).all()


def test_counts_are_added_and_options_are_those_of_the_table(halves):
    first = rs.fit(halves[0], model="cbow", window=3, **SMALL)
    went_on = rs.fit(halves[1], init=first, epochs=1, workers=1)
    anew = rs.fit(halves[1], epochs=1, dim=2, min_count=1)
    assert went_on.settings["model"] == "cbow"
    assert went_on.settings["window"] == 3
    for word in ("the", "of", went_on.vocabulary[-1]):
        before = first.counts[first.id(word)] if word in first else 0
        assert went_on.counts[went_on.id(word)] == before + anew.counts[anew.id(word)]


def test_settings_of_other_methods_are_not_options(halves, first):
    distilled = rs.Table(list(first), first.rows, settings={"model": "a sentence encoder", "window": "wide"})
    assert rs.fit(halves[1], init=distilled, epochs=1).settings["model"] == "skipgram"


def test_new_words_find_their_neighbors_among_old_ones():
    rng = np.random.default_rng(0)

    def texts(animals):
        kinds = (animals, ["eats", "sleeps", "runs"]), (["saw", "axe", "pen"], ["cuts", "breaks", "rusts"])
        drawn = [kinds[rng.integers(2)] for _ in range(2000)]
        return [f"the {rng.choice(names)} {rng.choice(verbs)} here" for names, verbs in drawn]

    table = rs.fit(texts(["cat", "dog", "cow"]), dim=16, epochs=4, workers=1, sample=0, window=2)
    for freeze in ("none", "old"):
        went_on = rs.fit(texts(["cat", "dog", "fox"]), init=table, epochs=4, workers=1, freeze=freeze)
        assert {word for word, _ in went_on.neighbors("fox", k=3)} == {"cat", "dog", "cow"}


def test_output_rows_that_are_missing_are_learned_against_fixed_rows(halves, first):
    seen = []
    reports = Reports(on_epoch=lambda epoch, table, _loss: seen.append((epoch, table)))
    went_on = rs.fit(halves[1], init=bare(first), epochs=2, workers=1, reports=reports)
    assert [epoch for epoch, _ in seen] == [1, 2, 3]
    assert seen[0][1].rows[: len(first)].tobytes() == first.rows.tobytes()
    assert (seen[1][1].rows[: len(first)] != first.rows).any()
    assert len(went_on.settings["losses"]) == 3


def test_table_of_an_epoch_does_not_change_later(halves):
    seen = []
    reports = Reports(on_epoch=lambda _epoch, table, _loss: seen.append((table, table.rows.copy())))
    rs.fit(halves[0], reports=reports, **SMALL)  # of 16 columns, which need no padding
    for table, rows in seen:
        np.testing.assert_array_equal(table.rows, rows)


def test_interrupted_fit_resumes_with_the_same_rows(halves, first, tmp_path, stopping):
    first.save(tmp_path / "t")
    expected = rs.fit(halves[1], init=bare(first), epochs=3, workers=1)
    bare(first).save(tmp_path / "t")
    with pytest.raises(FitInterrupted):  # the output replaces the table that the fit continues from
        rs.fit(halves[1], init=tmp_path / "t", output=tmp_path / "t", epochs=3, workers=1, reports=stopping)
    assert len(rs.load(tmp_path / "t")) == len(expected)
    with pytest.raises(UsageError, match="omit init to resume"):
        rs.fit(init=first, output=tmp_path / "t", resume=True)
    resumed = rs.fit(output=tmp_path / "t", resume=True)
    np.testing.assert_array_equal(resumed.rows, expected.rows)
    np.testing.assert_array_equal(resumed.outputs, expected.outputs)
    assert resumed.settings["init"] == expected.settings["init"]
    assert not run_folder_of(tmp_path / "t").exists()


def test_output_rows_are_saved_and_can_be_left_out(halves, first, tmp_path):
    first.save(tmp_path / "t")
    np.testing.assert_array_equal(rs.load(tmp_path / "t", verify=True).outputs, first.outputs)
    assert rs.fit(halves[0], outputs=False, **SMALL).outputs is None
    bare(first).save(tmp_path / "t")
    assert rs.load(tmp_path / "t").outputs is None
    assert not (tmp_path / "t" / "outputs.safetensors").exists()


def test_what_does_not_agree_with_the_table_is_refused(halves, first):
    broken = rs.Table(list(first), np.where(np.arange(len(first))[:, None] == 0, np.nan, first.rows))
    pieces = rs.fit(halves[0], tokens="bpe", vocabulary_size=300, **SMALL)
    cut = rs.Table(list(pieces)[:-1], pieces.rows[:-1], tokenizer=pieces.tokenizer)
    nodes = rs.Table(["a"], np.ones((1, 2)), settings={"kind": "node"})
    for init, options, message in [
        (first, {"dim": 17}, "has dim=16, not 17; omit"),
        (first, {"subwords": True}, "has subwords=False, not True"),
        (first, {"tokens": "bpe"}, "has tokens='words', not 'bpe'"),
        (pieces, {"tokens": "words"}, "has its own tokenizer, not 'words'"),
        (pieces, {"min_count": 3}, "min_count has no meaning with init"),
        (
            pieces,
            {"freeze": "old"},
            "has all tokens, so there are no new ones, and freeze='old' leaves nothing to learn",
        ),
        (cut, {}, "the tokenizer of init has 300 tokens, and they are not those of its 299 rows"),
        (broken, {}, f"the row of '{first.vocabulary[0]}' in the table of init has NaN"),
        (nodes, {}, "rows of init are of kind 'node'"),
        (None, {"freeze": "old"}, "give it as init"),
    ]:
        with pytest.raises(UsageError, match=message):
            rs.fit(halves[1], init=init, **options)
    with pytest.raises(UsageError, match=r"outputs must be floats with the shape \(1, 2\)"):
        rs.Table(["a"], np.ones((1, 2)), outputs=np.ones((2, 2)))


def test_a_pattern_is_kept_and_another_one_refused() -> None:
    table = rs.fit(iter(["#a #b #a"] * 9), pattern=r"#\w", min_count=1, sample=0, dim=2, epochs=1, workers=1)
    more = rs.fit(iter(["#c #a x"] * 9), init=table, min_count=1, sample=0, epochs=1, workers=1)
    assert sorted(more.vocabulary) == ["#a", "#b", "#c"]
    assert rs.Encoder(more).encode(["x #c"]).any()
    with pytest.raises(UsageError, match="the table of init has pattern="):
        rs.fit(iter(["#c #a x"] * 9), init=table, pattern=r"\w")


def test_new_words_between_the_words_of_a_script_without_spaces_are_warned_of():
    chance, words = random.Random(1), ["我们", "学习", "喜欢", "中文", "电影", "老师", "的"]

    def text(words):
        return iter(["".join(chance.choices(words, k=6)) for _ in range(300)])

    first = rs.fit(text(words), dim=2, epochs=1)
    rs.fit(text(words), init=first, epochs=1)
    with pytest.warns(CorpusWarning, match=r"\d+% of the letters .* that the table of init lacks, such as '"):
        rs.fit(text([*words, "今天", "天气", "城市"]), init=first, epochs=1)
