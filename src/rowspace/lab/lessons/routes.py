"""The routes of the lessons: the list, a lesson, its questions, and the computed answers to them."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.lessons.lesson import NUMBERS, WORDS_A_MINUTE, Lesson, lesson, lessons
from rowspace.lab.lessons.panels import why
from rowspace.lab.lessons.replies import (
    AnswerReply,
    LessonBlock,
    LessonEntry,
    LessonReply,
    LessonsReply,
    QuestionReply,
)
from rowspace.lab.lessons.source import Block, Values, prose_html
from rowspace.lab.lessons.source.values import citations
from rowspace.lab.page import Answer
from rowspace.lab.server.query import Query
from rowspace.lab.shared.figure import shown

__all__ = ["ROUTES"]

_LARGEST_SEED = 2**31 - 1
_LARGEST_ANSWER = 1e15


def listed(lab: Lab, query: Query) -> LessonsReply:
    """Return the titles of all lessons."""
    return {"lessons": [_entry(each, lab) for each in lessons()]}


def shown_lesson(lab: Lab, query: Query) -> LessonReply:
    """Return lesson `number` with its values computed on the table."""
    found = lesson(query.integer("number", low=1, high=NUMBERS[-1]))
    values = found.values(lab)
    return {
        **_entry(found, lab),
        "needs": [_entry(lesson(number), lab) for number in found.linked("needs")],
        "opens": [_entry(lesson(number), lab) for number in found.linked("opens")],
        "words": found.words,
        "blocks": [_block(block, values) for block in found.document.blocks],
    }


def question(lab: Lab, query: Query) -> QuestionReply:
    """Return question `name` of lesson `lesson`, with the numbers that `seed` draws."""
    found, block = _question_block(query)
    try:
        asked = found.question(block.argument, lab.table, _seed(query))
    except UsageError as error:
        return _unavailable(str(error))
    low, high, step = asked.range
    return {
        "prompt": prose_html(block.parts[0], found.values(lab), _fields(asked.fields)),
        "kind": asked.kind,
        "options": list(asked.options),
        "low": low,
        "high": high,
        "step": step,
        "unit": asked.unit,
        "unavailable": "",
    }


def answer(lab: Lab, query: Query) -> AnswerReply:
    """Return whether `given` is right, the computed answer, and the code that computes it."""
    found, block = _question_block(query)
    given = query.number("given", low=-_LARGEST_ANSWER, high=_LARGEST_ANSWER)
    asked = found.question(block.argument, lab.table, _seed(query))
    computed = asked.computed(lab.table)
    written = asked.written(computed["answer"])
    fields = {**asked.fields, **computed, "answer": written}
    return {
        "right": asked.accepts(given, float(computed["answer"])),
        "answer": written,
        "explanation": prose_html(block.parts[1], found.values(lab), _fields(fields)),
        "code": shown(lab, asked.answer),
    }


def _question_block(query: Query) -> tuple[Lesson, Block]:
    found = lesson(query.integer("lesson", low=1, high=NUMBERS[-1]))
    blocks = {block.argument: block for block in found.document.of("question")}
    return found, blocks[query.choice("name", list(blocks))]


def _seed(query: Query) -> int:
    return query.integer("seed", 0, low=0, high=_LARGEST_SEED)


def _fields(fields: Mapping[str, object]) -> dict[str, str]:
    """Return the fields of a question as text."""
    return {name: f"{value:,.4g}" if isinstance(value, float) else str(value) for name, value in fields.items()}


def _unavailable(reason: str) -> QuestionReply:
    return {
        "prompt": "",
        "kind": "number",
        "options": [],
        "low": 0.0,
        "high": 0.0,
        "step": 0.0,
        "unit": "",
        "unavailable": reason,
    }


def _entry(found: Lesson, lab: Lab) -> LessonEntry:
    return {
        "number": found.number,
        "title": found.title,
        "question": prose_html(found.opening, found.values(lab)),
        "minutes": max(1, round(found.words / WORDS_A_MINUTE)),
    }


def _block(block: Block, values: Values) -> LessonBlock:
    address = urlsplit(block.argument if block.kind == "figure" else "")
    pairs = address.query.split("&") if address.query else []
    table = next((pair.removeprefix("table=") for pair in pairs if pair.startswith("table=")), "")
    search = "&".join(pair for pair in pairs if not pair.startswith("table="))
    return {
        "kind": block.kind,
        "html": _html(block, values),
        "name": block.argument if block.kind in {"question", "claim"} else "",
        "page": address.path.strip("/"),
        "search": f"?{search}" if search else "",
        "table": table or block.options.get("table", ""),
    }


def _html(block: Block, values: Values) -> list[str]:
    if block.kind == "question":
        return []  # the text of a question has the numbers that a seed draws
    if block.kind == "references":
        return [prose_html(_reference(key), values) for key in block.parts[0].split()]
    return [prose_html(part, values) for part in block.parts]


def _reference(key: str) -> str:
    """Return a cited work as Markdown."""
    work = citations()["works"][key]
    return f"{work['authors']} ({work['year']}). [{work['title']}]({work['url']})."


ROUTES: dict[str, Answer] = {
    "lessons/list": listed,
    "lessons/lesson": shown_lesson,
    "lessons/question": question,
    "lessons/answer": answer,
    "lessons/why": why,
}
