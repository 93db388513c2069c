"""`rowspace.fit_graph`: edges → table: read the graph, learn rows from random walks, return the table."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from rowspace._base.interrupt import stop_requests
from rowspace._base.options import check_option_names, shows_options
from rowspace.errors import FitInterrupted
from rowspace.learn.graph.graph import Graph, build_graph
from rowspace.learn.graph.options import GraphKeywords, GraphOptions
from rowspace.learn.graph.read_edges import GraphInput, read_edges
from rowspace.learn.graph.walks import WalkCorpus
from rowspace.learn.word2vec.export import composed_rows
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Progress, Trainer
from rowspace.table import Table

__all__ = ["GraphReports", "fit_graph"]

DEFAULT_ALPHA = 0.025


@dataclasses.dataclass(frozen=True)
class GraphReports:
    """Callbacks of a fit of a graph, each optional.

    Attributes:
        on_bytes: Called with the number of bytes of an edge list read since the last call.
        on_graph: Called with the numbers of nodes, of edges and of visits in an epoch.
        on_lowered_rate: Called with the learning rate and the default, if the fit would diverge at the default.
        on_progress: Called about ten times a second while rows are learned.
        on_epoch: Called after each epoch with its number (from 1), the current table and the epoch's mean loss.
    """

    on_bytes: Callable[[int], None] | None = None
    on_graph: Callable[[int, int, int], None] | None = None
    on_lowered_rate: Callable[[float, float], None] | None = None
    on_progress: Callable[[Progress], None] | None = None
    on_epoch: Callable[[int, Table, float], None] | None = None


SILENT = GraphReports()


@shows_options(GraphOptions)
def fit_graph(
    edges: GraphInput,
    *,
    output: str | Path | None = None,
    reports: GraphReports = SILENT,
    **options: Unpack[GraphKeywords],
) -> Table:
    """Learn a table of the nodes of a graph from random walks: DeepWalk, or node2vec if p or q is not 1.

    Walks are made as they are learned from, and no transition is stored, so memory grows with the edges and nodes only.
    Repeated edges have the sum of their weights, and an edge from a node to itself is kept. A walk ends early at a node
    from which no edge leads on.

    Args:
        edges: The path of an edge list, `-` for standard input, a NetworkX graph, a SciPy sparse matrix (V, V), an
            integer array (E, 2), a table of pandas or Polars, or an iterable of pairs (name, name) or triples (name,
            name, weight). An edge list has two names a line, separated by white space, or two and a weight; lines that
            begin with `#` are comments. Files in .csv, .tsv, .jsonl and .parquet have named columns. Text files may be
            compressed (.gz, .xz, .bz2, .zst).
        output: Where to save the table.
        reports: Callbacks for progress.
        **options: The fields of `GraphOptions`: dim=128, walks=10, length=40, p=1, q=1, window=5, ...

    Returns:
        The table, with float32 rows (V, dim), in order of decreasing count. `table.counts` are the visits of a node
        that are expected in an epoch of walks with p=1 and q=1; negatives are drawn by them. Nodes without edges come
        last, with zeros. `table.settings` records the options, and the kind of the tokens, "node". With `workers=1` the
        same call gives identical rows.

    Raises:
        UsageError: An option is unknown or invalid, `edges` is of another kind, or a weight is negative or no number.
        CorpusError: The file cannot be read, or no edge joins two nodes.
        FileFormatError: A line of the file is no edge; the message has its number.
        MissingExtraError: A package for Parquet or Zstandard is missing.
        FitDiverged: The learning rate was too high for this graph and these options.
        FitInterrupted: Ctrl-C or SIGTERM; the current table is saved at `output`. It cannot be resumed.

    Sources: DeepWalk (Perozzi et al. 2014), node2vec (Grover & Leskovec 2016), rejection sampling (KnightKing, Yang et
    al. 2019).

    Example:
        >>> ring = [(name, "bcdefa"[place]) for place, name in enumerate("abcdef")]
        >>> table = fit_graph(ring, dim=8, epochs=1, workers=1)
        >>> len(table), table.dim, table.settings["kind"]
        (6, 8, 'node')
    """
    check_option_names("fit_graph", options, GraphOptions)
    chosen = GraphOptions(**options)
    if output is not None:
        Table.check_target(output)
    graph = _read(edges, chosen, reports)
    corpus, state = _start(graph, chosen, reports)
    if output is None:
        _learn(Trainer(corpus, state), chosen, reports, is_stopped=lambda: False)
        return _table(corpus, state, chosen)
    with stop_requests() as stop:
        trainer = Trainer(corpus, state)
        finished = _learn(trainer, chosen, reports, is_stopped=stop.is_set)
    table = _table(corpus, state, chosen)
    table.save(output)
    if not finished:
        raise FitInterrupted(
            f"stopped after {trainer.progress.words:,} visits; the table so far is saved in {str(output)!r}; a fit of "
            "a graph cannot be resumed, so start it again for a complete table"
        )
    return table


def _read(edges: GraphInput, options: GraphOptions, reports: GraphReports) -> Graph:
    """Read the graph."""
    read, directed = read_edges(edges, options, reports.on_bytes)
    return build_graph(read, directed=directed, walks=options.walks, length=options.length)


def _start(graph: Graph, options: GraphOptions, reports: GraphReports) -> tuple[WalkCorpus, FitState]:
    """Start from random rows."""
    corpus = WalkCorpus(graph, options)
    if reports.on_graph:
        reports.on_graph(len(graph.names) + len(graph.isolated), graph.num_edges, corpus.words)
    state = FitState.start(corpus, options.for_learning(), {})
    if options.alpha is None:
        alpha = min(DEFAULT_ALPHA, state.options.alpha or DEFAULT_ALPHA)  # lower where the fit would diverge
        state.options = dataclasses.replace(state.options, alpha=max(alpha, options.min_alpha))
        if reports.on_lowered_rate and alpha < DEFAULT_ALPHA:
            reports.on_lowered_rate(alpha, DEFAULT_ALPHA)
    return corpus, state


def _learn(
    trainer: Trainer[WalkCorpus], options: GraphOptions, reports: GraphReports, *, is_stopped: Callable[[], bool]
) -> bool:
    """Learn all epochs; return whether the last one was finished."""
    state = trainer.state

    def should_pause(progress: Progress) -> bool:
        if reports.on_progress:
            reports.on_progress(progress)
        return is_stopped()

    while state.epoch < state.options.epochs and not is_stopped():
        if trainer.run_epoch(should_pause) and reports.on_epoch:
            reports.on_epoch(state.epoch, _table(trainer.corpus, state, options, is_final=False), state.losses[-1])
    return state.epoch == state.options.epochs


def _table(corpus: WalkCorpus, state: FitState, options: GraphOptions, *, is_final: bool = True) -> Table:
    """Return the current rows as a table, copied unless they change no more, with the settings of the fit."""
    graph = corpus.graph
    rows = composed_rows(state.weights, state.options)
    rows = rows if is_final else rows.copy()
    isolated = len(graph.isolated)
    settings: dict[str, Any] = {"kind": "node"} | dataclasses.asdict(options)
    settings |= {
        "directed": graph.directed,
        "workers": state.options.threads,
        "alpha": state.options.learning_rates[0],
        "min_alpha": state.options.learning_rates[1],
        "edges": graph.num_edges,
        "visits": corpus.words,
        "losses": list(state.losses),
        "seconds": round(state.seconds, 3),
        "repeatable": state.options.is_repeatable,
    }
    return Table(
        [*graph.names, *graph.isolated],
        np.pad(rows, ((0, isolated), (0, 0))) if isolated else rows,
        np.pad(graph.visits, (0, isolated)),
        settings=settings,
    )
