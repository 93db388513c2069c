"""A query → passages: by their words, by the cosine of their vectors, or by both.

The words of a passage, of its title (the path of its file and its name) and of its whole file are three BM25 scores.
The more words of the query a passage has, the more the words of passages count, and the less the cosine: an error
message or the name of a function is there word for word, a question in other words than those of the text is not.
The weights were chosen with questions about the standard library of Python and its documentation, and measured on
other code and documentation: `bench/quality`.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError
from rowspace.search.dataset import sql_list
from rowspace.search.patterns import parse_pattern
from rowspace.search.store import ChunkStore
from rowspace.search.words import terms_of, with_parts

__all__ = [
    "Hit",
    "Mode",
    "Rankings",
    "check_query",
    "key_filter",
    "path_filter",
    "rank_store",
    "score_passages",
    "search_store",
]

Mode = Literal["hybrid", "dense", "lexical"]

_DEPTH = 100  # the least number of passages of each ranking that are joined
_FILES = 1_000  # whose score as a whole is known
_BEST = 20  # passages, one of which may have all words of the query
_WORDS, _TITLE, _COSINE, _NAMED = 0.5, 0.1, 3.0, 0.5  # weights; that of a whole file is 1
_MAX_QUERY = 100_000  # characters
_MAX_PATTERN = 4_096  # characters, the longest path
_LAST = re.compile(r" > |[.:]+(?=\w)")  # before the last part of a name
_COLUMNS = ["path", "chunk", "first_line", "last_line", "name", "text", "vector"]

Row = dict[str, Any]
Key = tuple[str, int]
T = TypeVar("T")


@dataclass(frozen=True)
class Hit:
    """A passage that answers a query.

    Attributes:
        path: The file.
        first_line, last_line: Its lines, from 1; in a PDF, its pages.
        name: The heading or function that it belongs to; empty if there is none.
        text: The passage.
        score: What the hits are ordered by: the cosine (dense), or the weighted sum of the BM25 scores, each divided by
            the best (lexical), and of the cosine (hybrid).
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
    store: ChunkStore,
    query: str,
    vector: NDArray[np.float32] | None,
    *,
    k: int,
    path: str | None,
    mode: Mode,
    known: float = 1.0,
) -> list[Hit]:
    """Return the passages that answer a query, best first.

    Args:
        store: The index.
        query: The words of the query, for BM25.
        vector: (d,) of length 1; None, or zeros, if there is none.
        k: The maximum number of passages.
        path: A pattern of .gitignore that the path of a file must match.
        mode: Which rankings to use.
        known: The share of the query that its vector is made of; the cosine counts that much less.

    Returns:
        At most `k` hits.

    Raises:
        UsageError: If an argument is not valid.
    """
    check_whole_number("k", k, 1, 10_000)
    if mode not in get_args(Mode):
        raise UsageError(f"mode must be one of {', '.join(get_args(Mode))}, not {mode!r}")
    return _find(store, query, vector, k, path, mode, known).hits(mode, k)


class Rankings(NamedTuple):
    """The passages that answer a query, in three orders.

    Attributes:
        hybrid, dense, lexical: What `search` returns in this mode, with both ranks of each passage.
    """

    hybrid: list[Hit]
    dense: list[Hit]
    lexical: list[Hit]


def rank_store(
    store: ChunkStore,
    query: str,
    vector: NDArray[np.float32] | None,
    *,
    k: int,
    path: str | None,
    known: float = 1.0,
) -> Rankings:
    """Return the passages that answer a query, ranked by vectors, by words, and by both.

    Args:
        store: The index.
        query: The words of the query.
        vector: (d,) of length 1; None, or zeros, if there is none.
        k: The maximum number of passages of each ranking.
        path: A pattern of .gitignore that the path of a file must match.
        known: As for `search_store`.

    Raises:
        UsageError: If an argument is not valid.
    """
    check_whole_number("k", k, 1, 10_000)
    found = _find(store, query, vector, k, path, "hybrid", known)
    return Rankings(found.hits("hybrid", k), found.hits("dense", k), found.hits("lexical", k))


class _Found(NamedTuple):
    """The passages that may answer a query, and what is known of each.

    Attributes:
        rows: Their rows.
        words, title, file: BM25 scores divided by the best; without passages that have none.
        cosine: The cosines with the query, empty if it has no vector.
        nearest: The passages with the largest cosines of the index, in order.
        named: How far the query is the name of a passage.
        coverage: The largest share of the query's words in one passage.
        known: The share of the query that its vector is made of.
    """

    rows: dict[Key, Row]
    words: dict[Key, float]
    title: dict[Key, float]
    file: dict[str, float]
    cosine: dict[Key, float]
    nearest: list[Key]
    named: dict[Key, float]
    coverage: float
    known: float

    def hits(self, mode: Mode, k: int) -> list[Hit]:
        """Return the best k passages."""
        lexical = self._scores(0.0)
        if mode == "hybrid":
            scores = self._scores(_COSINE * self.known * min(1.0, 2 - 2 * self.coverage))
        else:
            scores = lexical if mode == "lexical" else {key: self.cosine[key] for key in self.nearest}
        dense_ranks, lexical_ranks = _ranks(self.nearest), _ranks(_best_first(lexical))
        return [
            _hit(self.rows[key], scores[key], dense_ranks.get(key), lexical_ranks.get(key))
            for key in _best_first(scores)[:k]
        ]

    def _scores(self, weight: float) -> dict[Key, float]:
        """Return the scores above 0, with a weight of the cosine; with 0, those by words."""
        certain = max(0.0, 2 * self.coverage - 1)  # that the passage with the words of the query is meant
        of_passage = {
            key: (_WORDS + certain) * self.words.get(key, 0.0)
            + _TITLE * self.title.get(key, 0.0)
            + _NAMED * self.named.get(key, 0.0)
            + weight * self.cosine.get(key, 0.0)
            for key in self.rows
        }
        scores, place = dict[Key, float](), defaultdict[str, int](int)
        for key in _best_first(of_passage):
            place[key[0]] += 1  # the score of a whole file counts fully for its best passage, half for the second, ...
            of_file = (1 - certain / 4) * self.file.get(key[0], 0.0)
            scores[key] = of_passage[key] + of_file / place[key[0]]
        return {key: score for key, score in scores.items() if score > 0}


def _find(
    store: ChunkStore,
    query: str,
    vector: NDArray[np.float32] | None,
    k: int,
    path: str | None,
    mode: Mode,
    known: float,
) -> _Found:
    """Return the passages that each ranking of a mode finds."""
    check_query(query)
    where, depth = None if path is None else path_filter(path), max(_DEPTH, 2 * k)
    vector = None if mode == "lexical" or vector is None or not np.any(vector) else vector
    nearest = [] if vector is None else _dense(store, vector, depth, where)
    words, title, file = list[Row](), list[Row](), list[Row]()
    if mode != "dense" and query.strip():
        asked = with_parts(query)
        words = _lexical(store, asked, "words", depth, where)
        title = _lexical(store, asked, "title", depth, where)
        file = _lexical(store, asked, "file_words", _FILES, where, columns=["path", "chunk"])
    rows = {_key(row): row for row in [*nearest, *words, *title]}
    return _Found(
        rows,
        _shares(words, _key),
        _shares(title, _key),
        _shares(file, lambda row: row["path"]),
        {} if vector is None else _cosines(rows, vector),
        [_key(row) for row in nearest],
        {key: _share_of_name(row["name"], query) for key, row in rows.items()} if words else {},
        _coverage(query, words[:_BEST]),
        known,
    )


def _shares(rows: Sequence[Row], key: Callable[[Row], T]) -> dict[T, float]:
    """Return the scores of rows, best first, divided by the best."""
    return {key(row): row["score"] / rows[0]["score"] for row in rows if row["score"] > 0}


def _cosines(rows: dict[Key, Row], vector: NDArray[np.float32]) -> dict[Key, float]:
    matrix = np.array([row["vector"] for row in rows.values()]).reshape(-1, len(vector))
    return dict(zip(rows, (matrix @ vector).tolist(), strict=True))


def _share_of_name(name: str, query: str) -> float:
    """Return 1 if a query is the name of a passage, or of its first section, such as `json.dumps`, 1/2 if only its end.

    >>> _share_of_name("Decoder.decode, Decoder", "decoder.decode"), _share_of_name("Decoder.decode", "decode")
    (1.0, 0.5)
    """
    wanted, first = _plain_name(query), name.split(", ", 1)[0]
    if not wanted:
        return 0.0
    return 1.0 if wanted == _plain_name(first) else (wanted == _plain_name(_LAST.split(first)[-1])) / 2


def _plain_name(name: str) -> str:
    """Return a name in lower case, without what is around it, and with underscores for blanks."""
    return "_".join(re.sub(r"^[^\w]+|[^\w]+$", "", name).lower().split())


def _coverage(query: str, rows: Sequence[Row]) -> float:
    """Return the largest share of the distinct words of a query that is in one passage."""
    terms = set(terms_of(query))
    found = (terms.intersection(terms_of(with_parts(row["text"]))) for row in rows if terms)
    return max((len(some) / len(terms) for some in found), default=0.0)


def _best_first(scores: dict[Key, float]) -> list[Key]:
    return sorted(scores, key=lambda key: (-scores[key], *key))


def _ranks(keys: Iterable[Key]) -> dict[Key, int]:
    return {key: rank for rank, key in enumerate(keys, 1)}


def score_passages(store: ChunkStore, query: str, keys: Sequence[Key]) -> dict[Key, float]:
    """Return the BM25 scores of the words of passages for a query; without passages that have none of its words.

    Args:
        store: The index.
        query: The words, as `with_parts` returns them.
        keys: The path and number of each passage.
    """
    if not keys:
        return {}
    return {_key(row): row["score"] for row in _lexical(store, query, "words", len(keys), key_filter(keys))}


def key_filter(keys: Sequence[Key]) -> str:
    """Return the condition of SQL that a passage has one of these paths and numbers.

    >>> key_filter([("a", 0), ("it's", 12)])
    "(path IN ('a') AND chunk = 0) OR (path IN ('it''s') AND chunk = 12)"
    """
    return " OR ".join(f"(path IN {sql_list([path])} AND chunk = {chunk})" for path, chunk in keys)


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
    vectors = [found["vector"].combine_chunks()] if len(found) and "vector" in found.column_names else []
    rows: list[Row] = found.drop_columns(["vector"] if vectors else []).to_pylist()
    for vector in vectors:
        matrix = vector.flatten().to_numpy().reshape(len(rows), -1)  # a list of Python's numbers takes 20 times as long
        for row, own in zip(rows, matrix, strict=True):
            row["vector"] = own
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
