"""A query → passages: nearest by vector, best by BM25, or both, joined by reciprocal rank fusion."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_whole_number
from rowspace.encode.index.store import ChunkStore
from rowspace.errors import UsageError

__all__ = ["Hit", "Mode", "fuse_ranks", "path_filter", "search_store"]

Mode = Literal["hybrid", "dense", "lexical"]

_CONSTANT = 60  # of reciprocal rank fusion, as in the paper
_DEPTH = 50  # the least number of passages of each ranking that are joined
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
        dense_rank, lexical_rank: Its rank, from 1, in each ranking; None if that was not asked or did not find it.
    """

    path: str
    first_line: int
    last_line: int
    name: str
    text: str
    score: float
    dense_rank: int | None
    lexical_rank: int | None

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
    depth = k if mode != "hybrid" else max(_DEPTH, 2 * k)
    where = None if path is None else path_filter(path)
    has_vector = mode != "lexical" and vector is not None and bool(np.any(vector))
    dense = _dense(store, vector, depth, where) if has_vector and vector is not None else []
    lexical = _lexical(store, query, depth, where) if mode != "dense" and query.strip() else []
    rows = {_key(row): row for row in [*lexical, *dense]}
    ranks = [{_key(row): rank for rank, row in enumerate(ranking, 1)} for ranking in (dense, lexical)]
    scores = fuse_ranks(*ranks) if mode == "hybrid" else {key: row["score"] for key, row in rows.items()}
    best = sorted(scores, key=lambda key: (-scores[key], *key))[:k]
    return [_hit(rows[key], scores[key], ranks[0].get(key), ranks[1].get(key)) for key in best]


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


def path_filter(pattern: str) -> str:
    r"""Return the condition that a path matches a pattern of .gitignore, such as `*.md`, `docs/` or `src/**/*.py`.

    A relative pattern may match at any depth, an absolute one the whole path.

    Args:
        pattern: The pattern.

    Returns:
        A condition in SQL.

    Raises:
        UsageError: If it is empty, a negation, or not a pattern.

    >>> path_filter("docs/*.md")
    "regexp_like(substr(path, 2), '^(?:.+/)?docs/[^/]*\\.md(?:(?P<ps_d>/)|$)')"
    """
    from pathspec import GitIgnoreSpec

    text = pattern.removeprefix("./")
    anywhere = text if text.startswith(("/", "**/")) or "/" not in text.rstrip("/") else f"**/{text}"
    try:
        found = [each for each in GitIgnoreSpec.from_lines([anywhere]).patterns if each.include]
    except ValueError:
        found = []
    if len(found) != 1 or found[0].regex is None:
        raise UsageError(f"path must be a pattern such as '*.md' or 'docs/', not {pattern!r}")
    expression = found[0].regex.pattern.replace("'", "''")
    return f"regexp_like(substr(path, 2), '{expression}')"


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
    scanner = store.dataset.scanner(
        filter=where, prefilter=where is not None, disable_scoring_autoprojection=True, **arguments
    )
    rows: list[Row] = scanner.to_table().to_pylist()
    return rows


def _order(row: Row) -> tuple[float, str, int]:
    return (-row["score"], *_key(row))


def _key(row: Row) -> Key:
    return row["path"], row["chunk"]


def _hit(row: Row, score: float, dense_rank: int | None, lexical_rank: int | None) -> Hit:
    return Hit(
        row["path"], row["first_line"], row["last_line"], row["name"], row["text"], score, dense_rank, lexical_rank
    )
