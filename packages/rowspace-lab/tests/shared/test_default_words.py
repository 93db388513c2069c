"""The default words of pages."""

import numpy as np

from rowspace_lab.shared.default_words import default_words


def test_default_words_match_the_kind_of_table(lab, small_lab) -> None:
    assert default_words(lab.table, 2) == ["typeerror", "valueerror"]
    bert = small_lab(["[PAD]", "[unused0]", "##s", "7", "read", "king", "queen"], np.ones((7, 2)))
    assert default_words(bert.table, 4) == ["king", "queen", "read", "7"]
    marked = small_lab(["<s>", "ing", "▁of", "▁Brot", "▁king", "▁wo"], np.ones((6, 2)))
    assert default_words(marked.table, 4) == ["▁king", "▁of", "▁Brot", "▁wo"]


def test_default_words_are_learned(small_lab) -> None:
    words = ["[PAD]", "king", "queen", "zero", "nan", "one", "seven"]
    rows = np.array([[1.0], [1.0], [1.0], [0.0], [np.nan], [2.0], [3.0]])
    counts = np.array([9, 0, 3, 2, 2, 4, 0])
    assert default_words(small_lab(words, rows, counts).table, 4) == ["queen", "one"]
    assert default_words(small_lab(words, rows).table, 4) == ["king", "queen", "one", "seven"]
    assert default_words(small_lab(words, rows, np.zeros(7, np.int64)).table, 1) == ["king"]


def test_table_without_learned_words_has_a_default_word(small_lab) -> None:
    assert default_words(small_lab(["[PAD]", "a"], np.array([[1.0], [0.0]])).table, 2) == ["[PAD]"]
    assert default_words(small_lab(["a", "b"], np.zeros((2, 1))).table, 1) == ["a"]
