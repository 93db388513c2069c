"""The small world: its sentences, and the rows that `fit` learns from them."""

import re

import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import CorpusError, UsageError
from rowspace_lab.tables.small_world import small_world_sentences, swap_words
from rowspace_lab.tables.world import OPTIONS, SMALL_WORLD, world_choice

SEEDS = (1, 2, 3, 4, 5)
KNOWN = (
    "the on cat dog kitten bird house building king queen man woman run walk swim city town river bank "
    "parliamentary cats dogs birds houses kings cities towns boy girl father mother prince princess"
)


@pytest.fixture(scope="module")
def learned() -> list[rs.Table]:
    """A table for each seed."""
    return [rs.fit(iter(small_world_sentences()), dim=16, seed=seed, **OPTIONS) for seed in SEEDS]


def lead(table: rs.Table, a: str, b: str, c: str, expected: str) -> float:
    """By how much `expected` leads all other words, with a, b and c among them; computed without `space.analogy`."""
    unit = table.rows / np.linalg.norm(table.rows, axis=1, keepdims=True)
    of = {word: unit[table.vocabulary.index(word)] for word in (a, b, c)}
    target = of[b] - of[a] + of[c]
    scores = unit @ target / np.linalg.norm(target)
    at = table.vocabulary.index(expected)
    return float(scores[at] - np.delete(scores, at).max())


def test_sentences_have_the_words_that_lessons_use_and_are_distinct() -> None:
    sentences = small_world_sentences()
    assert set(KNOWN.split()) <= set(" ".join(sentences).split())
    assert 150 < len(set(sentences)) == len(sentences) < 1000


def test_king_shares_gender_with_men_and_deeds_with_the_queen_only() -> None:
    """A prince with the king's deeds would be as near to king - man + woman as the queen is."""

    def near(word: str) -> set[str]:
        lines = [set(line.split()) for line in small_world_sentences() if word in line.split()]
        return set().union(*lines) - {word, "the", "as"}

    men = [near(man) for man in ("man", "father", "boy", "prince")]
    assert all(near("king") & other == {"he", "his", "himself", "handsome"} for other in men)
    assert near("king") & near("queen") == {"rules", "guards", "lands", "castles", "palaces"}


def test_queen_leads_with_every_seed(learned: list[rs.Table]) -> None:
    leads = [lead(table, "man", "king", "woman", "queen") for table in learned]
    assert min(leads) > 0.3, leads
    assert np.mean(leads) > 0.33, leads


@pytest.mark.parametrize(
    ("relation", "least"),
    [
        ("woman queen man king", 0.2),
        ("father mother boy girl", 0.2),
        ("man woman prince princess", 0.2),
        ("boy girl prince princess", 0.2),
    ],
)
def test_other_relations_hold_with_every_seed(learned: list[rs.Table], relation: str, least: float) -> None:
    a, b, c, expected = relation.split()
    assert min(lead(table, a, b, c, expected) for table in learned) > least


def test_pets_are_neighbors_with_every_seed(learned: list[rs.Table]) -> None:
    for table in learned:
        assert {word for word, _ in table.neighbors("cat", k=3)} == {"dog", "kitten", "puppy"}
        (_, to_nearest), *_ = table.neighbors("cat", k=1)
        assert to_nearest > 0.95


def test_more_numbers_a_word_separate_the_queen_further() -> None:
    """With 8 numbers a word, other words come close to her or before her."""

    def mean_lead(dim: int) -> float:
        tables = [rs.fit(iter(small_world_sentences()), dim=dim, seed=seed, **OPTIONS) for seed in SEEDS[:3]]
        return float(np.mean([lead(table, "man", "king", "woman", "queen") for table in tables]))

    assert mean_lead(8) < mean_lead(32) - 0.15


def test_swapped_words_swap_their_neighbors(learned: list[rs.Table]) -> None:
    swapped = rs.fit(iter(swap_words(small_world_sentences(), "cat", "king")), dim=16, seed=1, **OPTIONS)
    assert {word for word, _ in swapped.neighbors("king", k=3)} == {"dog", "kitten", "puppy"}
    of_cat, of_king = (
        {word for word, _ in table.neighbors(word, k=5)} for table, word in ((swapped, "cat"), (learned[0], "king"))
    )
    assert len(of_cat & of_king) >= 3
    assert not of_cat & {"dog", "kitten", "puppy"}


def test_same_text_gives_the_same_rows_and_id() -> None:
    one, other = (world_choice("the cat sat\n\n the dog sat \na bird", 8) for _ in range(2))
    assert one.id == other.id == world_choice("the cat sat\nthe dog sat\na bird", 8).id
    np.testing.assert_array_equal(one.open().table.rows, other.open().table.rows)


def test_id_depends_on_text_and_dimension_and_is_short_for_the_unchanged_world() -> None:
    text = "\n".join(small_world_sentences())
    assert world_choice(text).id == SMALL_WORLD.id == "small-world"
    ids = {world_choice(text, 8).id, world_choice(text, 32).id, world_choice(text + "\na b").id, "small-world"}
    assert len(ids) == 4
    assert all(re.fullmatch("[a-z0-9-]+", id) for id in ids)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (" \n", "the text must have 1 to 2,000 sentences, one per line, not 0"),
        ("a b\n" * 2001, "the text must have 1 to 2,000 sentences, one per line, not 2,001"),
        ("a b\n" + "a " * 41, "sentence 2 has 41 words; write a sentence per line, of up to 40"),
    ],
)
def test_wrong_text_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(message)}$"):
        world_choice(text)


def test_text_without_two_words_is_refused_when_it_is_learned() -> None:
    with pytest.raises(CorpusError, match="only one distinct token"):
        world_choice("cat cat").open()
