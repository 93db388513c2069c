"""The tables that can be checked by hand."""

import numpy as np
from scipy.special import softmax

from rowspace import space
from rowspace_lab.tables.examples import EXAMPLES, four_words, table_text
from rowspace_lab.tables.typed import read_rows

SIX, FOUR, FIVE, ARROWS = (choice.open().table for choice in EXAMPLES)


def test_distances_of_six_words_are_those_computed_by_hand() -> None:
    # cat - dog = (.04, -.03, -.07); cat - the = (.84, -.46, -.73)
    (to_dog, to_the), (between,) = (
        space.euclidean(SIX["cat"], SIX[["dog", "the"]]),
        space.euclidean(SIX["the"], SIX[["on"]]),
    )
    np.testing.assert_allclose([to_dog, to_the], [0.0074**0.5, 1.4501**0.5], rtol=1e-12)
    assert [round(float(value), 3) for value in (to_dog, to_the, between)] == [0.086, 1.204, 0.115]
    assert round(float(SIX["cat"] @ SIX["dog"]), 4) == 0.6784


def test_logits_of_four_words_are_those_computed_by_hand() -> None:
    logits = FOUR.rows @ [0.6, 0.1, 0.3]
    np.testing.assert_allclose(logits, [0.30, 0.58, 0.24, 0.05], atol=1e-12)
    np.testing.assert_allclose(softmax(logits), [0.247, 0.327, 0.233, 0.193], atol=5e-4)
    np.testing.assert_array_equal(four_words().rows, FOUR.rows)


def test_one_hot_of_the_fourth_item_gives_its_row() -> None:
    np.testing.assert_array_equal(np.array([0, 0, 0, 1, 0]) @ FIVE.rows, [0.7, 0, -0.3])


def test_two_arrows_have_one_direction_and_two_lengths() -> None:
    a, b = ARROWS[["a", "b"]]
    assert (float(a @ b), float(space.cosine(a, b)), float(space.euclidean(a, b))) == (3, 1, 2)


def test_text_of_an_example_gives_its_rows() -> None:
    for choice in EXAMPLES:
        assert choice.own is not None
        rows = read_rows(choice.own.text)
        assert table_text(rows) == choice.own.text
        np.testing.assert_array_equal(list(rows.values()), choice.open().table.rows)
