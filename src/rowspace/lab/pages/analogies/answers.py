"""The Analogies page: a is to b as c is to ..., its answers, the parallelogram, and examples that may well fail."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.default_words import MARKS, default_words, is_code
from rowspace.table import Table

__all__ = ["ROUTES"]

Ids = NDArray[np.int64]
METHODS = ("3cosadd", "3cosmul")
DEEPEST = 100
"""Examples are ranked among so many answers."""

# Hits and misses.
CODE_EXAMPLES = """
    read write reader writer        encode encoder decode decoder   key keys value values       min minimum max maximum
    read reading write writing      encode encoded decode decoded   int integer str string      open close opened closed
    argument arguments parameter parameters                         load loads dump dumps       http https ftp ftps
    function functions class classes                                list lists dict dicts       sin cos asin acos
    start stop started stopped      parse parser tokenize tokenizer row rows column columns     two second three third
"""
ENGLISH_EXAMPLES = """
    man king woman queen            france paris italy rome         good better bad worse       boy girl brother sister
"""


@dataclass(frozen=True)
class Question:
    """What is asked: the ids of a, b and c, by which method, and whether they may be answers themselves."""

    ids: Ids
    method: str
    keep_inputs: bool


def examples(lab: Lab, query: Query) -> Reply:
    """`method` → the examples whose words the table has, and the `ranks` of the words expected; 0 is past the 100th.

    `more` is the code without the lines that open the table.
    """
    method = query.choice("method", METHODS)
    questions = _examples(lab)
    ranks = lab.cached(("analogies/examples", method), lambda: _example_ranks(lab.table, questions, method))
    lines = "\n".join(map(" ".join, questions))
    more = f'''questions = """
{lines}
""".strip().splitlines()

def rank(a, b, c, expected):
    answers = [token for token, _ in table.analogy(a, b, c, k={DEEPEST}, method={method!r})]
    return answers.index(expected) + 1 if expected in answers else 0

ranks = [rank(*question.split()) for question in questions]'''
    code = f"{lab.load_code}\n\n{more}"
    return Reply({"examples": questions, "deepest": DEEPEST, "code": code, "more": more}, ranks=ranks)


def answers(lab: Lab, query: Query) -> Reply:
    """`a`, `b`, `c`, `expected`, `method`, `keep_inputs`, `k` → the k best answers and the expected one, drawn.

    `ranks`, `scores` (n,) and `cosines` (n, 4) with a, b, c and b - a + c; `corners` (4, 2) are a, b, c, b - a + c in
    their plane, `points` (n, 2) the answers there, `shares` (n,) the part of their distance from a that is drawn.
    """
    table = lab.table
    words = default_words(table, 3)
    usual = next(iter(_examples(lab)), [*(words[n % len(words)] for n in range(3)), ""])
    asked = [query.text(name, word) for name, word in zip("abc", usual, strict=False)]
    expected = query.text("expected", usual[3] if asked == usual[:3] else "")
    question = Question(_known(table, asked), query.choice("method", METHODS), query.flag("keep_inputs", False))
    k = query.integer("k", 10, low=1, high=100)

    order, scores = _ranked(table, question)
    inputs = [_place(order, scores, row) for row in question.ids]
    if not question.keep_inputs:
        allowed = ~np.isin(order, question.ids)
        order, scores = order[allowed], scores[allowed]
    ranks = np.arange(1, min(k, len(order)) + 1)
    place = _place(order, scores, table.id(expected)) if expected else None
    if place is not None and place["rank"] is not None:
        ranks = np.union1d(ranks, [place["rank"]])
    tokens = [table.vocabulary[row] for row in order[ranks - 1]]

    meta = {"question": asked, "tokens": tokens, "of": len(order), "inputs": inputs}
    meta |= {"expected": expected, "place": place, "code": _code(lab, question, k, expected)}
    return Reply(meta, ranks=ranks, scores=scores[ranks - 1], **_drawn(table, asked, tokens))


def _code(lab: Lab, question: Question, k: int, expected: str) -> str:
    """The same again, for the reader."""
    a, b, c = (lab.table.vocabulary[row] for row in question.ids)
    return f"""{lab.load_code}
from rowspace.space import Plane, cosine, unit_rows

def place_of(token, ranked):
    places = [{{"rank": n, "score": score}} for n, (other, score) in enumerate(ranked, 1) if other == token]
    return places[0] if places else {{"rank": None, "score": None}}

question, expected = {[a, b, c]!r}, {expected!r}
ranked = table.analogy(*question, k=len(table), method={question.method!r}, keep_inputs=True)
inputs = [place_of(token, ranked) for token in question]
answers = {"ranked" if question.keep_inputs else "[answer for answer in ranked if answer[0] not in question]"}
of, place = len(answers), place_of(expected, answers) if expected else None
ranks = [n for n, (token, _) in enumerate(answers, 1) if n <= {k} or token == expected]
tokens, scores = [answers[n - 1][0] for n in ranks], [answers[n - 1][1] for n in ranks]

a, b, c = unit_rows(table[[{a!r}, {b!r}, {c!r}]])
target, found = b - a + c, unit_rows(table[tokens])
plane = Plane.through(a, b, c)
corners, points = plane.coordinates([a, b, c, target]), plane.coordinates(found)
shares = plane.shares(found)
cosines = cosine(found, [a, b, c, target])"""


def _drawn(table: Table, asked: list[str], tokens: list[str]) -> dict[str, NDArray[np.float64]]:
    """Question and answers in the plane of the unit rows of a, b and c: the vectors that 3CosAdd adds."""
    a, b, c = space.unit_rows(table[asked])
    target, found = b - a + c, space.unit_rows(table[tokens])
    plane = space.Plane.through(a, b, c)
    return {
        "corners": plane.coordinates([a, b, c, target]),
        "points": plane.coordinates(found),
        "shares": plane.shares(found),
        "cosines": space.cosine(found, [a, b, c, target]),
    }


def _solver(method: str) -> Callable[..., tuple[Ids, NDArray[np.float32]]]:
    """The function of a method."""
    return space.cos_add if method == "3cosadd" else space.cos_mul


def _ranked(table: Table, question: Question) -> tuple[Ids, NDArray[np.float32]]:
    """All rows that may answer, best first, the inputs among them, and their scores."""
    ids, scores = _solver(question.method)(
        table.rows, question.ids[np.newaxis], len(table), row_norms=table.norms, keep_inputs=True
    )
    answered = ids[0] >= 0
    return ids[0][answered], scores[0][answered]


def _place(order: Ids, scores: NDArray[np.float32], row: int) -> dict[str, float | None]:
    """The rank of a row in this order, and its score; none where it is not there."""
    at = np.flatnonzero(order == row)
    return {"rank": int(at[0]) + 1, "score": float(scores[at[0]])} if len(at) else {"rank": None, "score": None}


def _known(table: Table, tokens: list[str]) -> Ids:
    """The ids of tokens whose rows can be added."""
    ids = table.ids(tokens)
    for token, norm in zip(tokens, table.norms[ids], strict=True):
        if not np.isfinite(norm):
            raise UsageError(f"the row of {token[:40]!r} holds NaN or infinity, so it has no direction: ask another")
    return ids


def _examples(lab: Lab) -> list[list[str]]:
    """The examples whose four words all have a row here."""

    def found() -> list[list[str]]:
        groups = [ENGLISH_EXAMPLES, CODE_EXAMPLES]
        words = "".join(reversed(groups) if is_code(lab.table) else groups).split()
        marked = [[mark + word for word in words[n : n + 4]] for mark in MARKS for n in range(0, len(words), 4)]
        return [
            four for four in marked
            if all(word in lab.table and np.isfinite(lab.table.norms[lab.table.id(word)]) for word in four)
        ]  # fmt: skip

    return lab.cached("analogies/found", found)


def _example_ranks(table: Table, questions: list[list[str]], method: str) -> list[int]:
    """The rank of each expected word among the first answers, 0 where it is not among them."""
    if not questions:
        return []
    ids = table.ids([word for four in questions for word in four]).reshape(-1, 4)
    found, _ = _solver(method)(table.rows, ids[:, :3], DEEPEST, row_norms=table.norms)
    hits = found == ids[:, 3:]
    return [int(hit.argmax()) + 1 if hit.any() else 0 for hit in hits]


ROUTES: Mapping[str, Answer] = {"analogies/answers": answers, "analogies/examples": examples}
