"""Quality of `rowspace.fit_graph`: links and groups, beside gensim on the same walks; prints Markdown.

    python bench/graph_quality.py                       the defaults
    python bench/graph_quality.py '{"negatives": 5}'    other options

*Links*: a fifth of the edges is hidden, and the number is the chance that a hidden edge has a larger cosine than a
random pair of nodes that is no edge (AUC). *Groups*: the macro F1 of logistic regression on rows of length 1, which
learns from a tenth of the nodes of each group (10 times). Means over seeds. gensim has the same walks, in random order,
and the same dim, window, negatives and epochs, with its own learning rate.

The graphs: the karate club and Les Misérables (NetworkX), two stochastic block models, the 10 nearest neighbors of each
of scikit-learn's digits, and Debian's packages with what they depend on (the lists of apt on this machine).
"""

import json
import sys

import networkx as nx
import numpy as np
from gensim.models import Word2Vec
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, roc_auc_score
from sklearn.neighbors import kneighbors_graph

import rowspace as rs
from debian import packages
from rowspace.learn import GraphOptions
from rowspace.learn.graph.graph import build_graph
from rowspace.learn.graph.read_edges import read_edges
from rowspace.learn.graph.walks import WalkCorpus

LARGE = 10_000  # nodes; larger graphs have one seed, and no groups


def blocks(size, number, *, inside, outside):
    probabilities = np.full((number, number), outside)
    np.fill_diagonal(probabilities, inside)
    graph = nx.Graph(nx.stochastic_block_model([size] * number, probabilities, seed=0))
    return graph, nx.get_node_attributes(graph, "block")


def digits():
    points, groups = load_digits(return_X_y=True)
    near = kneighbors_graph(points, 10)
    return nx.Graph(zip(*near.nonzero(), strict=True)), dict(enumerate(groups.tolist()))


def debian():
    found = packages()
    names = {package.name for package in found}
    return nx.Graph((package.name, other) for package in found for other in package.depends if other in names), None


def graphs():
    karate = nx.karate_club_graph()
    yield "karate club", karate, nx.get_node_attributes(karate, "club")
    yield "Les Misérables", nx.les_miserables_graph(), None
    yield "8 blocks of 60", *blocks(60, 8, inside=0.1, outside=0.01)
    yield "20 blocks of 100", *blocks(100, 20, inside=0.05, outside=0.0012)
    yield "digits", *digits()
    yield "Debian's packages", *debian()


def by_rowspace(graph, seed, options):
    table = rs.fit_graph(graph, seed=seed, **options)
    return dict(zip(table.vocabulary, unit(table.rows), strict=True))


def by_gensim(graph, seed, options):
    chosen = GraphOptions(seed=seed, **options)
    edges, directed = read_edges(graph, chosen)
    corpus = WalkCorpus(build_graph(edges, directed=directed, walks=chosen.walks, length=chosen.length), chosen)
    ids = np.concatenate([corpus.chunk(number, epoch=0) for number in range(corpus.num_chunks)])
    walks = ids.reshape(-1, chosen.length + 1)[:, :-1]  # no walk of these graphs ends early
    sentences = [list(map(str, walk)) for walk in walks[np.random.default_rng(seed).permutation(len(walks))].tolist()]
    model = Word2Vec(
        sentences, sg=1, vector_size=chosen.dim, window=chosen.window, negative=chosen.negatives, sample=0,
        min_count=1, epochs=chosen.epochs, workers=chosen.workers or 1, seed=seed,
    )  # fmt: skip
    rows = unit(model.wv[list(map(str, range(len(corpus.vocabulary))))])
    return dict(zip(corpus.vocabulary, rows, strict=True))


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def links(learn, graph, seed, options):
    generator = np.random.default_rng(seed)
    edges = [(str(a), str(b)) for a, b in graph.edges if a != b]
    order = generator.permutation(len(edges))
    hidden, shown = ([edges[place] for place in places] for places in np.split(order, [len(edges) // 5]))
    rows = learn(shown, seed, options)
    names, known = sorted(rows), {*edges, *((b, a) for a, b in edges)}
    true = [(a, b) for a, b in hidden if a in rows and b in rows]
    pairs = ((names[a], names[b]) for a, b in generator.integers(0, len(names), (3 * len(true) + 100, 2)))
    false = [pair for pair in pairs if pair not in known and pair[0] != pair[1]][: len(true)]
    scores = [float(rows[a] @ rows[b]) for a, b in true + false]
    return roc_auc_score([1] * len(true) + [0] * len(false), scores)


def groups(learn, graph, seed, options, labels):
    rows, labels = learn(graph, seed, options), {str(node): label for node, label in labels.items()}
    points, found = np.stack(list(rows.values())), np.array([labels[name] for name in rows])
    generator, scores = np.random.default_rng(seed), []
    for _ in range(10):
        each = (generator.permutation(np.flatnonzero(found == label)) for label in np.unique(found))
        taught = np.concatenate([places[: max(1, len(places) // 10)] for places in each])
        rest = np.setdiff1d(np.arange(len(found)), taught)
        model = LogisticRegression(C=10, max_iter=300).fit(points[taught], found[taught])
        scores.append(f1_score(found[rest], model.predict(points[rest]), average="macro"))
    return np.mean(scores)


def main():
    options = {"workers": 1} | (json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
    print("| graph | nodes | edges | links | gensim | groups | gensim |\n|---|---|---|---|---|---|---|")
    for name, graph, labels in graphs():
        seeds = range(1, 2 if len(graph) > LARGE else 4)
        cells = [np.mean([links(learn, graph, seed, options) for seed in seeds]) for learn in (by_rowspace, by_gensim)]
        if labels:
            cells += [
                np.mean([groups(learn, graph, seed, options, labels) for seed in seeds])
                for learn in (by_rowspace, by_gensim)
            ]
        numbers = " | ".join([f"{cell:.3f}" for cell in cells] + [""] * (4 - len(cells)))
        print(f"| {name} | {len(graph):,} | {graph.number_of_edges():,} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
