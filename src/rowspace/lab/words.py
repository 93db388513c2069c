"""The Words page: a word's row, its neighbours, and those that are spelt like it. Read next: `analogies.py`."""

from collections.abc import Mapping
from typing import get_args

from rowspace.lab.query import Query
from rowspace.lab.reply import Reply
from rowspace.lab.state import Answer, Lab
from rowspace.space.similarity import Metric

__all__ = ["ROUTES"]


def row(lab: Lab, query: Query) -> Reply:
    """`word` → its row (d,), as the table gives it."""
    word = query.text("word", lab.table.vocabulary[0])
    code = f"{lab.opening}\nrow = table[{word!r}]"
    return Reply({"word": word, "known": word in lab.table, "code": code}, row=lab.table[word])


def neighbors(lab: Lab, query: Query) -> Reply:
    """`word`, `metric`, `k` → the k nearest tokens of the whole table with their scores, nearest first."""
    word = query.text("word", lab.table.vocabulary[0])
    metric = query.choice("metric", get_args(Metric))
    k = query.integer("k", 10, low=1, high=1000)
    found = lab.table.neighbors(word, k=k, metric=metric)  # type: ignore[arg-type]
    code = f"{lab.opening}\nneighbors = table.neighbors({word!r}, k={k}, metric={metric!r})"
    tokens, scores = zip(*found, strict=True) if found else ((), ())
    code += "\nscores = [score for _, score in neighbors]"
    return Reply({"word": word, "neighbors": tokens, "code": code}, scores=scores)


ROUTES: Mapping[str, Answer] = {"words/row": row, "words/neighbors": neighbors}
