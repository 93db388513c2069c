"""A query → passages: nearest by vector, best by BM25, or both, joined by reciprocal rank fusion."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError
from rowspace.search.dataset import sql_list
from rowspace.search.patterns import parse_pattern
from rowspace.search.store import ChunkStore

__all__ = [
    "Hit",
    "Mode",
    "Rankings",
    "check_query",
    "fuse_ranks",
    "path_filter",
    "rank_store",
    "score_passages",
    "search_store",
]

Mode = Literal["hybrid", "dense", "lexical"]

_CONSTANT = 60  # of reciprocal rank fusion, as in the paper
_DEPTH = 50  # the least number of passages of each ranking that are joined
_MAX_QUERY = 100_000  # characters
_MAX_PATTERN = 4_096  # characters, the longest path
_COLUMNS = ["path", "chunk", "first_line", "last_line", "name", "text"]

Row = dict[str, Any]
Key = tuple[str, int]


@dataclass(frozen=True)
class Hit:
    """A passage that answers a query.

    Attributes:
        path: The file.
        first_line, last_line: Its lines, from 1; in a PDF, its pages.
        name: The heading or function that it belongs to; empty if there is none.
        text: The passage.
        score: What the hits are ordered by: the cosine (dense), the BM25 score (lexical), or the sum of reciprocal
            ranks (hybrid).
        dense_rank, lexical_rank: Its rank, from 1, in each ranking; None if the mode does not use that ranking, or it
            does not have the passage.
        chunk: Its number in the file, from 0.
    """

    path: str
    first_line: int
    last_line: int
    name: str
    text: str
    score: float
    dense_rank: int | None
    lexical_rank: int | None
    chunk: int = 0

    @property
    def location(self) -> str:
        """The path and the first line, such as `src/app.py:12`; relative if the file is below the current folder.

        >>> Hit("/books/a.txt", 3, 9, "", "text", 1.0, 1, None).location
        '/books/a.txt:3'
        """
        path = self.path.removeprefix(f"{Path.cwd()}/")
        return f"{path} page {self.first_line}" if path.lower().endswith(".pdf") else f"{path}:{self.first_line}"


def search_store(
    store: ChunkStore, query: str, vector: NDArray[np.float32] | None, *, k: int, path: str | None, mode: Mode
) -> list[Hit]:
    """Return the passages that answer a query, best first.

    Args:
        store: The index.
        query: The words of the query, for BM25.
        vector: (d,) of length 1; None, or zeros, if there is none.
        k: The maximum number of passages.
        path: A pattern of .gitignore that the path of a file must match.
        mode: Which rankings to use.

    Returns:
        At most `k` hits.

    Raises:
        UsageError: If an argument is not valid.
    """
    check_whole_number("k", k, 1, 10_000)
    if mode not in get_args(Mode):
        raise UsageError(f"mode must be one of {', '.join(get_args(Mode))}, not {mode!r}")
    found = _find(store, query, vector, depth=k if mode != "hybrid" else _depth(k), path=path, mode=mode)
    return found.hits(mode, k)


class Rankings(NamedTuple):
    """The passages that answer a query, in three orders.

    Attributes:
        hybrid, dense, lexical: What `search` returns in this mode, with both ranks of each passage.
    """

    hybrid: list[Hit]
    dense: list[Hit]
    lexical: list[Hit]


def rank_store(
    store: ChunkStore, query: str, vector: NDArray[np.float32] | None, *, k: int, path: str | None
) -> Rankings:
    """Return the passages that answer a query, ranked by vectors, by words, and by both.

    Args:
        store: The index.
        query: The words of the query.
        vector: (d,) of length 1; None, or zeros, if there is none.
        k: The maximum number of passages of each ranking.
        path: A pattern of .gitignore that the path of a file must match.

    Raises:
        UsageError: If an argument is not valid.
    """
    check_whole_number("k", k, 1, 10_000)
    found = _find(store, query, vector, depth=_depth(k), path=path, mode="hybrid")
    return Rankings(found.hits("hybrid", k), found.hits("dense", k), found.hits("lexical", k))


class _Found(NamedTuple):
    """The rows of both rankings, best first."""

    dense: list[Row]
    lexical: list[Row]

    def hits(self, mode: Mode, k: int) -> list[Hit]:
        """Return the best k passages of a ranking, or of both together."""
        ranks = [{_key(row): rank for rank, row in enumerate(ranking, 1)} for ranking in self]
        rows = {_key(row): row for row in [*self.lexical, *self.dense]}
        if mode == "hybrid":
            scores = fuse_ranks(*ranks)
        else:
            scores = {_key(row): row["score"] for row in (self.dense if mode == "dense" else self.lexical)}
        best = sorted(scores, key=lambda key: (-scores[key], *key))[:k]
        return [_hit(rows[key], scores[key], ranks[0].get(key), ranks[1].get(key)) for key in best]


def _find(
    store: ChunkStore,
    query: str,
    vector: NDArray[np.float32] | None,
    *,
    depth: int,
    path: str | None,
    mode: Mode,
) -> _Found:
    """Return the first `depth` rows of each ranking of a mode."""
    check_query(query)
    where = None if path is None else path_filter(path)
    has_vector = mode != "lexical" and vector is not None and bool(np.any(vector))
    dense = _dense(store, vector, depth, where) if has_vector and vector is not None else []
    lexical = _lexical(store, query, depth, where) if mode != "dense" and query.strip() else []
    return _Found(dense, lexical)


def _depth(k: int) -> int:
    return max(_DEPTH, 2 * k)


def fuse_ranks(*rankings: dict[Key, int]) -> dict[Key, float]:
    """Return the sum of 1 / (60 + rank) over the rankings (Cormack, Clarke & Büttcher 2009).

    Args:
        rankings: The rank of each passage, from 1.

    Returns:
        The score of each passage.

    >>> scores = fuse_ranks({("a", 0): 1, ("b", 0): 2}, {("b", 0): 1})
    >>> max(scores, key=scores.get)
    ('b', 0)
    """
    scores = dict[Key, float]()
    for ranking in rankings:
        for key, rank in ranking.items():
            scores[key] = scores.get(key, 0.0) + 1 / (_CONSTANT + rank)
    return scores


def score_passages(store: ChunkStore, query: str, keys: Sequence[Key]) -> dict[Key, float]:
    """Return the BM25 scores of a query for some passages; without those that have none of its words.

    Args:
        store: The index.
        query: The words.
        keys: The path and number of each passage.
    """
    if not keys:
        return {}
    where = " OR ".join(f"(path IN {sql_list([path])} AND chunk = {chunk})" for path, chunk in keys)
    return {_key(row): row["score"] for row in _lexical(store, query, len(keys), where)}


def check_query(query: str) -> None:
    """Raise `UsageError` for a query that is not text, or too long."""
    if not isinstance(query, str) or not is_text(query):
        raise UsageError(f"the query must be text in UTF-8, not {str(query)[:40]!r}")
    if len(query) > _MAX_QUERY:
        raise UsageError(f"the query must have at most {_MAX_QUERY:,} characters, not {len(query):,}")


def is_text(text: str) -> bool:
    """Whether a string has no lone surrogate, such as a command line has that is not UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


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
    text = pattern.removeprefix("./") if isinstance(pattern, str) and is_text(pattern) else ""
    anywhere = text if text.startswith(("/", "**/")) or "/" not in text.rstrip("/") else f"**/{text}"
    found = parse_pattern(anywhere) if len(text) <= _MAX_PATTERN and "\0" not in text else None
    if found is None or found.is_negated:
        raise UsageError(f"path must be a pattern such as '*.md' or 'docs/', not {str(pattern)[:80]!r}")
    below = "/.*" if found.only_folders else "(?:/.*)?"
    expression = (found.expression.replace("(?>", "(?:") + below).replace("'", "''")
    return f"regexp_like(substr(path, 2), '^(?s:{expression})$')"


def _dense(store: ChunkStore, vector: NDArray[np.float32], k: int, where: str | None) -> list[Row]:
    nearest: dict[str, Any] = {"column": "vector", "q": vector, "k": k, "metric": "dot", "use_index": False}
    if store.is_approximate:
        nearest |= {"use_index": True, "nprobes": 64, "refine_factor": 4}
    rows = _scan(store, where, nearest=nearest, columns=[*_COLUMNS, "_distance"])
    for row in rows:
        row["score"] = 1 - row.pop("_distance")
    return sorted(rows, key=_order)


def _lexical(store: ChunkStore, query: str, k: int, where: str | None) -> list[Row]:
    from lance.query import MatchQuery  # any of the words; as a plain string, quotes would make it a phrase

    rows = _scan(store, where, full_text_query=MatchQuery(query, "text"), limit=k, columns=[*_COLUMNS, "_score"])
    for row in rows:
        row["score"] = row.pop("_score")
    return sorted(rows, key=_order)


def _scan(store: ChunkStore, where: str | None, **arguments: Any) -> list[Row]:
    found = store.read(filter=where, prefilter=where is not None, disable_scoring_autoprojection=True, **arguments)
    rows: list[Row] = found.to_pylist()
    return rows


def _order(row: Row) -> tuple[float, str, int]:
    return (-row["score"], *_key(row))


def _key(row: Row) -> Key:
    return row["path"], row["chunk"]


def _hit(row: Row, score: float, dense_rank: int | None, lexical_rank: int | None) -> Hit:
    return Hit(
        row["path"],
        row["first_line"],
        row["last_line"],
        row["name"],
        row["text"],
        score,
        dense_rank,
        lexical_rank,
        row["chunk"],
    )
