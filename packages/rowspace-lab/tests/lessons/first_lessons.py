"""Ask the questions of lessons 1 to 4, and run their cards and the code of their answers."""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

import rowspace as rs
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.lesson import lesson
from rowspace_lab.lessons.question import Question
from rowspace_lab.shared.figure import shown
from rowspace_lab.tables.examples import EXAMPLES

LABS = {choice.id: choice.open for choice in EXAMPLES}


def ask(number: int, name: str, seed: int, lab: Lab) -> tuple[Question, Mapping[str, Any]]:
    """Return a question and its computed answer; the code that the reader sees must compute the same."""
    question = lesson(number).question(name, lab.table, seed)
    answer = question.computed(lab.table)
    made: dict[str, Any] = {}
    code = shown(lab, question.answer)
    exec(code, made)
    again = made[question.answer.func.__name__.removesuffix("_figure")]
    np.testing.assert_equal(again if isinstance(again, Mapping) else {"answer": again}, answer)
    return question, answer


def run_card(number: int) -> dict[str, Any]:
    """Run the lines of a lesson's card after `import rowspace as rs`, and return the variables."""
    (card,) = lesson(number).document.of("card")
    made: dict[str, Any] = {"rs": rs}
    exec(re.sub(r"^```.*$", "", card.parts[3], flags=re.MULTILINE), made)
    return made
