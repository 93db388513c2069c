"""Choosing representative words: token classes by spelling, and rows with known clusters."""

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.space import central_words, k_means, representative_order, token_classes

CLASSES = {
    0: ["cat", "don't", "naïve", "北京", "saint-denis", "co2s"],
    1: ["a", "7", "1999", "!", "...", "3d", "x1"],
    2: ["##ing", "##7", "<0x0A>", "<0xff>"],
    3: ["[PAD]", "[unused0]", "[CLS]", "<s>", "</s>", "<unk>", "<|endoftext|>", "<extra_id_0>", "[E1]", ""],
}


def test_tokens_are_classified_by_spelling() -> None:
    tokens = [token for tokens in CLASSES.values() for token in tokens]
    expected = [number for number, tokens in CLASSES.items() for _ in tokens]
    assert dict(zip(tokens, token_classes(tokens).tolist(), strict=True)) == dict(zip(tokens, expected, strict=True))


@pytest.mark.parametrize("mark", ["Ġ", "▁"])
def test_unmarked_tokens_are_pieces_if_words_are_marked(mark: str) -> None:
    assert token_classes([f"{mark}the", f"{mark}cat", "ing", f"{mark}7", "<s>"]).tolist() == [0, 0, 2, 1, 3]


def test_order_alternates_clusters_with_words_first_and_directionless_rows_last() -> None:
    directions = np.eye(3)[[0, 0, 1, 1, 2, 2, 0, 1, 2]]
    rows = 5 * directions + np.random.default_rng(0).normal(0, 0.1, (9, 3))
    rows[8] = np.nan
    vocabulary = ["[PAD]", "[UNK]", "cat", "dog", "red", "##s", "one", "7", "blue"]
    order = representative_order(rows, vocabulary)
    assert sorted(order.tolist()) == list(range(9))
    classes = token_classes(vocabulary)[order]
    assert classes[:8].tolist() == sorted(classes[:8].tolist())
    assert order[-1] == 8
    named = central_words(rows, k_means(rows, 3), vocabulary, 2)
    assert sorted(map(sorted, named)) == [[0, 6], [2, 3], [4, 5]]
    assert all(ids[0] in (6, 2, 3, 4) for ids in named)  # words precede pieces and special tokens


def test_rows_without_direction_are_an_error() -> None:
    with pytest.raises(UsageError, match="no row has a direction"):
        representative_order(np.zeros((3, 2)), ["a", "b", "c"])
