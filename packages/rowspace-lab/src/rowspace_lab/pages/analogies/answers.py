"""The routes of the Analogies page: answers to "a is to b as c is to ..." with the parallelogram, and examples."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler
from rowspace_lab.pages.analogies.figures import answers_figure, examples_figure
from rowspace_lab.pages.analogies.replies import AnswersReply, Examples, ExamplesReply
from rowspace_lab.server.query import Query
from rowspace_lab.shared.default_words import MARKS, default_words, is_code, is_learned
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES", "known_examples"]

METHODS = ("3cosadd", "3cosmul")
MAX_RANK = 100
"""The number of answers in which the expected word of an example is searched."""

# Analogies a : b, c : d, most of which are solved by well-trained tables, but not all.
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


def answers(lab: Lab, query: Query) -> AnswersReply:
    """Return the `k` best answers to `a`, `b` and `c` by `method`, and the rank of `expected`, with coordinates."""
    words = default_words(lab.table, 3)
    usual = _first_question(lab) or [*(words[n % len(words)] for n in range(3)), ""]
    question = query.text("a", usual[0]), query.text("b", usual[1]), query.text("c", usual[2])
    figure = partial(
        answers_figure,
        question=question,
        expected=query.text("expected", usual[3] if list(question) == usual[:3] else ""),
        method=query.choice("method", METHODS),
        keep_inputs=query.flag("keep_inputs", False) or len({*question}) == len(lab.table),  # else there is no answer
        k=query.integer("k", 10, low=1, high=100),
    )
    for token, norm in zip(question, lab.table.norms[lab.table.ids(question)], strict=True):
        if not np.isfinite(norm):
            raise UsageError(
                f"the row of {token[:40]!r} contains NaN or infinity, so it has no direction; use another word"
            )
    return {**figure(lab.table), "code": shown(lab, figure)}


def examples(lab: Lab, query: Query) -> ExamplesReply:
    """Return the examples whose words are in the table, and the ranks of the expected words by `method`."""
    figure, found = _ranked_examples(lab, query.choice("method", METHODS))
    return {**found, "code": shown(lab, figure)}


def _first_question(lab: Lab) -> list[str]:
    """Return the first example that the table answers, else the first one; empty if it has none."""
    _, found = _ranked_examples(lab, METHODS[0])
    return next((found["examples"][at] for at in np.flatnonzero(found["ranks"] == 1)), [*found["examples"], []][0])


def _ranked_examples(lab: Lab, method: str) -> "tuple[partial[Examples], Examples]":
    """Return the call that ranks the expected words of the known examples, and its result."""
    figure = partial(examples_figure, examples=known_examples(lab), method=method, deepest=MAX_RANK)
    found: Examples = lab.cached(("analogies/examples", method), lambda: figure(lab.table))
    return figure, found


def known_examples(lab: Lab) -> list[list[str]]:
    """Return the examples whose four words all have a learned row."""

    def found() -> list[list[str]]:
        groups = [ENGLISH_EXAMPLES, CODE_EXAMPLES]
        words = "".join(reversed(groups) if is_code(lab.table) else groups).split()
        learned = is_learned(lab.table)
        marked = [[mark + word for word in words[n : n + 4]] for mark in MARKS for n in range(0, len(words), 4)]
        return [
            four for four in marked
            if all(word in lab.table and learned[lab.table.id(word)] for word in four)
        ]  # fmt: skip

    return lab.cached("analogies/found", found)


ROUTES: Mapping[str, Handler] = {"analogies/answers": answers, "analogies/examples": examples}
