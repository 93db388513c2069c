"""A graph as compressed sparse rows equals the adjacency matrix of NetworkX, for each kind of input."""

import gzip

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

from rowspace.errors import CorpusError
from rowspace.learn import GraphOptions
from rowspace.learn.graph.graph import build_graph
from rowspace.learn.graph.read_edges import read_edges


def graph_of(edges, **options):
    read, directed = read_edges(edges, GraphOptions(**options))
    return build_graph(read, directed=directed, walks=10, length=40)


def matrix_of(graph, names):
    """The weights of the edges as a dense matrix, in the order of `names`, with equal weights as 1."""
    size, adjacency = len(graph.names), graph.adjacency
    weights = adjacency.cumulative.copy() if len(adjacency.cumulative) else np.ones(len(adjacency.indices))
    for first, end in zip(adjacency.indptr, adjacency.indptr[1:], strict=False):
        if len(adjacency.cumulative):
            weights[first:end] = np.diff(weights[first:end], prepend=0.0)
        assert (np.diff(adjacency.indices[first:end]) > 0).all()
    dense = scipy.sparse.csr_array((weights, adjacency.indices, adjacency.indptr), (size, size)).toarray()
    order = [graph.names.index(name) for name in names]
    return dense[np.ix_(order, order)]


def inputs(graph, folder):
    """The same graph in each form that a caller may have."""
    directed = graph.is_directed()
    weighted = any("weight" in data for *_, data in graph.edges(data=True))
    rows = [(f"{a}", f"{b}", data["weight"]) if weighted else (f"{a}", f"{b}") for a, b, data in graph.edges(data=True)]
    yield "networkx", graph, {}
    yield "tuples", iter(rows), {"directed": directed}
    yield "integers", [(int(a), int(b), *rest) for a, b, *rest in rows], {"directed": directed}
    if not weighted:
        yield "array", np.array(rows).astype(np.int64), {"directed": directed}
    matrix = nx.to_scipy_sparse_array(graph)
    yield "matrix", matrix, {"directed": directed}
    if not directed:
        yield "triangle of a matrix", scipy.sparse.triu(matrix), {}
    path = folder / "edges.txt"
    path.write_text("# a comment\n\n" + "".join(f"{' '.join(map(str, row))}\n" for row in rows))
    yield "edge list", path, {"directed": directed}
    columns = ["from", "to", "weight"][: len(rows[0])]
    path = folder / "edges.csv"
    path.write_text("".join(f"{','.join(map(str, row))}\n" for row in [columns, *rows]))
    yield "CSV", str(path), {"directed": directed, "source_column": "from", "target_column": "to"}


@pytest.mark.kernels
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_all_forms_of_a_graph_are_the_same(tmp_path, directed, weighted):
    graph = nx.gnp_random_graph(15, 0.3, seed=1, directed=directed)
    graph.add_edges_from([(2, 2), (4, 5)])
    if weighted:
        generator = np.random.default_rng(0)
        for _, _, data in graph.edges(data=True):
            data["weight"] = float(generator.integers(1, 9)) / 4
    names = [str(node) for node in graph]
    expected = nx.to_numpy_array(graph, nodelist=graph)
    first = None
    for kind, edges, options in inputs(graph, tmp_path):
        read = graph_of(edges, **options)
        np.testing.assert_allclose(matrix_of(read, names), expected, err_msg=kind)
        assert read.num_edges == graph.number_of_edges(), kind
        assert first is None or read.names == first, kind
        first = read.names


def test_parquet_and_compressed_files_are_read(tmp_path):
    import pyarrow
    from pyarrow import parquet

    pairs = [("a", "b"), ("b", "c"), ("ä", "c")]
    table = pyarrow.table({"source": [a for a, _ in pairs], "target": [b for _, b in pairs], "weight": [1.0, 2.0, 3.0]})
    parquet.write_table(table, tmp_path / "edges.parquet")
    (tmp_path / "edges.gz").write_bytes(gzip.compress("\n".join("\t".join(pair) for pair in pairs).encode()))
    weighted, plain = graph_of(tmp_path / "edges.parquet"), graph_of(tmp_path / "edges.gz")
    assert matrix_of(weighted, ["a", "b", "c", "ä"]).sum(axis=1).tolist() == [1, 3, 5, 3]
    assert matrix_of(plain, ["a", "b", "c", "ä"]).sum(axis=1).tolist() == [1, 2, 2, 1]


def test_weights_of_repeated_edges_are_added():
    undirected = graph_of([("a", "b", 1), ("b", "a", 2), ("b", "c", 5)])
    assert matrix_of(undirected, "abc").tolist() == [[0, 3, 0], [3, 0, 5], [0, 5, 0]]
    directed = graph_of([("a", "b"), ("b", "a"), ("b", "a")], directed=True)
    assert matrix_of(directed, "ab").tolist() == [[0, 1], [2, 0]]


def test_an_edge_listed_in_both_directions_is_one_edge():
    both = graph_of([("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")])
    assert both.num_edges == 2
    assert len(both.adjacency.cumulative) == 0  # all weights are equal


def test_the_edges_of_a_large_file_are_read_across_blocks(tmp_path):
    pairs = np.random.default_rng(0).integers(10**9, 10**9 + 5_000, (60_000, 2))
    path = tmp_path / "edges.txt"
    path.write_text("".join(f"{a} {b}\n" for a, b in pairs.tolist()))
    assert path.stat().st_size > 5 << 18  # more than a block
    of_file, of_array = graph_of(path), graph_of(pairs)
    assert of_file.names == of_array.names
    np.testing.assert_array_equal(of_file.adjacency.indices, of_array.adjacency.indices)


def test_nodes_come_by_falling_visits_and_then_by_name():
    graph = graph_of([("z", "hub"), ("y", "hub"), ("x", "hub")])
    assert graph.names == ["hub", "x", "y", "z"]


def test_nodes_without_edges_are_isolated():
    graph = nx.Graph([("a", "b")])
    graph.add_nodes_from(["c", "d"])
    graph.add_edge("a", "d", weight=0)
    read = graph_of(graph)
    assert (read.names, read.isolated) == (["a", "b"], ["c", "d"])


def test_a_node_with_an_edge_is_not_isolated_however_small_its_weight():
    for weight in (1e3, 1e17):
        graph = graph_of([("a", "b", weight), ("a", "c", 1.0), ("b", "a", 1.0)], directed=True)
        assert (graph.names, graph.isolated) == (["a", "b", "c"], []), weight
        assert graph.adjacency.indptr.tolist() == [0, 2, 3, 3], weight
        assert graph.adjacency.indices.tolist() == [1, 2, 0], weight


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], "no edges"),
        ([("a", "b", 0)], "no edges"),
        ([("a", "a")], "no edge between two nodes, only from 'a' to itself"),
        (nx.empty_graph(1), "no edges"),
    ],
)
def test_a_graph_without_edges_is_refused(edges, message):
    with pytest.raises(CorpusError, match=message):
        graph_of(edges)
