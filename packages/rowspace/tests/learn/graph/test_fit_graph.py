"""`fit_graph`: rows of real and generated graphs separate their groups as well as a peer's of the same walks."""

import dataclasses
import signal

import networkx as nx
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import rowspace as rs
from rowspace.errors import FitInterrupted, UsageError
from rowspace.learn import GraphOptions, GraphReports, fit_graph
from rowspace.learn.graph import graph
from rowspace.learn.graph.graph import build_graph
from rowspace.learn.graph.read_edges import read_edges
from rowspace.learn.graph.walks import WalkCorpus
from rowspace.learn.word2vec import allocation

KARATE = nx.karate_club_graph()
BLOCKS = nx.Graph(nx.stochastic_block_model([60] * 5, 0.09 * np.eye(5) + 0.01, seed=0))
QUICK = {"dim": 8, "epochs": 1, "walks": 2, "workers": 1}


def accuracy(vocabulary, rows, labels):
    """The share of nodes whose group logistic regression finds, from 5 labeled nodes of each group."""
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    groups, generator = np.array([labels[name] for name in vocabulary]), np.random.default_rng(0)
    shares = []
    for _ in range(10):
        known = np.concatenate([generator.permutation(np.flatnonzero(groups == g))[:5] for g in np.unique(groups)])
        rest = np.setdiff1d(np.arange(len(groups)), known)
        model = LogisticRegression(C=10).fit(rows[known], groups[known])
        shares.append(model.score(rows[rest], groups[rest]))
    return float(np.mean(shares))


def test_rows_separate_the_two_clubs():
    clubs = {str(node): club for node, club in KARATE.nodes(data="club")}
    for options in ({}, {"p": 0.5, "q": 2}):
        table = rs.fit_graph(KARATE, workers=1, **options)
        assert accuracy(table.vocabulary, table.rows, clubs) > 0.85


def test_table_of_an_epoch_does_not_change_later():
    seen = []
    reports = GraphReports(on_epoch=lambda _epoch, table, _loss: seen.append((table, table.rows.copy())))
    fit_graph(KARATE, reports=reports, dim=16, epochs=3, workers=1)
    for table, rows in seen:
        np.testing.assert_array_equal(table.rows, rows)


def test_blocks_are_found_as_well_as_by_gensim_on_the_same_walks():
    from gensim.models import Word2Vec

    options = GraphOptions(dim=64, epochs=1, walks=10, length=40, window=5, negatives=5, workers=1)
    edges, directed = read_edges(BLOCKS, options, None)
    corpus = WalkCorpus(build_graph(edges, directed=directed, walks=options.walks, length=options.length), options)
    ids = np.concatenate([corpus.chunk(number, epoch=0) for number in range(corpus.num_chunks)])
    sentences = [[str(id) for id in walk if id >= 0] for walk in ids.reshape(-1, options.length + 1)]
    assert len(sentences) == 10 * len(BLOCKS)
    table = fit_graph(BLOCKS, **dataclasses.asdict(options))
    model = Word2Vec(
        sentences, vector_size=64, window=5, negative=5, sg=1, sample=0, min_count=1, epochs=1, workers=1, seed=1
    )
    blocks = {str(node): block for node, block in BLOCKS.nodes(data="block")}
    ours = accuracy(table.vocabulary, table.rows, blocks)
    theirs = accuracy(table.vocabulary, model.wv[[str(id) for id in range(len(table))]], blocks)
    assert ours > 0.8
    assert ours > theirs - 0.05


def test_one_worker_is_reproducible():
    first, second, other = (fit_graph(KARATE, workers=1, seed=seed, epochs=2, q=2) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.rows, second.rows)
    assert not np.array_equal(first.rows, other.rows)
    assert first.settings["repeatable"]
    assert not fit_graph(KARATE, **QUICK | {"workers": 2}).settings["repeatable"]


def test_a_saved_table_records_that_it_is_of_nodes(tmp_path):
    table = fit_graph(KARATE, output=tmp_path / "karate", **QUICK)
    again = rs.load(tmp_path / "karate")
    assert again.settings == table.settings
    assert {name: again.settings[name] for name in ("kind", "directed", "edges", "p")} == {
        "kind": "node", "directed": False, "edges": 78, "p": 1.0,
    }  # fmt: skip
    assert again.settings["visits"] == again.counts.sum()
    np.testing.assert_array_equal(again.rows, table.rows)


def test_nodes_without_edges_come_last_with_zeros():
    path = nx.Graph([("a", "b"), ("b", "c")])
    path.add_node("alone")
    table = fit_graph(path, **QUICK)
    assert (table.vocabulary[-1], table.counts[-1], table["alone"].any()) == ("alone", 0, False)
    assert np.abs(table.rows[:-1]).max(axis=1).all()


def test_callbacks_report_the_graph_and_each_epoch():
    seen = []
    reports = GraphReports(
        on_graph=lambda *numbers: seen.append(numbers), on_epoch=lambda epoch, table, loss: seen.append((epoch, loss))
    )
    table = fit_graph(KARATE, reports=reports, **QUICK | {"epochs": 2})
    assert seen == [(34, 78, int(table.counts.sum())), *enumerate(table.settings["losses"], 1)]


def test_an_interrupted_fit_saves_its_table(tmp_path):
    sent = []

    def stop(_progress):
        if not sent:
            sent.append(True)
            signal.raise_signal(signal.SIGTERM)

    with pytest.raises(FitInterrupted, match="cannot be resumed"):
        fit_graph(
            KARATE, output=tmp_path / "karate", reports=GraphReports(on_progress=stop), **QUICK | {"epochs": 100_000}
        )
    assert len(rs.load(tmp_path / "karate")) == 34


def test_what_does_not_fit_into_memory_is_refused(monkeypatch):
    monkeypatch.setattr(allocation, "available_memory", lambda: 1_000)
    with pytest.raises(UsageError, match=r"34 tokens with dim=8 need .* memory"):
        fit_graph(KARATE, **QUICK)
    monkeypatch.setattr(graph, "available_memory", lambda: 1_000)
    with pytest.raises(UsageError, match=r"a graph of 78 edges needs .* memory; leave out edges"):
        fit_graph(KARATE, **QUICK)


def test_the_default_rate_is_lowered_where_the_fit_would_diverge():
    lowered = []
    options = {"window": 39, "shrink_windows": False} | QUICK
    table = fit_graph(KARATE, reports=GraphReports(on_lowered_rate=lambda *rates: lowered.append(rates)), **options)
    assert lowered == [(table.settings["alpha"], 0.025)]
    assert 0 < table.settings["alpha"] < 0.025
    assert fit_graph(KARATE, **QUICK).settings["alpha"] == 0.025
    assert fit_graph(KARATE, alpha=0.02, **options).settings["alpha"] == 0.02


def test_unknown_options_are_refused():
    with pytest.raises(UsageError, match="fit_graph has no option 'walk'; did you mean walks"):
        fit_graph(KARATE, walk=3)


def test_options_reach_the_kernels():
    learning = GraphOptions(dim=3, window=7, negatives=2, alpha=0.02).for_learning()
    assert (learning.dim, learning.window, learning.negatives, learning.alpha, learning.sample) == (3, 7, 2, 0.02, 0)
