"""A query → the passages that each ranking finds: Lance searches the words and the vectors of an index."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError
from rowspace.search.ranking.scores import Found, Key, Mode, Row, key_of, share_of_name
from rowspace.search.reading.patterns import parse_pattern
from rowspace.search.storage.dataset import sql_list
from rowspace.search.storage.settings import read_metadata
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.words import terms_of, with_parts
from rowspace.text.corpus.examples_file import is_unicode

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["check_query", "find_passages", "key_filter", "path_filter", "score_passages"]

_DEPTH = 100  # the least number of passages of each ranking that are joined
_FILES = 1_000  # whose score as a whole is known
_BEST = 20  # passages, one of which may have all words of the query
_MAX_QUERY = 100_000  # characters
_MAX_PATTERN = 4_096  # characters, the longest path
_COLUMNS = ["path", "chunk", "first_line", "last_line", "name", "text", "metadata", "vector"]

T = TypeVar("T")


def find_passages(
    store: ChunkStore,
    query: str,
    vector: NDArray[np.float32] | None,
    *,
    k: int,
    where: str | None,
    mode: Mode,
    weight: float = 1.0,
) -> Found:
    """Return the passages that may answer a query, of which `Found.hits` are the best.

    Args:
        store: The index.
        query: The words of the query, for BM25.
        vector: (d,) of length 1; None, or zeros, if there is none.
        k: How many of them are wanted.
        where: A condition of SQL that they must meet.
        mode: The ranking that they are wanted for; "hybrid" for several.
        weight: How much the cosine counts, relative to that of a table that knows all of the query.

    Raises:
        UsageError: If an argument is not valid.
    """
    check_whole_number("k", k, 1, 10_000)
    if mode not in get_args(Mode):
        raise UsageError(f"mode must be one of {', '.join(get_args(Mode))}, not {mode!r}")
    check_query(query)
    depth = max(_DEPTH, 2 * k)
    vector = None if mode == "lexical" or vector is None or not np.any(vector) else vector
    nearest = [] if vector is None else _dense(store, vector, depth, where)
    words, title, file = list[Row](), list[Row](), list[Row]()
    if mode != "dense" and query.strip():
        asked = with_parts(query)
        words = _lexical(store, asked, "words", depth, where)
        title = _lexical(store, asked, "title", depth, where)
        file = _lexical(store, asked, "file_words", _FILES, where, columns=["path", "chunk"])
    rows = {key_of(row): row for row in [*nearest, *words, *title]}
    return Found(
        rows,
        _shares(words, key_of),
        _shares(title, key_of),
        _shares(file, lambda row: row["path"]),
        {} if vector is None else _cosines(rows, vector),
        [key_of(row) for row in nearest],
        {key: share_of_name(row["name"], query) for key, row in rows.items()} if words else {},
        _coverage(query, words[:_BEST]),
        weight,
    )


def _shares(rows: Sequence[Row], key: Callable[[Row], T]) -> dict[T, float]:
    """Return the scores of rows, best first, divided by the best."""
    return {key(row): row["score"] / rows[0]["score"] for row in rows if row["score"] > 0}


def _cosines(rows: dict[Key, Row], vector: NDArray[np.float32]) -> dict[Key, float]:
    matrix = np.array([row["vector"] for row in rows.values()]).reshape(-1, len(vector))
    return dict(zip(rows, (matrix @ vector).tolist(), strict=True))


def _coverage(query: str, rows: Sequence[Row]) -> float:
    """Return the largest share of the distinct words of a query that is in one passage."""
    terms = set(terms_of(query))
    found = (terms.intersection(terms_of(with_parts(row["text"]))) for row in rows if terms)
    return max((len(some) / len(terms) for some in found), default=0.0)


def score_passages(store: ChunkStore, query: str, keys: Sequence[Key]) -> dict[Key, float]:
    """Return the BM25 scores of the words of passages for a query; without passages that have none of its words.

    Args:
        store: The index.
        query: The words, as `with_parts` returns them.
        keys: The path and number of each passage.
    """
    if not keys:
        return {}
    return {key_of(row): row["score"] for row in _lexical(store, query, "words", len(keys), key_filter(keys))}


def key_filter(keys: Sequence[Key]) -> str:
    """Return the condition of SQL that a passage has one of these paths and numbers.

    >>> key_filter([("a", 0), ("it's", 12)])
    "(path IN ('a') AND chunk = 0) OR (path IN ('it''s') AND chunk = 12)"
    """
    return " OR ".join(f"(path IN {sql_list([path])} AND chunk = {chunk})" for path, chunk in keys)


def check_query(query: str) -> None:
    """Raise `UsageError` for a query that is not text, or too long."""
    if not isinstance(query, str) or not is_unicode(query):
        raise UsageError(f"the query must be text in UTF-8, not {str(query)[:40]!r}")
    if len(query) > _MAX_QUERY:
        raise UsageError(f"the query must have at most {_MAX_QUERY:,} characters, not {len(query):,}")


def path_filter(pattern: str) -> str:
    r"""Return the condition that a path matches a pattern of .gitignore, such as `*.md`, `docs/` or `src/**/*.py`.

    A relative pattern may match at any depth, an absolute one the whole path.

    Args:
        pattern: The pattern.

    Returns:
        A condition in SQL.

    Raises:
        UsageError: If it is empty, a negation, not text, longer than a path, or matches nothing.

    >>> path_filter("docs/*.md")
    "regexp_like(substr(path, 2), '^(?s:(?:[^/]*/)*?docs/[^/]*\\.md(?:/.*)?)$')"
    """
    text = pattern.removeprefix("./") if isinstance(pattern, str) and is_unicode(pattern) else ""
    anywhere = text if text.startswith(("/", "**/")) or "/" not in text.rstrip("/") else f"**/{text}"
    found = parse_pattern(anywhere) if len(text) <= _MAX_PATTERN and "\0" not in text else None
    if found is None or found.is_negated:
        raise UsageError(f"path must be a pattern such as '*.md' or 'docs/', not {str(pattern)[:80]!r}")
    below = "/.*" if found.only_folders else "(?:/.*)?"
    expression = (found.expression.replace("(?>", "(?:") + below).replace("'", "''")
    return f"regexp_like(substr(path, 2), '^(?s:{expression})$')"


def _dense(store: ChunkStore, vector: NDArray[np.float32], k: int, where: str | None) -> list[Row]:
    in_memory = None if where or store.is_approximate else store.nearest(vector, k, columns=_COLUMNS)
    rows = _nearest_by_lance(store, vector, k, where) if in_memory is None else _rows(store, in_memory)
    for row in rows:
        row["score"] = 1 - row.pop("_distance")
    return sorted(rows, key=_order)


def _nearest_by_lance(store: ChunkStore, vector: NDArray[np.float32], k: int, where: str | None) -> list[Row]:
    nearest: dict[str, Any] = {"column": "vector", "q": vector, "k": k, "metric": "dot", "use_index": False}
    if store.is_approximate:
        nearest |= {"use_index": True, "nprobes": 64, "refine_factor": 4}
    return _scan(store, where, nearest=nearest, columns=[*_COLUMNS, "_distance"])


def _lexical(
    store: ChunkStore, query: str, column: str, k: int, where: str | None, *, columns: Sequence[str] = _COLUMNS
) -> list[Row]:
    from lance.query import MatchQuery  # any of the words; as a plain string, quotes would make it a phrase

    match = MatchQuery(query, column)
    rows = _scan(store, where, full_text_query=match, limit=k, columns=[*columns, "_score"])
    for row in rows:
        row["score"] = row.pop("_score")
    return sorted(rows, key=_order)


def _scan(store: ChunkStore, where: str | None, **arguments: Any) -> list[Row]:
    found = store.read(filter=where, prefilter=where is not None, disable_scoring_autoprojection=True, **arguments)
    return _rows(store, found)


def _rows(store: ChunkStore, found: "pa.Table") -> list[Row]:
    """Return the rows of a table of passages as dictionaries, with their vectors as arrays."""
    vectors = [found["vector"].combine_chunks()] if len(found) and "vector" in found.column_names else []
    rows: list[Row] = found.drop_columns(["vector"] if vectors else []).to_pylist()
    if (columns := store.settings.records) is not None and "metadata" in found.column_names:
        for row in rows:
            row["metadata"] = read_metadata(row["metadata"], columns)
    for vector in vectors:
        matrix = vector.flatten().to_numpy().reshape(len(rows), -1)  # a list of Python's numbers takes 20 times as long
        for row, own in zip(rows, matrix, strict=True):
            row["vector"] = own
    return rows


def _order(row: Row) -> tuple[float, str, int]:
    return (-row["score"], *key_of(row))
