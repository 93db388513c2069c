"""What the Words page knows of a graph: its edges as ids, and the groups of its nodes; nothing of other tables."""

import numpy as np

from rowspace_lab.tables.small_graph import REGIONS, SMALL_GRAPH, small_graph_edges


def test_edges_of_a_graph_are_ids_that_its_code_computes(ask) -> None:
    lab = SMALL_GRAPH.open()
    reply = ask(lab, "words/graph")
    assert reply.meta["nodes"] == lab.table.vocabulary
    named = [(reply.meta["nodes"][one], reply.meta["nodes"][other]) for one, other in reply.arrays["ids"].tolist()]
    assert named == small_graph_edges()
    names: dict[str, object] = {}
    exec(reply.meta["code"], names)
    np.testing.assert_array_equal(names["ids"], reply.arrays["ids"])


def test_groups_are_read_by_the_map_of_chosen_words(ask) -> None:
    lab = SMALL_GRAPH.open()
    chosen = ask(lab, "words/chosen-map", groups=ask(lab, "words/graph").meta["groups"])
    assert chosen.meta["names"] == list(REGIONS)
    assert sorted(chosen.meta["words"]) == sorted(lab.table)
    assert chosen.meta["missing"] == []
    assert chosen.meta["groups"] == [list(REGIONS).index(_region(word)) for word in chosen.meta["words"]]
    assert ask(lab, "words/chosen-map").meta["words"] == chosen.meta["words"]  # the groups if none are asked for


def test_other_tables_have_no_edges(ask, small_lab) -> None:
    reply = ask(small_lab(["a", "b"], np.eye(2)), "words/graph")
    assert (reply.meta["nodes"], reply.arrays["ids"].shape, reply.meta["groups"], reply.meta["code"]) == (
        [],
        (0, 2),
        "",
        "",
    )


def _region(state: str) -> str:
    return next(name for name, states in REGIONS.items() if state in states.split(", "))
