"""Random walks: steps have the probabilities of node2vec in graphs of each kind; chunks are independent."""

from collections import Counter, defaultdict
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from scipy.stats import chi2

from rowspace.learn import GraphOptions
from rowspace.learn.graph import kernels
from rowspace.learn.graph.edges import edges_of_networkx
from rowspace.learn.graph.graph import build_graph
from rowspace.learn.graph.walks import WalkCorpus

pytestmark = pytest.mark.kernels

KINDS = [(directed, weighted) for directed in (False, True) for weighted in (False, True)]
BIASES = [(1.0, 1.0), (0.25, 4.0), (4.0, 0.25), (0.2, 0.5), (5.0, 3.0)]


def random_graph(*, directed, weighted):
    """A graph of 12 nodes with loops, and some edges in one direction only if it is directed."""
    graph = nx.gnp_random_graph(12, 0.35, seed=3, directed=directed)
    graph.add_edges_from([(0, 0), (3, 3)])
    if weighted:
        generator = np.random.default_rng(0)
        for _, _, data in graph.edges(data=True):
            data["weight"] = float(generator.exponential(1.0)) + 0.05
    return graph


def corpus_of(graph, **options):
    chosen = GraphOptions(**options)
    directed = graph.is_directed()
    built = build_graph(edges_of_networkx(graph, None), directed=directed, walks=chosen.walks, length=chosen.length)
    return WalkCorpus(built, chosen)


def walks_of(corpus, epochs=1):
    """The walks of some epochs, as lists of names."""
    for epoch in range(epochs):
        for number in range(corpus.num_chunks):
            for walk in np.split(ids := corpus.chunk(number, epoch=epoch), np.flatnonzero(ids < 0)):
                names = [corpus.vocabulary[id] for id in walk if id >= 0]
                if names:
                    yield names


def probabilities(graph, previous, current, *, p, q):
    """The distribution of the next node by the formula of node2vec, without its implementation."""
    weights = {}
    for node in graph[current]:
        bias = 1 / p if node == previous else 1.0 if graph.has_edge(previous, node) else 1 / q
        weights[str(node)] = graph[current][node].get("weight", 1.0) * bias
    total = sum(weights.values())
    return {node: weight / total for node, weight in weights.items()}


def surprise(counted, expected):
    """The chi-square statistic of counts and its degrees of freedom; what is not expected does not happen."""
    assert counted.keys() <= expected.keys()
    total = sum(counted.values())
    statistic = sum((counted[node] - total * share) ** 2 / (total * share) for node, share in expected.items())
    return statistic, len(expected) - 1


@pytest.mark.large
@pytest.mark.parametrize(("p", "q"), BIASES)
@pytest.mark.parametrize(("directed", "weighted"), KINDS)
def test_steps_have_the_probabilities_of_node2vec(directed, weighted, p, q):
    graph = random_graph(directed=directed, weighted=weighted)
    after = defaultdict(Counter)
    for walk in walks_of(corpus_of(graph, p=p, q=q, walks=200, length=30)):
        for previous, current, following in zip(walk, walk[1:], walk[2:], strict=False):
            after[int(previous), int(current)][following] += 1
    assert len(after) > 30
    found = [surprise(counts, probabilities(graph, *pair, p=p, q=q)) for pair, counts in after.items()]
    statistic, freedom = map(sum, zip(*found, strict=True))
    # All pairs of nodes at once: a table that is wrong for a few of them would have a far larger statistic.
    assert 1e-3 < chi2.sf(statistic, freedom) < 1 - 1e-3


def test_first_steps_are_in_proportion_to_weights():
    graph = random_graph(directed=False, weighted=True)
    after = defaultdict(Counter)
    for walk in walks_of(corpus_of(graph, p=0.25, q=4, walks=500, length=2)):
        after[walk[0]][walk[1]] += 1
    assert {node: sum(counts.values()) for node, counts in after.items()} == dict.fromkeys(map(str, graph), 500)
    found = [surprise(counts, probabilities(graph, None, int(node), p=1, q=1)) for node, counts in after.items()]
    statistic, freedom = map(sum, zip(*found, strict=True))
    assert 1e-3 < chi2.sf(statistic, freedom) < 1 - 1e-3


def test_many_rejections_do_not_change_the_probabilities():
    # In a clique, each node but the previous one is at distance 1, and is rejected 999 times in 1,000.
    graph = nx.complete_graph(5)
    bias = kernels.Bias(first_order=False, back=0.5, far=1000.0)
    adjacency, random = corpus_of(graph).graph.adjacency, np.array([7], np.uint64)
    drawn = Counter(int(kernels.next_node(adjacency, bias, np.int32(0), np.int32(1), random)) for _ in range(1000))
    statistic, freedom = surprise(drawn, {0: 0.5 / 3.5, 2: 1 / 3.5, 3: 1 / 3.5, 4: 1 / 3.5})
    assert 1e-3 < chi2.sf(statistic, freedom) < 1 - 1e-3


def test_walks_are_paths_of_the_graph_from_each_node():
    graph = nx.karate_club_graph()
    walks = list(walks_of(corpus_of(graph, walks=3, length=17, p=0.5, q=2), epochs=2))
    assert Counter(walk[0] for walk in walks) == dict.fromkeys(map(str, graph), 6)
    assert {len(walk) for walk in walks} == {17}
    assert all(graph.has_edge(int(a), int(b)) for walk in walks for a, b in pairwise(walk))


def test_a_walk_ends_at_a_node_without_outgoing_edges():
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("d", "a")])
    walks = sorted(walks_of(corpus_of(graph, walks=1, length=10, q=2)))
    assert walks == [["a", "b", "c"], ["b", "c"], ["d", "a", "b", "c"]]


def test_each_epoch_has_new_walks_and_each_chunk_its_own():
    corpus = corpus_of(nx.karate_club_graph(), walks=20, length=40)
    chunks = [corpus.chunk(number, epoch=epoch) for epoch in (0, 1) for number in range(corpus.num_chunks)]
    assert len({chunk.tobytes() for chunk in chunks}) == len(chunks) > 10
    np.testing.assert_array_equal(corpus.chunk(3, epoch=1), corpus.chunk(3, epoch=1))
    assert corpus_of(nx.karate_club_graph(), seed=2).chunk(0, epoch=0).tobytes() != chunks[0].tobytes()


def test_visits_are_those_expected(assert_close):
    graph = random_graph(directed=True, weighted=True)
    corpus = corpus_of(graph, walks=10, length=7)
    steps = np.array([[probabilities(graph, None, a, p=1, q=1).get(str(b), 0.0) for b in graph] for a in graph])
    starts = np.array([10.0 if graph[node] else 0.0 for node in graph])
    expected = sum(starts @ np.linalg.matrix_power(steps, step) for step in range(7))
    for name, count in zip(corpus.vocabulary, corpus.counts, strict=True):
        assert abs(count - expected[int(name)]) <= 0.5
    assert corpus.words == corpus.counts.sum()


def test_a_walk_from_a_rare_neighbor_still_counts_as_a_visit():
    star = nx.DiGraph([("hub", str(number)) for number in range(1000)])
    assert corpus_of(star, walks=1, length=2).counts.min() == 1
