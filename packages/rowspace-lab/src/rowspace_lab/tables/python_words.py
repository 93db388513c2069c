"""Python's words: a table of the standard library, learned once when it is first chosen."""

from rowspace.learn.default_table import default_table_path, kept_table
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice

__all__ = ["PYTHON"]

ID = "python-words"


def _learned() -> Table:
    from rowspace.learn.fit import fit  # imports Numba, which other tables do not need

    return fit(epochs=10)


def _opened() -> Lab:
    path = default_table_path()
    return Lab(kept_table(path, _learned), str(path), ID)


PYTHON = TableChoice(
    ID,
    "Python's words",
    "Words with 100 numbers each and counts, learned once from Python's standard library, in about 10 seconds.",
    "example",
    _opened,
)
"""`TableChoice`: an entry of the list of tables."""
