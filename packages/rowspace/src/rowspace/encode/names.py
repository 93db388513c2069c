"""Tables of things that are not words: a text is the name of a row."""

from rowspace.files.tokenizer_json import names_json
from rowspace.table import Table

__all__ = ["with_names"]

THINGS = {"node", "item", "user", "category", "document"}  # kinds of rows, as the fits record them


def with_names(table: Table) -> Table:
    """Return a table of things with a tokenizer that looks a whole text up; any other table as it is.

    >>> import numpy as np
    >>> table = Table(["green tea", "milk"], np.eye(2), settings={"kind": "item"})
    >>> with_names(table).tokenizer is None, table.tokenizer is None
    (False, True)
    """
    if table.tokenizer is not None or table.subwords is not None or table.settings.get("kind") not in THINGS:
        return table
    named = Table(
        table.vocabulary, table.rows, table.counts, tokenizer=names_json(table.vocabulary), settings=table.settings
    )
    named.path = table.path
    return named
