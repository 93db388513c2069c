"""The default table of commands, learned once from the standard library."""

from typing import TYPE_CHECKING

from rowspace.cli.output import message
from rowspace.cli.progress.fit import progress_reporter

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["open_default_table"]


def open_default_table() -> "tuple[Table, str]":
    """Return the default table and its path; learn it, with progress, if it is missing."""
    from rowspace.learn.default_table import default_table, default_table_path

    return default_table(_learned), str(default_table_path())


def _learned() -> "Table":
    from rowspace.learn.fit import Reports, fit  # not needed by later starts
    from rowspace.learn.warm import warm_fit

    message("learning a table from the standard library of this Python, once; later starts reuse it")
    warm_fit(subwords=False)
    with progress_reporter(None) as progress:
        reports = Reports(
            on_bytes=progress.on_bytes, on_vocabulary=progress.on_vocabulary, on_progress=progress.on_progress
        )
        return fit(reports=reports, epochs=10)  # the text is small: fewer epochs do not learn its analogies
