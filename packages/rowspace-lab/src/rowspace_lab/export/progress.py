"""The progress of an export on standard error: a bar on a terminal, lines at intervals elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rowspace.cli.output import message
from rowspace.cli.progress import SECONDS_BETWEEN_LINES, Pace, make_bars, uses_bars

__all__ = ["export_reporter"]

Report = Callable[[int, int], None]
"""Called with the number of replies that are recorded, and that of all."""


@contextmanager
def export_reporter() -> Iterator[Report]:
    """Yield a function that shows the progress."""
    if not uses_bars():
        pace = Pace(SECONDS_BETWEEN_LINES)
        yield lambda done, of: message(f"recorded {done:,} of {of:,} replies") if pace.is_due(done / of) else None
        return
    bars = make_bars()
    task = bars.add_task("recording", total=None, facts="")
    with bars:
        yield lambda done, of: bars.update(task, completed=done, total=of, facts=f"{done:,} of {of:,} replies")
