"""Lessons 9 to 12 through their routes: the shown code gives the answers, and PyTorch may be missing."""

import subprocess
import sys
from typing import Any

import pytest
from tests.lessons.asking import emphasized

from rowspace_lab.lessons.lesson import lesson
from rowspace_lab.lessons.routes import ROUTES
from rowspace_lab.lessons.source.values import number_text
from rowspace_lab.server.query import Query
from rowspace_lab.tables.tables import BUILT_IN

QUESTIONS = [(number, block.argument) for number in range(9, 13) for block in lesson(number).document.of("question")]


@pytest.mark.parametrize(("number", "name"), QUESTIONS)
def test_shown_code_gives_the_answer(number: int, name: str) -> None:
    (lab,) = (choice.open() for choice in BUILT_IN if choice.id == "four-words")
    query = Query({"lesson": [str(number)], "name": [name], "given": ["0"]})
    prompt, reply = ROUTES["lessons/question"](lab, query), ROUTES["lessons/answer"](lab, query)
    assert "{" not in f"{prompt['prompt']}{reply['explanation']}"
    names: dict[str, Any] = {}
    exec(str(reply["code"]), names)
    question = lesson(number).question(name, lab.table, 0)
    found = names[question.answer.func.__name__.removesuffix("_figure")]
    answer = found["answer"] if isinstance(found, dict) else found
    assert number_text(question.written(answer)) == emphasized(str(reply["explanation"]))


def test_without_torch_values_and_questions_name_the_extra() -> None:
    script = """
import sys
sys.modules["torch"] = None
from rowspace_lab.lessons.routes import ROUTES
from rowspace_lab.server.query import Query
from rowspace_lab.tables.tables import BUILT_IN
lab = BUILT_IN[0].open()
for number in ("9", "10", "11", "12"):
    print("pip install" in str(ROUTES["lessons/lesson"](lab, Query({"number": [number]}))))
for number, name in (("9", "alike"), ("10", "head_parameters"), ("11", "tokens"), ("12", "share")):
    print(ROUTES["lessons/question"](lab, Query({"lesson": [number], "name": [name]}))["unavailable"])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    missing = "rowspace.layers needs PyTorch: pip install 'rowspace[torch]'"
    assert done.stdout.splitlines() == ["True"] * 4 + [missing] * 4
