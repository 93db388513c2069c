"""Phrases must be those of gensim's `Phrases` on any sentences."""

import os
import subprocess
import sys

import gensim.models.phrases
import pytest
from hypothesis import given, strategies as st

from rowspace.compat.gensim.models import Phrases
from rowspace.compat.gensim.models.phrases import FrozenPhrases

SENTENCES = st.lists(st.lists(st.sampled_from(["a", "b", "c", "d", "of", "the"]), max_size=8), max_size=12)
SETTINGS = [
    {"min_count": 1, "threshold": 0.5},
    {"min_count": 2, "threshold": 0.2, "connector_words": ["of", "the"]},
    {"min_count": 1, "threshold": 0.1, "scoring": "npmi", "connector_words": {"of"}, "delimiter": " "},
    {"min_count": 1, "threshold": 0.1, "max_vocab_size": 5},
]


@given(SENTENCES, st.sampled_from(SETTINGS))
def test_phrases_equal_gensims(sentences, settings):
    ours, theirs = Phrases(sentences, **settings), gensim.models.phrases.Phrases(sentences, **settings)
    assert dict(ours.vocab) == dict(theirs.vocab)
    assert ours.export_phrases() == pytest.approx(theirs.export_phrases())
    assert ours.find_phrases(sentences) == pytest.approx(theirs.find_phrases(sentences))
    assert list(ours[sentences]) == list(theirs[sentences])
    assert list(ours.freeze()[sentences]) == list(theirs.freeze()[sentences])


def test_one_sentence_is_a_list_and_many_are_read_again():
    phrases = Phrases([["new", "york"]] * 3, min_count=1, threshold=0.1)
    assert phrases[["new", "york", "city"]] == ["new_york", "city"]
    many = phrases[[["new", "york"], ["york"]]]
    assert list(many) == list(many) == [["new_york"], ["york"]]
    assert list(phrases[iter([["new", "york"]])]) == [["new_york"]]


def test_more_sentences_are_counted():
    phrases = Phrases([["new", "york"]], min_count=1, threshold=0.1)
    phrases.add_vocab([["new", "york"]])
    assert phrases.vocab["new_york"] == 2
    assert phrases.corpus_word_count == 4


def score_nothing(worda_count, wordb_count, bigram_count, len_vocab, min_count, corpus_word_count):
    return 0.5


@pytest.mark.parametrize("kind", [Phrases, FrozenPhrases])
def test_saved_phrases_are_the_same(kind, tmp_path):
    for scoring in ("npmi", score_nothing):
        phrases = Phrases([["new", "york"]] * 3, min_count=1, threshold=0.1, scoring=scoring, connector_words=["of"])
        saved = phrases if kind is Phrases else phrases.freeze()
        saved.save(tmp_path / "phrases")
        loaded = kind.load(tmp_path / "phrases")
        assert loaded[["new", "york"]] == ["new_york"]
        assert loaded.scoring is saved.scoring
        assert vars(loaded) == vars(saved)


SCORER_MODULE = """
def score(worda_count, wordb_count, bigram_count, len_vocab, min_count, corpus_word_count):
    return 0.5
"""
SAVE_PHRASES = """
import sys
from rowspace.compat.gensim.models import Phrases
from scorer_on_disk import score
Phrases([["new", "york"]], min_count=1, threshold=0.1, scoring=score).save(sys.argv[1])
"""


def test_a_scorer_of_a_module_that_is_not_imported_must_be_given(tmp_path):
    (tmp_path / "scorer_on_disk.py").write_text(SCORER_MODULE)
    (tmp_path / "save_phrases.py").write_text(SAVE_PHRASES)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(tmp_path / "save_phrases.py"), str(tmp_path / "phrases")]
    subprocess.run(command, env=environment, check=True)
    with pytest.raises(ValueError, match="give the function as scoring="):
        Phrases.load(tmp_path / "phrases")
    assert Phrases.load(tmp_path / "phrases", scoring=score_nothing).scoring is score_nothing


ERRORS = [
    ({"min_count": 0}, "min_count must be at least 1"),
    ({"threshold": 0}, "threshold must be positive"),
    ({"threshold": 2, "scoring": "npmi"}, "from -1 to 1"),
    ({"scoring": "other"}, "'default', 'npmi' or a function"),
    ({"scoring": len}, "must be a function of"),
    ({"delimiter": b"_"}, "delimiter must be text"),
]


@pytest.mark.parametrize(("keywords", "message"), ERRORS)
def test_errors_say_what_is_wrong(keywords, message):
    with pytest.raises(ValueError, match=message):
        Phrases([], **keywords)
