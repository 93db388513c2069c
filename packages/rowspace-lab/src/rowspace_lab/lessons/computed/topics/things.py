"""The numbers of the lesson on a shop: rows of a shop's items and baskets, and of the nodes of a graph."""

from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from rowspace.learn import evaluate_items, hold_out, read_interactions
from rowspace.learn.items.fit_items import fit_items
from rowspace.table import Table
from rowspace_lab.lessons.computed.requirements import require_words
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice
from rowspace_lab.tables.small_graph import SMALL_GRAPH, small_graph_edges
from rowspace_lab.tables.small_shop import OCCASIONS, SMALL_SHOP, small_shop_baskets

__all__ = ["added", "exercise", "graph", "nearest", "recall", "shop", "together", "walked"]

DIM = 16
NEAREST = (
    ("jam", ("milk", "orange juice", "butter", "beer")),
    ("vinegar", ("tomatoes", "soap", "bread", "lettuce")),
    ("feta", ("bread", "olive oil", "salsa", "cucumber")),
    ("chocolate", ("eggs", "butter", "milk", "yeast")),
)
"""Items, and those that the reader chooses the nearest row from."""
ADDED = (
    (("eggs", "flour"), ("milk", "sugar", "honey", "beer")),
    (("eggs", "honey"), ("sugar", "cereal", "chocolate", "tomatoes")),
    (("garlic", "lentils"), ("basil", "salsa", "bread", "rice")),
    (("garlic", "basil"), ("spaghetti", "rice", "milk", "ginger")),
)
"""Baskets, and the items that the reader chooses the recommendation from."""
WALKED = (
    ("Vermont", ("New Hampshire", "New York", "Rhode Island", "New Jersey")),
    ("Nevada", ("Utah", "Idaho", "Washington", "Texas")),
    ("Alabama", ("Mississippi", "Tennessee", "South Carolina", "Ohio")),
    ("Connecticut", ("New York", "Vermont", "Pennsylvania", "Florida")),
)
"""States, and those that the reader chooses the nearest row from; the nearest one has no border with the state."""


def shop() -> Mapping[str, int]:
    """Return the numbers of items, baskets, occasions and numbers in a row, and the baskets with milk."""
    baskets = small_shop_baskets()
    items = {item for basket in baskets for item in basket}
    milk = sum("milk" in basket for basket in baskets)
    return {"items": len(items), "baskets": len(baskets), "occasions": len(OCCASIONS), "dim": DIM, "milk": milk}


def together() -> Mapping[str, Mapping[str, float]]:
    """Return in how many baskets *jam* is with *milk* and *orange juice*, and the cosines of their rows."""
    baskets, table = small_shop_baskets(), small_shop()
    found = {}
    for key, other in (("milk", "milk"), ("juice", "orange juice")):
        shared = sum({"jam", other} <= set(basket) for basket in baskets)
        found[key] = {"baskets": shared, "cosine": table.similarity("jam", other)}
    return found


def graph() -> Mapping[str, float]:
    """Return the size of the graph of states, and the share of nearest rows that are of nodes with an edge."""
    edges, table = set(small_graph_edges()), small_graph()
    near = [(node, other) for node in table for other, _ in table.neighbors(node, k=3)]
    joined = [tuple(sorted(pair)) in edges for pair in near]
    chance = 2 * len(edges) / (len(table) * (len(table) - 1))
    return {"nodes": len(table), "edges": len(edges), "joined": float(np.mean(joined)), "chance": chance, "k": 3}


def recall() -> Mapping[str, float]:
    """Return which share of held-out items is among the first k, and among the k items bought most often."""
    known, hidden = hold_out(read_interactions(small_shop_baskets()), 0.2)
    scores = evaluate_items(fit_items(known, dim=DIM), hidden, k=5)
    return {"k": 5, "items": scores.recall, "popular": scores.popular_recall}


def exercise() -> Mapping[str, int]:
    """Return the parameters of the tables of a large shop's users and items."""
    users, items, dim = 2_000_000, 50_000, 64
    return {"users": users, "items": items, "dim": dim, "answer": (users + items) * dim}


@cache
def small_shop() -> Table:
    """Return the table of the small shop's items."""
    return SMALL_SHOP.open().table


@cache
def small_graph() -> Table:
    """Return the table of the states."""
    return SMALL_GRAPH.open().table


def nearest(table: Table, seed: int) -> Question:
    """Ask which of four items has the row nearest to that of another item."""
    item, others = picked(seed, NEAREST)
    require_words(table, item, *others)
    return choice(others, partial(nearest_figure, item=item, others=others), item=item)


def added(table: Table, seed: int) -> Question:
    """Ask which of four items is recommended first for a basket of two."""
    basket, others = picked(seed, ADDED)
    require_words(table, *basket, *others)
    one, other = basket
    return choice(others, partial(added_figure, basket=basket, others=others), one=one, other=other)


def walked(table: Table, seed: int) -> Question:
    """Ask which of four states has the row nearest to that of another one."""
    node, others = picked(seed, WALKED)
    require_words(table, node, *others)
    return choice(others, partial(walked_figure, node=node, others=others), node=node)


def nearest_figure(table: Table, *, item: str, others: Sequence[str]) -> Mapping[str, Any]:
    """Return the place of the item whose row has the largest cosine, and the item bought most often with it."""
    cosines = [table.similarity(item, other) for other in others]
    shared = [sum({item, other} <= set(basket) for basket in small_shop_baskets()) for other in others]
    best, often = int(np.argmax(cosines)), int(np.argmax(shared))
    return {
        "answer": best,
        "cosine": cosines[best],
        "shared": shared[best],
        "often": others[often],
        "most": shared[often],
        "cosine_often": cosines[often],
    }


def added_figure(*, basket: Sequence[str], others: Sequence[str]) -> Mapping[str, Any]:
    """Return the place of the item that is recommended first, its score and that of the second, and the second."""
    model = fit_items(small_shop_baskets(), dim=16)
    scores = dict(model.recommend(list(basket), k=len(model.items) - len(basket)))
    first, second = sorted(others, key=lambda item: -scores[item])[:2]
    return {
        "answer": others.index(first),
        "score": scores[first],
        "second": second,
        "second_score": scores[second],
    }


def walked_figure(table: Table, *, node: str, others: Sequence[str]) -> Mapping[str, Any]:
    """Return the place of the state whose row has the largest cosine, and the nearest one that has a border."""
    around = {state: {end for edge in small_graph_edges() if state in edge for end in edge} for state in table}
    cosines = {other: table.similarity(node, other) for other in others}
    best = max(others, key=lambda other: cosines[other])
    border = max((other for other in others if other in around[node]), key=lambda other: cosines[other])
    own = around[best] - {best}
    return {
        "answer": others.index(best),
        "cosine": cosines[best],
        "best": best,
        "border": border,
        "cosine_border": cosines[border],
        "shared": len(own & around[node]),
        "of": len(own),
    }
