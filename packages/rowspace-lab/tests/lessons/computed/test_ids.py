"""The numbers of lesson 1 by NumPy's norms, one pair at a time, and by scikit-learn's neighbors."""

from collections.abc import Callable
from itertools import combinations, pairwise

import numpy as np
import pytest
from sklearn.neighbors import NearestNeighbors
from tests.lessons.first_lessons import LABS, ask, run_card

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.computed.topics import ids as computed
from rowspace_lab.lessons.lesson import lesson
from rowspace_lab.tables.small_world import small_world_sentences

ROWS = {
    "the": np.array([-0.12, 0.05, 0.88]),
    "cat": np.array([0.72, -0.41, 0.15]),
    "dog": np.array([0.68, -0.38, 0.22]),
    "sat": np.array([-0.55, 0.62, -0.03]),
    "house": np.array([0.31, 0.15, -0.72]),
    "on": np.array([-0.08, 0.11, 0.79]),
}
IDS = {word: id for id, word in enumerate(ROWS)}
NEW_IDS = {
    "each word gets a new id at random": np.random.default_rng(1).permutation(6).tolist(),  # as in the figure
    "the words with the ids 1 and 4 change places": [0, 4, 2, 3, 1, 5],
    "its order is reversed": [5, 4, 3, 2, 1, 0],
    "each id grows by one, and the last word gets id 0": [1, 2, 3, 4, 5, 0],
    "the words with the ids 0 and 2 change places": [2, 1, 0, 3, 4, 5],
}
SEEDS = [0, 1, 2]


def apart(one: str, other: str) -> float:
    return float(np.sqrt(((ROWS[one] - ROWS[other]) ** 2).sum()))


def test_distances_are_those_of_the_rows() -> None:
    found = computed.distances()
    for name, pair in {"cat_dog": ("cat", "dog"), "cat_the": ("cat", "the"), "the_on": ("the", "on")}.items():
        assert found["id"][name] == abs(IDS[pair[0]] - IDS[pair[1]])
        assert found["one_hot"][name] == pytest.approx(np.sqrt(2))
        assert found["row"][name] == pytest.approx(apart(*pair))
    farthest = max(abs(IDS[one] - IDS[other]) for one, other in combinations(ROWS, 2))
    assert found["id"]["the_on"] == farthest
    assert (
        f"{found['row']['cat_dog']:.3f} {found['row']['cat_the']:.3f} {found['ratio']['row']:.1f}" == "0.086 1.204 14.0"
    )
    assert computed.differences()["squares"] == pytest.approx(0.0074) == pytest.approx(apart("cat", "dog") ** 2)


def test_a_permutation_changes_distances_of_ids_only() -> None:
    found, order = computed.permuted(), np.random.default_rng(1).permutation(6)
    changed = [abs(order[one] - order[other]) != abs(one - other) for one, other in combinations(range(6), 2)]
    assert found == {"id": sum(changed), "one_hot": 0, "row": 0, "pairs": len(changed)}


def test_riddle_and_counts() -> None:
    assert computed.ids() == {"cat": 3782, "dog": 5291, "sum": 9073}
    words = " ".join(small_world_sentences()).split()
    counts = sorted((words.count(word) for word in set(words)), reverse=True)
    assert computed.by_count() == {"first": counts[0], "last_id": len(counts) - 1, "last": counts[-1]}


@pytest.mark.parametrize("seed", SEEDS)
def test_nearer_word_by_id_and_by_row(seed: int) -> None:
    question, answer = ask(1, "nearer", seed, LABS["six-words"]())
    word, one, other = (str(question.fields[name]) for name in ("word", "one", "other"))
    by_id = min((one, other), key=lambda each: abs(IDS[each] - IDS[word]))
    by_row = min((one, other), key=lambda each: apart(each, word))
    expected = f"{by_id}, by id and by row" if by_id == by_row else f"{by_id} by id, {by_row} by row"
    assert question.options[answer["answer"]] == expected
    assert (answer["row_one"], answer["row_other"]) == (round(apart(word, one), 3), round(apart(word, other), 3))
    if seed == 0:
        assert (word, expected, answer["id_one"], answer["id_other"]) == ("the", "cat by id, on by row", 1, 5)


@pytest.mark.parametrize("seed", range(5))
def test_distances_of_ids_change_but_those_of_rows_do_not(seed: int) -> None:
    question, answer = ask(1, "renumbered", seed, LABS["six-words"]())
    order = NEW_IDS[str(question.fields["renumbering"])]
    shuffled = np.empty((6, 3))
    shuffled[list(order)] = list(ROWS.values())
    pairs = list(combinations(ROWS, 2))
    places = [(order[IDS[one]], order[IDS[other]]) for one, other in pairs]
    rows = [np.linalg.norm(shuffled[one] - shuffled[other]) for one, other in places]
    np.testing.assert_allclose(rows, [apart(*pair) for pair in pairs])
    ids = [abs(one - other) for one, other in places]
    by_id = sum(new != abs(IDS[a] - IDS[b]) for new, (a, b) in zip(ids, pairs, strict=True))
    assert answer == {"answer": by_id if seed else 0, "by_id": by_id, "by_row": 0}
    assert (question.fields["pairs"], question.fields["of"]) == (len(pairs), "ids" if seed else "rows")


def test_renumbered_needs_six_words() -> None:
    with pytest.raises(UsageError, match="a table of 6 words; choose Six words"):
        lesson(1).question("renumbered", LABS["five-items"]().table, 0)


@pytest.mark.parametrize("seed", SEEDS)
def test_next_ids_are_counted_among_the_neighbors_of_sklearn(small_lab: Callable[..., Lab], seed: int) -> None:
    draw = np.random.default_rng(7)
    rows = draw.normal(size=(200, 8)) + np.repeat(draw.normal(size=(40, 8)) * 3, 5, axis=0)  # groups of five ids
    lab = small_lab([f"word{id}" for id in range(200)], rows)
    question, answer = ask(1, "next_ids", seed, lab)
    near = (
        NearestNeighbors(n_neighbors=1 + (k := int(str(question.fields["k"]))))
        .fit(rows)
        .kneighbors(rows, return_distance=False)
    )
    found = [second in near[first] for first, second in pairwise(range(200))]
    assert answer["answer"] == round(100 * np.mean(found), 1)
    assert answer["answer"] > 50 > answer["random"]
    assert answer["chance"] == round(100 * k / 199, 2)


def test_next_ids_need_a_larger_table() -> None:
    with pytest.raises(UsageError, match="too small"):
        lesson(1).question("next_ids", LABS["six-words"]().table, 0)


def test_card_finds_the_nearest_row(capsys: pytest.CaptureFixture[str]) -> None:
    run_card(1)
    assert capsys.readouterr().out.startswith("[('dog', 0.086")
