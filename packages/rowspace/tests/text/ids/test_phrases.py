"""Phrases: which pairs are found, in bounded memory, and ids that are those of the table's tokenizer."""

import random
from collections import Counter

import numpy as np
import pytest
from gensim.models.phrases import Phrases
from tokenizers import Tokenizer

import rowspace as rs
from rowspace.errors import CorpusError, CorpusWarning, UsageError
from rowspace.text import TextOptions, encode_corpus
from rowspace.text.ids.encode_phrases import encode_phrases
from rowspace.text.ids.phrases import PairCounts, find_phrases

MIN_COUNT = 3


@pytest.fixture(scope="module")
def words(english, tmp_path_factory):
    """The ids of all words, and the words of each line."""
    folder = tmp_path_factory.mktemp("words")
    corpus = encode_corpus(english, folder, options=TextOptions(min_count=1))
    ids = corpus.ids()
    ends = np.flatnonzero(ids < 0)
    lines = [[corpus.vocabulary[i] for i in line if i >= 0] for line in np.split(ids, ends + 1)]
    return corpus, lines


# Parity: gensim's Phrases, whose score has the size of the vocabulary in place of the number of words.
@pytest.mark.kernels
def test_pairs_and_scores_are_those_of_gensim(words, tmp_path):
    corpus, lines = words
    total, threshold = int(corpus.counts.sum()), 30.0
    theirs = Phrases(lines, min_count=MIN_COUNT, threshold=1e-9, delimiter=" ", max_vocab_size=10**7)
    factor = total / len(theirs.vocab)
    expected = {
        phrase: score * factor
        for phrase, score in theirs.find_phrases(lines).items()
        if score * factor >= threshold and all(theirs.vocab[word] >= MIN_COUNT for word in phrase.split(" "))
    }
    # What gensim finds in the text depends on the pairs before; so compare the score of each pair it can score.
    found = find_phrases(corpus, tmp_path, max_words=2, min_count=MIN_COUNT, threshold=threshold)
    assert len(expected) > 50
    assert set(expected) <= set(found)
    for phrase, score in found.items():
        a, b = phrase.split(" ")
        scored = (theirs.vocab[phrase] - MIN_COUNT) / theirs.vocab[a] / theirs.vocab[b] * total
        assert score == pytest.approx(scored)
        assert score >= threshold


@pytest.mark.kernels
def test_longer_phrases_are_made_of_shorter_ones(tmp_path):
    rng = np.random.default_rng(0)
    for most, name in [(2, "new york city"), (3, "new york city"), (4, "new york city hall")]:
        texts = [" ".join(f"w{i}" for i in rng.integers(0, 50, 20)) + f" {name}" for _ in range(200)]
        corpus = encode_corpus(texts, tmp_path, options=TextOptions(min_count=1))
        found = find_phrases(corpus, tmp_path, max_words=most, min_count=5, threshold=15.0)
        assert max(phrase.count(" ") + 1 for phrase in found) == most
        assert all(set(phrase.split(" ")) <= {"new", "york", "city", "hall"} for phrase in found)
    assert "new york city hall" in found


def test_memory_for_pairs_is_bounded_and_frequent_ones_stay():
    rng = np.random.default_rng(0)
    ids = rng.integers(0, 300, 60_000).astype(np.int32)
    ids[::7] = -1
    ids[1::14], ids[2::14] = 7, 8
    true = Counter(zip(ids[:-1].tolist(), ids[1:].tolist(), strict=True))
    pairs = PairCounts(1 << 10)
    for part in np.array_split(ids, 20):
        pairs.add(part, np.ones(300, np.bool_))
    both, counts = pairs.frequent(1)
    assert len(pairs.keys) == 1 << 10
    assert pairs.dropped_up_to > 0
    assert [7, 8] in both.tolist()
    for (a, b), count in zip(both.tolist(), counts.tolist(), strict=True):
        assert a >= 0 <= b
        assert count <= true[a, b]
    at = both.tolist().index([7, 8])
    assert counts[at] >= true[7, 8] - 20 * (1 + pairs.dropped_up_to)  # pairs across the cuts, and of a dropped start


def test_ids_are_those_of_the_tables_tokenizer(english):
    table = rs.fit(english, phrases=3, phrase_threshold=50, min_count=2, dim=4, epochs=1)
    library, counts = Tokenizer.from_str(table.tokenizer), np.zeros(len(table), np.int64)
    for line in english.read_text().split("\n"):
        np.add.at(counts, library.encode(line, add_special_tokens=False).ids, 1)
    counts[table.id("[UNK]")] = 0
    np.testing.assert_array_equal(table.counts, counts)
    scores = table.settings["phrase_scores"]
    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    assert len(scores) > 50
    assert all(phrase in table for phrase in scores)
    assert all(table.counts[table.id(phrase)] >= 2 for phrase in scores)
    best = next(iter(scores))
    vector = rs.Encoder(table).encode([f"  {best.upper()} "])[0]
    np.testing.assert_allclose(vector, table[best], atol=1e-6)


def test_a_table_with_phrases_is_saved_and_goes_on_with_them(english, tmp_path):
    table = rs.fit(english, phrases=2, dim=4, epochs=1, workers=1, output=tmp_path / "t")
    opened = rs.load(tmp_path / "t")
    assert opened.settings["phrase_scores"] == table.settings["phrase_scores"]
    went_on = rs.fit(english, init=opened, epochs=1)
    assert went_on.vocabulary == list(opened.vocabulary)
    np.testing.assert_array_equal(went_on.counts, 2 * opened.counts)
    again = rs.fit((line for line in english.read_text().splitlines()), phrases=2, dim=4, epochs=1)  # read only once
    np.testing.assert_array_equal(again.counts, table.counts)


def test_what_cannot_have_phrases_is_refused(english, tmp_path):
    words_only = rs.fit(english, dim=4, epochs=1)
    for corpus, options, error, message in [
        ([["a", "b"], ["c"]], {"phrases": 2}, UsageError, "need no tokenizer and have no phrases"),
        (english, {"phrases": 2, "subwords": True}, UsageError, "phrases and subwords cannot be combined"),
        (english, {"phrases": 1}, UsageError, "phrases must be a whole number from 2 to 8, not 1"),
        (english, {"phrases": 2, "tokens": "bpe"}, UsageError, "phrases has no meaning with tokens='bpe'"),
        (english, {"phrases": 2, "init": words_only}, UsageError, "has phrases=None, not 2"),
        (["a b"], {"phrases": 2}, CorpusError, "no word is as frequent as min_count=5"),
    ]:
        with pytest.raises(error, match=message):
            rs.fit(corpus, dim=4, epochs=1, **options) if "init" not in options else rs.fit(corpus, **options)
    with pytest.raises(CorpusError, match="no word is as frequent"):
        encode_phrases(["a b"], tmp_path, options=TextOptions(phrases=2))
    assert not list(tmp_path.glob("*.text"))


def test_phrases_of_scripts_without_spaces_are_left_out_with_a_warning():
    chance, words = random.Random(1), ["我们", "学习", "喜欢", "中文", "电影", "老师", "的"]
    texts = ["".join([*chance.choices(words, k=6), "图书馆", "计算机"]) for _ in range(300)]
    with pytest.warns(
        CorpusWarning, match=r"left out \d+ phrases? of scripts without spaces, such as '.+': in the text"
    ):
        assert rs.fit(iter(texts), phrases=2, phrase_threshold=1, dim=2, epochs=1).settings["phrase_scores"] == {}
