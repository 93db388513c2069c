"""`rowspace.fit` with subword tokens: rows in the tokenizer's order, resumable, readable by other libraries."""

import re

import numpy as np
import pytest
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

import rowspace as rs
from rowspace.errors import FitInterrupted, UsageError
from rowspace.learn import Reports

KINDS = {
    "bpe": {"vocabulary_size": 800},
    "wordpiece": {"vocabulary_size": 800},
    "unigram": {"vocabulary_size": 800},
    "bytes": {},
    "chars": {},
}
SMALL = {"dim": 8, "epochs": 1, "workers": 1}


IN_CI = {"bpe", "unigram", "bytes"}


@pytest.fixture(
    scope="module",
    params=[pytest.param(kind, marks=() if kind in IN_CI else pytest.mark.long) for kind in KINDS],
)
def saved(request, english, tmp_path_factory):
    path = tmp_path_factory.mktemp("saved") / request.param
    rs.fit(english, tokens=request.param, output=path, **KINDS[request.param], **SMALL)
    return path


def test_rows_are_ordered_by_token_id_and_counts_equal_the_librarys(saved, english):
    table = rs.load(saved)
    library = Tokenizer.from_str(table.tokenizer)
    counts = np.zeros(len(table), np.int64)
    for line in english.read_text().split("\n"):
        np.add.at(counts, library.encode(line, add_special_tokens=False).ids, 1)
    assert list(table) == [library.id_to_token(number) for number in range(library.get_vocab_size())]
    np.testing.assert_array_equal(table.counts, counts)
    np.testing.assert_array_equal(table.norms == 0, counts == 0)
    assert table.settings["words"] == counts.sum()


# Parity: model2vec and sentence-transformers, which encode a text as the mean of its token rows.
def test_other_libraries_encode_texts_with_the_same_rows(saved):
    table, text = rs.load(saved), "The expression is evaluated first"
    ids = Tokenizer.from_str(table.tokenizer).encode(text, add_special_tokens=False).ids
    expected = table.rows[ids].mean(axis=0)
    for encode in (StaticModel.from_pretrained(saved).encode, SentenceTransformer(str(saved), device="cpu").encode):
        np.testing.assert_allclose(encode([text])[0], expected, atol=1e-6)


def test_settings_record_the_tokens_option(saved):
    settings = rs.load(saved).settings
    assert settings["tokens"] == saved.name
    assert settings["repeatable"] is (saved.name != "wordpiece")
    assert not settings.keys() & {"min_count", "cased", "max_vocabulary"}


def test_tokens_in_similar_contexts_become_neighbors():
    rng = np.random.default_rng(0)
    kinds = {"animal": (["cat", "dog", "cow"], ["eats", "sleeps"]), "tool": (["saw", "axe", "pen"], ["cuts", "breaks"])}
    texts = []
    for _ in range(3000):
        nouns, verbs = kinds[rng.choice(["animal", "tool"])]
        texts.append(f"the {rng.choice(nouns)} {rng.choice(verbs)} and the {rng.choice(nouns)} {rng.choice(verbs)}")
    table = rs.fit(texts, tokens="bpe", dim=16, epochs=5, workers=2, sample=0, window=2)
    assert {token for token, _ in table.neighbors("Ġcat", k=2)} == {"Ġdog", "Ġcow"}


def test_fit_with_one_worker_is_reproducible(english):
    first, second = (rs.fit(english, tokens="bpe", vocabulary_size=500, **SMALL) for _ in range(2))
    np.testing.assert_array_equal(first.rows, second.rows)
    assert first.tokenizer == second.tokenizer


def test_tokenizer_of_a_table_can_be_reused(saved, english):
    again = rs.fit(english, tokens=saved, **SMALL)
    assert again.tokenizer == rs.load(saved).tokenizer
    np.testing.assert_array_equal(again.rows, rs.load(saved).rows)


def test_table_of_each_epoch_is_in_the_tokenizers_order(english):
    seen = []
    reports = Reports(on_epoch=lambda _epoch, table, _loss: seen.append(table))
    table = rs.fit(english, tokens="chars", reports=reports, **SMALL)
    assert list(seen[0]) == list(table)
    np.testing.assert_array_equal(seen[0].rows, table.rows)


LONGER = {"tokens": "bpe", "vocabulary_size": 600, "special": ["<s>"], "dim": 8, "epochs": 3, "workers": 1}


@pytest.fixture
def interrupted(english, tmp_path, stopping):
    """The output path of a fit interrupted in its first epoch."""
    with pytest.raises(FitInterrupted):
        rs.fit(english, output=tmp_path / "table", reports=stopping, **LONGER)
    return tmp_path / "table"


@pytest.mark.long
def test_resumed_fit_equals_an_uninterrupted_one_bit_for_bit(english, interrupted):
    resumed, whole = rs.fit(output=interrupted, resume=True, **LONGER), rs.fit(english, **LONGER)
    np.testing.assert_array_equal(resumed.rows, whole.rows)
    np.testing.assert_array_equal(resumed.counts, whole.counts)
    assert (resumed.tokenizer, list(resumed)) == (whole.tokenizer, list(whole))
    np.testing.assert_array_equal(rs.load(interrupted).rows, whole.rows)


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "chars"}, "has tokens='bpe', not 'chars'"),
        ({"vocabulary_size": 700}, "has vocabulary_size=600, not 700"),
        ({"special": ["<s>", "</s>"]}, r"has special=['<s>'], not ['<s>', '</s>']"),
        ({"min_count": 5}, "min_count has no meaning with tokens='bpe'"),
    ],
)
def test_resume_with_other_tokens_is_an_error(interrupted, options, message):
    with pytest.raises(UsageError, match=re.escape(message)):
        rs.fit(output=interrupted, resume=True, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "bep"}, "did you mean bpe?"),
        ({"tokens": "bpe", "min_count": 2}, "min_count has no meaning with tokens='bpe'; leave it out; see min_freq"),
        ({"tokens": "bpe", "vocabulary_size": 256}, "vocabulary_size=256 has no room for the 257"),
        ({"vocabulary_size": 256}, "vocabulary_size has no meaning with tokens='words'"),
        ({"vocabulary_sice": 256}, "did you mean vocabulary_size?"),
    ],
)
def test_invalid_call_is_refused_and_leaves_no_files(options, message, tmp_path):
    with pytest.raises(UsageError, match=re.escape(message)):
        rs.fit(["a b"] * 9, output=tmp_path / "table", special=["<s>"] if "tokens" in options else None, **options)
    assert not list(tmp_path.iterdir())
