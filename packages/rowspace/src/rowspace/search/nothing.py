"""`nothing_found`: why no passage answers a query."""

from rowspace.search.index_reader import IndexReader
from rowspace.search.ranking.conditions import Where
from rowspace.search.ranking.scores import Mode
from rowspace.search.storage.words import terms_of

__all__ = ["nothing_found"]


def nothing_found(
    index: IndexReader, query: str, mode: Mode, *, path: str | None, where: Where | None, prefix: str = ""
) -> str:
    """Return a line that says why a search found nothing.

    Args:
        index: The index that was searched.
        query: As for `IndexReader.search`, like `mode`, `path` and `where`.
        mode: Likewise.
        path: Likewise.
        where: Likewise.
        prefix: What is before the names of `path` and `where` where they are given, such as "--".
    """
    if not len(index):
        reason = "the index has no passages"
    elif (path or where) and not index.count(path=path or None, where=where or None):
        reason = f"no record meets {prefix}where" if where else f"no file matches {prefix}path"
    elif not terms_of(query):
        reason = "the query has no word"
    elif mode == "dense":
        reason = "no word of the query has a row in the table"
    elif where or path:
        asked = f"record that meets {prefix}where" if where else f"file that matches {prefix}path"
        reason = f"no {asked} has a word of the query"
    else:
        reason = "no passage has a word of the query"
    return f"nothing found: {reason}"
