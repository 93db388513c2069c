"""`rowspace fit-graph`: learn a table of the nodes of a graph. Its options are the fields of `GraphOptions`."""

import shlex
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.fit_summary import document, losses_line, speed_line, workers_lines
from rowspace.cli.output import print_json, print_line
from rowspace.cli.progress.fit import graph_reporter, report_lowered_rate
from rowspace.errors import UsageError
from rowspace.learn.graph.options import GraphOptions

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["fit_graph"]


@with_options_of({"Learning": GraphOptions})
def fit_graph(
    edges: Annotated[
        str,
        typer.Argument(
            metavar="EDGES",
            help="Two names a line, or two and a weight (.gz, .xz, .bz2 and .zst too, or - for standard input); or "
            ".csv, .tsv, .jsonl or .parquet with named columns.",
        ),
    ],
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to save the table.", show_default=False)],
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Learn a table from a graph: a row for each node.

    Random walks over the edges are read as sentences (DeepWalk; node2vec with --p or --q). Ctrl-C (or SIGTERM) saves
    the table learned so far.

    Example:
      rowspace fit-graph friends.txt -o people
      rowspace fit-graph links.csv --source-column from --target-column to --directed -o pages
      rowspace fit-graph friends.txt.gz --p 0.5 --q 2 -o people
    """
    if not edges or not output:
        raise UsageError("EDGES and -o must not be empty; give a file of edges and the folder to save the table in")
    began = time.monotonic()
    table = _fit(edges, output, options)
    seconds = time.monotonic() - began
    if as_json:
        print_json(document(output, table, seconds, "visits"))
    else:
        for line in _summary(output, table, seconds):
            print_line(line)


def _fit(edges: str, output: str, options: Mapping[str, Any]) -> "Table":
    """Run the fit and show its progress."""
    from rowspace.cli.warm import warm_graph
    from rowspace.learn import GraphReports  # not needed for help
    from rowspace.learn.graph.fit_graph import fit_graph as learn_table

    warm_graph()
    size = Path(edges).stat().st_size if Path(edges).is_file() else None
    with cleanup_on_interrupt(), graph_reporter(size) as progress:
        reports = GraphReports(
            on_bytes=progress.on_bytes,
            on_graph=progress.on_graph,
            on_lowered_rate=report_lowered_rate,
            on_progress=progress.on_progress,
        )
        return learn_table(edges, output=output, reports=reports, **options)


def _summary(output: str, table: "Table", seconds: float) -> Iterator[str]:
    """Yield the lines of the summary."""
    settings: Mapping[str, Any] = table.settings
    kind = "directed" if settings["directed"] else "undirected"
    yield f"{plural(len(table), 'node')} × {table.dim}, learned from {plural(settings['edges'], f'{kind} edge')}"
    yield speed_line(settings, seconds, "visits")
    yield losses_line(settings)
    yield from workers_lines(settings)
    yield f"saved in {output}; try: rowspace near {shlex.quote(output)} {shlex.quote(table.vocabulary[0])}"
