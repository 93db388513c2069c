"""Tables of things that are not words: items of a small shop, states with their borders, and modules of Python."""

import networkx as nx
import numpy as np
import pytest

from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice
from rowspace_lab.tables.imports import IMPORTS, library_imports
from rowspace_lab.tables.small_graph import REGIONS, SMALL_GRAPH, small_graph_edges
from rowspace_lab.tables.small_shop import OCCASIONS, SMALL_SHOP


@pytest.fixture(scope="module")
def modules() -> Lab:
    """The table of modules, which takes seconds."""
    return IMPORTS.open()


@pytest.mark.parametrize(
    ("choice", "kind"),
    [(SMALL_SHOP, "item"), (SMALL_GRAPH, "node"), pytest.param(IMPORTS, "node", marks=pytest.mark.long)],
)
def test_the_code_makes_the_same_table(choice: TableChoice, kind: str) -> None:
    lab, names = choice.open(), {}
    exec(lab.load_code, names)
    np.testing.assert_array_equal(names["table"].rows, lab.table.rows)
    assert names["table"].vocabulary == lab.table.vocabulary
    assert lab.id == choice.id
    assert lab.table.settings["kind"] == kind


def test_items_of_one_occasion_are_neighbors() -> None:
    table = SMALL_SHOP.open().table
    assert len(table) == 68
    assert set(table) == {item for items in OCCASIONS.values() for item in items.split(", ")}
    for occasion, item in [("baking", "flour"), ("baby", "diapers"), ("office", "pens"), ("pets", "cat litter")]:
        same = set(OCCASIONS[occasion].split(", "))
        assert {other for other, _ in table.neighbors(item, k=3)} <= same


@pytest.mark.long
def test_modules_that_import_each_other_are_neighbors(modules: Lab) -> None:
    imports = library_imports()
    assert ("json", "json.decoder") in imports
    assert not any("test" in name.split(".") for pair in imports for name in pair)
    near = [name for name, _ in modules.table.neighbors("json.decoder", k=5)]
    assert {"json.encoder", "json.scanner"} <= set(near)


def test_borders_are_those_of_the_contiguous_states() -> None:
    graph = nx.Graph(small_graph_edges())
    # as in contiguous-usa.dat of Knuth's Stanford GraphBase, which has the same 49 nodes
    assert (graph.number_of_nodes(), graph.number_of_edges(), len(small_graph_edges())) == (49, 107, 107)
    assert nx.is_connected(graph)
    assert nx.is_planar(graph)
    assert {state for state, borders in graph.degree() if borders == 8} == {"Missouri", "Tennessee"}
    assert [state for state, borders in graph.degree() if borders == 1] == ["Maine"]
    assert not graph.has_edge("Arizona", "Colorado")  # they touch at a corner
    assert sorted(graph) == sorted(state for states in REGIONS.values() for state in states.split(", "))


def test_nearest_rows_are_of_states_with_a_border_and_of_the_region() -> None:
    lab, graph = SMALL_GRAPH.open(), nx.Graph(small_graph_edges())
    nearest = {state: lab.table.neighbors(state, k=1)[0][0] for state in lab.table}
    assert np.mean([graph.has_edge(*pair) for pair in nearest.items()]) > 0.9
    region = {state: name for name, states in lab.groups.items() for state in states}
    assert np.mean([region[one] == region[other] for one, other in nearest.items()]) > 0.8
