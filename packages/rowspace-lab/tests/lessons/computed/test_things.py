"""The numbers of the lesson on a shop, compared with counts, NetworkX, and sums over the rows of the shop."""

from collections import Counter
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.lessons.asking import ask, run_card

import rowspace as rs
from rowspace.errors import UsageError
from rowspace.learn import hold_out, read_interactions
from rowspace_lab.lessons.computed.topics import things as computed
from rowspace_lab.lessons.lesson import LESSONS, lesson
from rowspace_lab.tables.small_graph import small_graph_edges
from rowspace_lab.tables.small_shop import OCCASIONS, small_shop_baskets

LESSON = next(number for number in LESSONS if lesson(number).module is computed)


def test_shop_and_items_together_are_those_of_the_baskets() -> None:
    counts = Counter(item for basket in small_shop_baskets() for item in basket)
    pairs = Counter(pair for basket in small_shop_baskets() for pair in combinations(basket, 2))  # sorted
    assert computed.shop() == {
        "items": len(counts),
        "baskets": 1200,
        "occasions": 12,
        "dim": 16,
        "milk": counts["milk"],
    }
    assert computed.small_shop().rows.shape == (len(counts), 16)
    found = computed.together()
    assert found["milk"]["baskets"] == pairs["jam", "milk"] > pairs["jam", "orange juice"] == found["juice"]["baskets"]
    rows = {item: computed.small_shop()[item] for item in ("jam", "milk", "orange juice")}
    for key, other in (("milk", "milk"), ("juice", "orange juice")):
        lengths = np.linalg.norm(rows["jam"]) * np.linalg.norm(rows[other])
        assert_allclose(found[key]["cosine"], rows["jam"] @ rows[other] / lengths, rtol=1e-5)


def test_graph_has_the_borders_of_the_states_and_its_neighbors_are_joined() -> None:
    found, graph = computed.graph(), nx.Graph(small_graph_edges())
    assert (found["nodes"], found["edges"]) == (graph.number_of_nodes(), graph.number_of_edges())
    assert_allclose(found["chance"], nx.density(graph))
    near = [
        graph.has_edge(state, other) for state in graph for other, _ in computed.small_graph().neighbors(state, k=3)
    ]
    assert_allclose(found["joined"], np.mean(near))
    assert found["joined"] > 0.85


@pytest.mark.parametrize("seed", range(4))
def test_nearest_state_has_common_neighbors_and_no_border(seed: int) -> None:
    table, graph = computed.small_graph(), nx.Graph(small_graph_edges())
    fields, found = ask(LESSON, "walked", table, seed)
    near = [state for state, _ in table.neighbors(fields["node"], k=48) if state in fields["options"]]
    best = fields["options"][found["answer"]]
    assert best == near[0]
    assert not graph.has_edge(fields["node"], best)
    assert graph.has_edge(fields["node"], found["border"])
    assert found["border"] == next(state for state in near if graph.has_edge(fields["node"], state))
    assert found["shared"] == len(list(nx.common_neighbors(graph, fields["node"], best))) > 0
    assert found["of"] == graph.degree(best)


@pytest.mark.parametrize("seed", range(4))
def test_nearest_item_is_not_the_one_bought_most_often_with_it(seed: int) -> None:
    table = computed.small_shop()
    fields, found = ask(LESSON, "nearest", table, seed)
    near = [item for item, _ in table.neighbors(fields["item"], k=67) if item in fields["options"]]
    assert fields["options"][found["answer"]] == near[0] != found["often"]
    assert found["most"] > found["shared"]
    assert found["cosine_often"] < found["cosine"]


@pytest.mark.parametrize("seed", range(4))
def test_recommended_item_has_an_occasion_with_both_items_of_the_basket(seed: int) -> None:
    fields, found = ask(LESSON, "added", computed.small_shop(), seed)
    basket, options = {fields["one"], fields["other"]}, fields["options"]
    fitting = [each for each in options if any(basket | {each} <= set(of.split(", ")) for of in OCCASIONS.values())]
    assert fitting == [options[found["answer"]]]
    assert found["score"] > 2 * found["second_score"]


def test_held_out_items_are_counted_among_the_first_recommendations() -> None:
    found = computed.recall()
    known, hidden = hold_out(read_interactions(small_shop_baskets()), 0.2)
    model = rs.fit_items(known, dim=16)
    recalls = []
    for user in hidden.users:
        first = {item for item, _ in model.recommend(user, k=found["k"])}
        wanted = set(hidden.of(user))
        recalls.append(len(first & wanted) / min(len(wanted), found["k"]))
    assert_allclose(found["items"], np.mean(recalls), atol=1e-3)
    assert found["popular"] < found["items"] / 2


def test_questions_need_the_items_of_the_shop() -> None:
    table = rs.Table(["jam"], np.ones((1, 2)))
    with pytest.raises(UsageError, match="no row for milk, orange juice, butter, beer"):
        computed.nearest(table, 0)
    with pytest.raises(UsageError, match="no row for eggs, flour"):
        computed.added(table, 0)


def test_exercise_and_card() -> None:
    found = computed.exercise()
    assert found["answer"] == found["users"] * found["dim"] + found["items"] * found["dim"] == 131_200_000
    ((near, _),), ((item, _),) = run_card(LESSON)["result"]
    assert near in {"tea", "honey"}
    assert item == "ale"
