"""`rowspace near`: the nearest neighbors of words."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rowspace.cli.arguments import AsJson, Metric, TablePath, Words
from rowspace.cli.lookup import open_table, resolve_words
from rowspace.cli.output import print_json, print_table
from rowspace.errors import RowspaceError

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["near"]


def near(
    path: TablePath,
    words: Words,
    *,
    k: Annotated[int, typer.Option("-k", help="How many neighbors.")] = 10,
    metric: Metric = "cosine",
    mean: Annotated[bool, typer.Option(help="Search once, for the mean of the words' unit rows.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the tokens whose rows are nearest to each word's row.

    The words themselves are excluded.

    Example:
      rowspace near my-table typeerror valueerror -k 5
    """
    table = open_table(path)
    tokens = resolve_words(table, words)
    if metric != "euclidean":
        _check_directions(table, tokens)
    queries = [tokens] if mean else [[token] for token in tokens]
    answers = [table.neighbors(query if mean else query[0], k=k, metric=metric) for query in queries]
    if as_json:
        found = [
            {"words": query, "neighbors": [{"token": token, "score": score} for token, score in answer]}
            for query, answer in zip(queries, answers, strict=True)
        ]
        print_json({"table": path, "metric": metric, "queries": found})
        return
    for query, answer in zip(queries, answers, strict=True):
        rows = [(table.shown(token), f"{score:.3f}") for token, score in answer]
        print_table(" + ".join(map(table.shown, query)), ("token", metric), rows)


def _check_directions(table: "Table", tokens: Sequence[str]) -> None:
    """Raise `RowspaceError` for a token whose row is zero, to which all rows have the same score of 0."""
    for token in tokens:
        if not table[token].any():
            raise RowspaceError(f"the row of {table.shown(token)!r} is zero, so it has no neighbors; use another token")
