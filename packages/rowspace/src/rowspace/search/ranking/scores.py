"""The scores of passages that may answer a query: by their words, by the cosine of their vectors, or by both.

The words of a passage, of its title (the path of its file and its name) and of its whole file are three BM25 scores.
The more words of the query are in one passage, the more the words of passages count, and the less the cosine does:
error messages and names of functions occur in the text literally, while a question is often worded differently.
The weights were chosen with questions about the standard library of Python and its documentation, and measured on
other code and documentation: `bench/quality`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

__all__ = ["Found", "Hit", "Key", "Mode", "Rankings", "Row", "key_of", "share_of_name"]

Mode = Literal["hybrid", "dense", "lexical"]
Row = dict[str, Any]
Key = tuple[str, int]

_WORDS, _TITLE, _COSINE, _NAMED = 0.5, 0.1, 3.0, 0.5  # weights; that of a whole file is 1
_OF_ROW = ("path", "first_line", "last_line", "name", "text", "chunk", "metadata")  # of a hit
_MAX_VALUE, _MAX_VALUES = 60, 12  # characters of a value of metadata, and values, that are shown
_LAST = re.compile(r" > |[.:]+(?=\w)")  # before the last part of a name


@dataclass(frozen=True)
class Hit:
    """A passage that answers a query.

    Attributes:
        path: The file, or the id of the record.
        first_line, last_line: Its lines, from 1; in a PDF, its pages; of a record, those of its text.
        name: The heading or function that it belongs to, or the title of the record; empty if there is none.
        text: The passage.
        score: What the hits are ordered by: the cosine (dense), or the weighted sum of the BM25 scores, each divided by
            the best (lexical), and of the cosine (hybrid).
        dense_rank, lexical_rank: Its rank, from 1, in each ranking; None if the mode does not use that ranking, or it
            does not have the passage.
        chunk: Its number in the file, from 0.
        metadata: The other values of the record; None if it is of a file.
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
    metadata: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        """The id of the record; of a file, its path."""
        return self.path

    @property
    def location(self) -> str:
        """The path and the first line, such as `src/app.py:12`; relative if the file is below the current folder.

        Of a record, it is the id, and the line of its text if that is not the first.

        >>> Hit("/books/a.txt", 3, 9, "", "text", 1.0, 1, None).location
        '/books/a.txt:3'
        """
        if self.metadata is not None:
            return self.path if self.first_line == 1 else f"{self.path} line {self.first_line}"
        path = self.path.removeprefix(f"{Path.cwd()}/")
        return f"{path} page {self.first_line}" if path.lower().endswith(".pdf") else f"{path}:{self.first_line}"

    def metadata_line(self) -> str:
        """Return the metadata on one line, without what is long.

        >>> Hit("a", 1, 1, "", "text", 1.0, 1, None, metadata={"year": 1999, "is_new": True}).metadata_line()
        'year=1999 is_new=true'
        """
        values = list((self.metadata or {}).items())
        texts = [(name, str(value).lower() if isinstance(value, bool) else str(value)) for name, value in values]
        parts = [f"{name}={text if len(text) <= _MAX_VALUE else f'{text[:_MAX_VALUE]}...'}" for name, text in texts]
        more = [f"and {len(parts) - _MAX_VALUES:,} more"] if len(parts) > _MAX_VALUES else []
        return " ".join([*parts[:_MAX_VALUES], *more])


class Rankings(NamedTuple):
    """The passages that answer a query, in three orders.

    Attributes:
        hybrid, dense, lexical: What `search` returns in this mode, with both ranks of each passage.
    """

    hybrid: list[Hit]
    dense: list[Hit]
    lexical: list[Hit]


class Found(NamedTuple):
    """The passages that may answer a query, and what is known of each.

    Attributes:
        rows: Their rows.
        words, title, file: BM25 scores divided by the best; without passages that have none.
        cosine: The cosines with the query, empty if it has no vector.
        nearest: The passages with the largest cosines of the index, in order.
        named: How far the query is the name of a passage.
        coverage: The largest share of the query's words in one passage.
        weight: How much the cosine counts, relative to that of a table that knows all of the query.
    """

    rows: dict[Key, Row]
    words: dict[Key, float]
    title: dict[Key, float]
    file: dict[str, float]
    cosine: dict[Key, float]
    nearest: list[Key]
    named: dict[Key, float]
    coverage: float
    weight: float

    def hits(self, mode: Mode, k: int) -> list[Hit]:
        """Return the best k passages."""
        lexical = self._scores(0.0)
        if mode == "hybrid":
            scores = self._scores(_COSINE * self.weight * min(1.0, 2 - 2 * self.coverage))
        else:
            scores = lexical if mode == "lexical" else {key: self.cosine[key] for key in self.nearest}
        dense_ranks, lexical_ranks = _ranks(self.nearest), _ranks(_best_first(lexical))
        return [
            Hit(
                **{name: self.rows[key][name] for name in _OF_ROW},
                score=scores[key],
                dense_rank=dense_ranks.get(key),
                lexical_rank=lexical_ranks.get(key),
            )
            for key in _best_first(scores)[:k]
        ]

    def rankings(self, k: int) -> Rankings:
        """Return the best k passages of each ranking."""
        return Rankings(self.hits("hybrid", k), self.hits("dense", k), self.hits("lexical", k))

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


def share_of_name(name: str, query: str) -> float:
    """Return 1 if a query is the name of a section of a passage, such as `json.dumps`, 1/2 if it is the end of one.

    >>> [share_of_name("Decoder, Decoder.decode", query) for query in ("decoder.decode", "decode", "code")]
    [1.0, 0.5, 0.0]
    """
    wanted = _plain_name(query)
    names = name.split(", ") if wanted else []
    if any(wanted == _plain_name(each) for each in names):
        return 1.0
    return any(wanted == _plain_name(_LAST.split(each)[-1]) for each in names) / 2


def _plain_name(name: str) -> str:
    """Return a name in lower case, without what is around it, and with underscores for blanks."""
    return "_".join(re.sub(r"^[^\w]+|[^\w]+$", "", name).lower().split())


def _best_first(scores: dict[Key, float]) -> list[Key]:
    return sorted(scores, key=lambda key: (-scores[key], *key))


def _ranks(keys: Iterable[Key]) -> dict[Key, int]:
    return {key: rank for rank, key in enumerate(keys, 1)}


def key_of(row: Row) -> Key:
    """Return the path and the number of a passage."""
    return row["path"], row["chunk"]
