"""Ask the questions of a lesson as the workbench does, and run the code of its card."""

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

from rowspace.table import Table
from rowspace_lab.lab import OPENED, Lab
from rowspace_lab.lessons.lesson import lesson
from rowspace_lab.lessons.routes import ROUTES
from rowspace_lab.lessons.source.values import number_text
from rowspace_lab.server.query import Query


def ask(number: int, name: str, table: Table, seed: int) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return a question's fields, and what the shown code computes; check that the reply's texts agree with it."""
    (block,) = (block for block in lesson(number).document.of("question") if block.argument == name)
    lab = Lab(table, "table-of-the-test", block.options.get("table", OPENED))
    parameters = {"lesson": [str(number)], "name": [name], "seed": [str(seed)]}
    asked = lesson(number).question(name, table, seed)
    prompt = ROUTES["lessons/question"](lab, Query(parameters))
    reply: Mapping[str, Any] = ROUTES["lessons/answer"](lab, Query({**parameters, "given": ["-77"]}))
    computed = run_code(reply["code"], asked.answer.func.__name__, table)
    computed = computed if isinstance(computed, Mapping) else {"answer": computed}
    assert emphasized(reply["explanation"]) == number_text(asked.written(computed["answer"]))
    assert asked.accepts(computed["answer"], computed["answer"])
    assert not reply["right"]
    assert not re.search(r"{\w+}|NaN|nan", f"{prompt['prompt']} {reply['explanation']}")
    return {**asked.fields, "options": asked.options}, computed


def emphasized(explanation: str) -> str:
    """Return the answer in an explanation, which must have it once."""
    (answer,) = re.findall('<b class="computed">(.*?)</b>', explanation)
    return unescape(answer)


def run_code(code: str, function: str, table: Table) -> Any:
    """Run the code of an answer with a table of the test in place of the opened one, and return its result."""
    lines = [line for line in code.split("\n") if not line.startswith("table = ")]
    scope: dict[str, Any] = {"table": table}
    exec("\n".join(lines), scope)
    return scope[function.removesuffix("_figure")]


def run_card(number: int) -> Mapping[str, Any]:
    """Run the two lines of a lesson's card after `import rowspace as rs`, and return its names and the last value."""
    (card,) = lesson(number).document.of("card")
    lines = card.parts[3].removeprefix("```python\n").removesuffix("\n```").splitlines()
    first, last = filter(None, lines)  # ruff puts an empty line after an import
    scope: dict[str, Any] = {}
    exec(f"import rowspace as rs\n{first}", scope)
    scope["result"] = eval(last, scope)
    return scope
