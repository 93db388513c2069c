"""The progress of a fit of a graph on standard error: bars on a terminal, lines at intervals elsewhere."""

from rowspace._base.plural import plural
from rowspace.cli.output import message
from rowspace.cli.progress.fit import Bars, Lines
from rowspace.cli.progress.pace import Pace
from rowspace.cli.progress.terminal import uses_bars

__all__ = ["GraphBars", "GraphLines", "graph_reporter"]

UNIT = "visits"


def graph_reporter(total_bytes: int | None) -> "GraphBars | GraphLines":
    """Return bars for a terminal, lines otherwise; `total_bytes` is the size of the edge list, if known."""
    return GraphBars(total_bytes) if uses_bars() else GraphLines(total_bytes)


class GraphBars(Bars):
    """A progress bar for reading edges and one for learning."""

    def on_graph(self, nodes: int, edges: int, visits: int) -> None:
        """Complete the bar for reading."""
        self._unit = UNIT
        self._bars.update(self._read, total=1, completed=1, facts=_facts(nodes, edges, visits))


class GraphLines(Lines):
    """A line at each 10 % of the work, and at intervals."""

    def on_graph(self, nodes: int, edges: int, visits: int) -> None:
        """Print what was read."""
        self._unit = UNIT
        message(f"read: {_facts(nodes, edges, visits)}")
        self._pace = Pace(self._pace.seconds)


def _facts(nodes: int, edges: int, visits: int) -> str:
    return f"{plural(nodes, 'node')}, {plural(edges, 'edge')}, {visits:,} visits in an epoch"
