"""Input that is no graph is refused in one sentence, with the place of the mistake."""

import io
import json
import sys

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse

from rowspace.errors import CorpusError, FileFormatError, RowspaceError, UsageError
from rowspace.learn import GraphOptions
from rowspace.learn.graph.read_edges import read_edges


def read(edges, **options):
    return read_edges(edges, GraphOptions(**options))[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b 1\na b c\n", "line 2: the third column is 'c', which is no weight"),
        ("a b 1\n\na b nan\n", "line 3: the third column is 'nan'"),
        ("a b -1", "line 1: the third column is '-1'"),
        ("a b inf", "line 1: the third column is 'inf'"),
        (
            "a b 1\nb c 1e308\nc d 1e308",
            r"line 2: the third column is '1e308', .* from 0 to 1e\+100; remove the column",
        ),
        ("a b {}", "line 1: the third column is '{}'"),
        ("# x\na b\nc\n", "line 3: 1 column, expected 2, as before"),
        ("a b\na b 1\n", "line 2: 3 columns, expected 2"),
        ("a b c d\n", "line 1: 4 columns, expected two names, or two names and a weight"),
        ("a\n", "line 1: 1 column, expected two names"),
        (b"a b\n\xff b", "line 2: not valid UTF-8"),
    ],
)
def test_a_line_that_is_no_edge_is_named(tmp_path, text, message):
    path = tmp_path / "edges.txt"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(FileFormatError, match=message) as error:
        read(path)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("text", "options", "error", "message"),
    [
        ("from,to\na,b\n", {}, UsageError, "no column 'source'; it has 'from', 'to'; name one with --source-column"),
        ("source,to\na,b\n", {}, UsageError, "no column 'target'"),
        ("source,target\na,b\n", {"weight_column": "w"}, UsageError, "no column 'w'.*--weight"),
        ("source,target,weight\na,b,1\na,b,x\n", {}, FileFormatError, "line 3: the column 'weight' has 'x'"),
        ("source,target,weight\na,b,-2\n", {}, FileFormatError, "line 2: the column 'weight' has '-2'"),
        ("source,target,weight\na,b,NaN\n", {}, FileFormatError, "'NaN', which is no weight"),
        ("source,target\na,b\na,\n", {}, FileFormatError, "line 3: the column 'target' has ''"),
    ],
)
def test_a_record_that_is_no_edge_is_named(tmp_path, text, options, error, message):
    path = tmp_path / "edges.csv"
    path.write_text(text)
    with pytest.raises(error, match=message):
        read(path, **options)


@pytest.mark.parametrize("name", ["edges.txt", "edges.csv"])
def test_a_missing_file_is_named(tmp_path, name):
    with pytest.raises(UsageError, match=name):
        read(tmp_path / name)
    with pytest.raises(CorpusError, match="is a folder"):
        read(tmp_path)


def test_nested_columns_of_arrays_are_read(tmp_path):
    edges = [{"from": {"id": "a"}, "to": {"id": "b"}, "how": {"often": 2}}]
    (tmp_path / "edges.json").write_text(json.dumps(edges))
    found = read(tmp_path / "edges.json", source_column="from.id", target_column="to.id", weight_column="how.often")
    assert (found.names, found.weights.tolist()) == (["a", "b"], [2])


WRONG = [
    (7, "edges must be the path of an edge list.*not int"),
    ([7], "edge 0 is int"),
    (["ab"], "edge 0 is str"),
    ([("a", "b"), ("a", "b", 1)], "edge 1 has 3 parts, expected two, as before"),
    ([("a", "b", 1, 2)], "edge 0 has 4 parts, expected two names"),
    ([("a", 0.5)], "edge 0 has a node of type float"),
    ([("a", None)], "edge 0 has a node of type NoneType"),
    ([("a", "b", 1), ("a", "b", float("nan"))], "weight of edge 1 is nan"),
    ([("a", "b", 1), ("a", "b", -3)], "weight of edge 1 is -3"),
    ([("a", "b", "heavy")], "weight of edge 0 is 'heavy'"),
    ([("a", "b", float("inf"))], "weight of edge 0 is inf"),
    ([("a", "b", 10**400)], "weight of edge 0 is inf, but weights must be from 0"),
    ([("a", "b", -(10**400))], "weight of edge 0 is -inf, but weights must be from 0"),
    ([("a", "b", 1e308)], r"weight of edge 0 is 1e\+308, but weights must be from 0 to 1e\+100"),
    (pd.DataFrame({"from": ["a"], "to": [0.5]}), "edge 0 has a node of type float"),
    (np.zeros((3, 3)), r"shape \(E, 2\) and integers, got \(3, 3\) and float64"),
    (np.zeros((3, 2)), "float64"),
    (scipy.sparse.csr_array((2, 3)), r"must be square, got \(2, 3\)"),
    (scipy.sparse.csr_array(np.array([[0, -1.0], [0, 0]])), "weight of edge 0 is -1"),
    (scipy.sparse.csr_array(np.array([[0, 1j], [0, 0]])), "must have numbers, got complex128"),
    (nx.Graph([(1, 2), ("1", 2)]), "two nodes of the graph have the same text, '1'"),
    (nx.Graph([(1, 2, {"weight": "x"})]), "weight of edge 0 is 'x'"),
]


@pytest.mark.parametrize(("edges", "message"), WRONG, ids=lambda value: value if isinstance(value, str) else "")
def test_other_input_is_refused(edges, message):
    with pytest.raises(UsageError, match=message):
        read(edges)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_table_has_an_edge_in_each_row(frame):
    edges = read(frame({"from": ["a", "b"], "to": [7, 8], "strength": [2.0, 0.5]}))
    assert edges.names == ["a", "7", "b", "8"]
    assert edges.weights.tolist() == [2, 0.5]


def test_options_that_contradict_the_graph_are_refused():
    with pytest.raises(UsageError, match="contradicts the undirected NetworkX graph"):
        read(nx.Graph([(1, 2)]), directed=True)
    with pytest.raises(UsageError, match="no edge of the graph has the attribute 'length'"):
        read(nx.Graph([(1, 2)]), weight_column="length")


def test_a_directed_networkx_graph_can_be_read_as_undirected():
    graph = nx.DiGraph([(1, 2)])
    assert [read_edges(graph, GraphOptions(directed=choice))[1] for choice in (None, True, False)] == [
        True,
        True,
        False,
    ]


def test_an_edge_without_the_weight_attribute_has_weight_1():
    graph = nx.MultiGraph([("a", "b", {"weight": 3}), ("a", "b"), ("b", "c", {"length": 9})])
    assert read(graph).weights.tolist() == [3, 1, 1]
    assert read(graph, weight_column="length").weights.tolist() == [1, 1, 9]


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xef\xbb\xbfa b 2\nb c 0.5\n")))
    edges = read("-")
    assert (edges.names, edges.weights.tolist()) == (["a", "b", "c"], [2, 0.5])


@pytest.mark.parametrize(
    "options", [{"p": 0}, {"q": -1}, {"length": 1}, {"walks": 0}, {"source_column": ""}, {"weight_column": 3}]
)
def test_invalid_options_are_named(options):
    with pytest.raises(RowspaceError, match=next(iter(options))):
        GraphOptions(**options)
