"""The Words page: words that are spelled alike, their rows, the rows nearest to them, and how far apart they are."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.pages.words.substring_index import SubstringIndex
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.default_words import default_words
from rowspace.space.similarity import METRICS
from rowspace.table import Table

__all__ = ["ROUTES", "facts", "facts_code"]

MOST_WORDS = 8


def search(lab: Lab, query: Query) -> Reply:
    """`part`, `k` → the ids of the first k tokens that hold the part in any case: itself, those it begins, others."""
    part, k = query.text("part", "").casefold(), query.integer("k", 12, low=1, high=200)
    ids, found = lab.cached("words/substrings", lambda: SubstringIndex(lab.table.vocabulary)).find(part, k)
    code = f"""{lab.load_code}
part = {part!r}
folded = [token.casefold() for token in table]
found = [id for id, token in enumerate(folded) if part in token]
found.sort(key=lambda id: (folded[id] != part, not folded[id].startswith(part)))
ids = found[:{k}]
found = len(found)
{facts_code(lab.table)}"""
    return Reply({"found": found, "code": code, **facts(lab.table, ids)}, ids=ids)


def rows(lab: Lab, query: Query) -> Reply:
    """`word`, once or more → their rows (n, d), and the magnitude that fills a bar: the largest in any of them."""
    words = _words(lab, query)
    found = _rows(lab.table, words)
    limit = np.abs(found, where=np.isfinite(found), out=np.zeros_like(found)).max()
    known = [lab.table.id(word) if word in lab.table else -1 for word in words]
    code = f"""{lab.load_code}
import numpy as np
from rowspace import space

words = {words!r}
rows = table[words]
norms, limit = space.row_norms(rows), np.abs(rows[np.isfinite(rows)]).max(initial=0)
ids = [table.id(word) if word in table else -1 for word in words]"""
    if lab.table.counts is not None:
        code += "\ncounts = [int(table.counts[id]) if id >= 0 else None for id in ids]"
    meta = {"words": words, "limit": limit, "code": code, **_counts(lab.table, known)}
    return Reply(meta, rows=found, ids=known, norms=space.row_norms(found))


def neighbors(lab: Lab, query: Query) -> Reply:
    """`word`, `metric`, `k` → the k nearest tokens of the whole table with their scores, nearest first."""
    (default,) = default_words(lab.table, 1)
    word = query.text("word", default)
    metric = query.choice("metric", METRICS)
    k = query.integer("k", 10, low=1, high=200)
    asked = word if word in lab.table else _rows(lab.table, [word])[0]
    if word in lab.table and not np.isfinite(lab.table.norms[lab.table.id(word)]):
        raise UsageError(f"the row of {word!r} holds NaN or infinity, so nothing is near it; pick another word")
    found = lab.table.neighbors(asked, k=k, metric=metric)
    ids = lab.table.ids([token for token, _ in found])
    code = f"""{lab.load_code}
neighbors = table.neighbors({word!r}, k={k}, metric={metric!r})
scores = [score for _, score in neighbors]
ids = table.ids([token for token, _ in neighbors])
{facts_code(lab.table)}"""
    meta = {"word": word, "code": code, **facts(lab.table, ids)}
    return Reply(meta, scores=[score for _, score in found], ids=ids)


def compare(lab: Lab, query: Query) -> Reply:
    """`word`, once or more, and `metric` → how near each is to each, (n, n)."""
    words = _words(lab, query)
    metric = query.choice("metric", METRICS)
    found = _rows(lab.table, words)
    code = f"""{lab.load_code}
from rowspace import space

rows = table[{words!r}]
matrix = space.score(rows, rows, metric={metric!r})"""
    return Reply({"words": words, "code": code}, matrix=space.score(found, found, metric=metric))


def distances(lab: Lab, query: Query) -> Reply:
    """`word`, twice or more → the Euclidean distances from the first to the others, (n - 1,).

    With them: how many times closer the nearest is than the farthest, unless it is at no distance or at none known.
    """
    words = _words(lab, query)
    found = _rows(lab.table, words)
    apart = space.euclidean(found[0], found[1:])
    times = apart.max() / apart.min() if len(apart) and apart.min() > 0 else None
    code = f"""{lab.load_code}
from rowspace import space

distances = space.euclidean(table[{words[0]!r}], table[{words[1:]!r}])"""
    if times is not None:
        code += "\ntimes = distances.max() / distances.min()"
    return Reply({"words": words, "times": times, "code": code}, distances=apart)


def facts(table: Table, ids: NDArray[np.integer[Any]]) -> dict[str, object]:
    """What a list of tokens says of each: itself, how often it was seen (None where nobody counted), its norm."""
    tokens = [table.vocabulary[id] for id in ids.tolist()]
    return {"tokens": tokens, "norms": table.norms[ids].tolist(), **_counts(table, ids.tolist())}


def facts_code(table: Table) -> str:
    """The lines that give the same."""
    counts = "" if table.counts is None else "\ncounts = table.counts[ids]  # how often each was seen"
    return f"tokens, norms = [table.vocabulary[id] for id in ids], table.norms[ids]{counts}"


def _counts(table: Table, ids: Sequence[int]) -> dict[str, object]:
    counts = table.counts
    return {"counts": None if counts is None else [int(counts[id]) if id >= 0 else None for id in ids]}


def _words(lab: Lab, query: Query) -> list[str]:
    """The words asked about, each once."""
    return list(dict.fromkeys(query.texts("word", default_words(lab.table, 4), most=MOST_WORDS)))


def _rows(table: Table, words: Sequence[str]) -> NDArray[np.floating[Any]]:
    """The rows of words; made of n-grams where the table has them, which is no news here and warns of nothing."""
    return np.stack([_made(table, word) if word not in table else table[word] for word in words])


def _made(table: Table, word: str) -> NDArray[np.floating[Any]]:
    row = None if table.subwords is None else table.subwords.row(word)
    return table[word] if row is None else row  # which raises UnknownTokenError


ROUTES: Mapping[str, Answer] = {
    "words/search": search,
    "words/rows": rows,
    "words/neighbors": neighbors,
    "words/compare": compare,
    "words/distances": distances,
}
