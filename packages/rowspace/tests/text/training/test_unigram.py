"""Pieces of a unigram model are as good as those of SentencePiece, and have all characters."""

import io
import math
from collections import Counter

import pytest
import sentencepiece
from hypothesis import given, strategies as st
from tokenizers import Tokenizer

from rowspace.text import TokenizerOptions, standard_library, train_tokenizer
from rowspace.text.training import unigram
from rowspace.text.training.unigram import learn_pieces

SIZE = 1000
WORDS = st.dictionaries(st.text("ab▁é我\0", min_size=1, max_size=40), st.integers(1, 9), min_size=1, max_size=30)


@pytest.fixture(scope="module")
def lines():
    text = "\n".join(text for text, _ in zip(standard_library(), range(20), strict=False))
    return [line.strip() for line in text.split("\n") if line.strip()]


def test_held_out_lines_have_as_few_pieces_as_with_sentencepiece(lines):
    learned_from, held_out = [line for number, line in enumerate(lines) if number % 5], lines[::5]
    ours = Tokenizer.from_str(train_tokenizer(learned_from, TokenizerOptions("unigram", vocabulary_size=SIZE)))
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(learned_from),
        model_writer=model,
        vocab_size=SIZE,
        model_type="unigram",
        num_threads=1,
        minloglevel=2,
    )
    theirs = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    found = [ours.encode(line).tokens for line in held_out]
    expected = [theirs.encode(line, out_type=str) for line in held_out]
    assert sum(map(len, found)) < 1.01 * sum(map(len, expected))
    pieces = {theirs.id_to_piece(number) for number in range(len(theirs))}
    assert len(pieces & ours.get_vocab().keys()) > 0.75 * SIZE
    for word in ("▁and", "▁from", "▁the"):
        assert word in ours.get_vocab()


@given(WORDS, st.integers(6, 40))
def test_pieces_are_substrings_with_all_characters_and_falling_probabilities(words, size):
    pieces = learn_pieces(Counter(words), size)
    characters = {character for word in words for character in word}
    assert characters <= {piece for piece, _ in pieces}
    assert all(any(piece in word for word in words) for piece, _ in pieces)
    assert len({piece for piece, _ in pieces}) == len(pieces) <= size
    scores = [score for _, score in pieces]
    assert scores == sorted(scores, reverse=True)
    assert math.fsum(map(math.exp, scores)) <= 1 + 1e-9


def test_only_the_most_frequent_words_have_a_part_in_a_very_large_text(monkeypatch):
    monkeypatch.setattr(unigram, "MAX_CHARACTERS", 12)
    pieces = {piece for piece, _ in learn_pieces(Counter({"xyz": 1, "often": 9, "word": 5}), 50)}
    assert pieces >= {"often", "word"}
    assert not pieces & {"x", "y", "z"}


def test_the_same_text_has_the_same_tokenizer(lines):
    options = TokenizerOptions("unigram", vocabulary_size=300)
    assert train_tokenizer(lines[:200], options) == train_tokenizer(iter(lines[:200]), options)
