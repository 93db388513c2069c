"""The default words of pages."""

import numpy as np

from rowspace_lab.shared.default_words import default_words


def test_default_words_match_the_kind_of_table(lab, small_lab) -> None:
    assert default_words(lab.table, 2) == ["typeerror", "valueerror"]
    bert = small_lab(["[PAD]", "[unused0]", "##s", "7", "read", "king", "queen"], np.ones((7, 2)))
    assert default_words(bert.table, 4) == ["king", "queen", "read", "7"]
    marked = small_lab(["<s>", "ing", "▁of", "▁Brot", "▁king", "▁wo"], np.ones((6, 2)))
    assert default_words(marked.table, 4) == ["▁king", "▁of", "▁Brot", "▁wo"]
