"""The routes of the lessons: the list, a lesson, its questions and the computed answers to them, and the cards."""

from collections.abc import Mapping
from functools import partial
from urllib.parse import quote_plus, urlsplit

from rowspace.errors import MissingExtraError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.lessons import computed
from rowspace_lab.lessons.lesson import LESSONS, Lesson
from rowspace_lab.lessons.panels import why
from rowspace_lab.lessons.replies import (
    AnswerReply,
    CardsReply,
    LessonBlock,
    LessonCard,
    LessonEntry,
    LessonReply,
    LessonsReply,
    QuestionReply,
)
from rowspace_lab.lessons.source import Block, Values, prose_html, read_document
from rowspace_lab.lessons.source.values import citations, number_text, quantity
from rowspace_lab.page import Handler
from rowspace_lab.server.query import Query
from rowspace_lab.shared.figure import shown

__all__ = ["ROUTES", "field_texts", "lesson_routes", "reference"]

_MAX_SEED = 2**31 - 1
_MAX_ANSWER = 1e15


Lessons = Mapping[int, Lesson]


def lesson_routes(lessons: Lessons) -> dict[str, Handler]:
    """Return the routes of lessons, given by their numbers, which are 1, 2, ..."""
    return {
        "lessons/list": partial(listed, lessons),
        "lessons/lesson": partial(shown_lesson, lessons),
        "lessons/cards": partial(cards, lessons),
        "lessons/question": partial(question, lessons),
        "lessons/answer": partial(answer, lessons),
        "lessons/why": why,
    }


def listed(lessons: Lessons, lab: Lab, query: Query) -> LessonsReply:
    """Return the titles of all lessons."""
    return {"lessons": [_entry(each, lab) for each in lessons.values()]}


def shown_lesson(lessons: Lessons, lab: Lab, query: Query) -> LessonReply:
    """Return lesson `number` with its values computed on the table."""
    found = lessons[query.integer("number", low=1, high=len(lessons))]
    values = found.values(lab)
    return {
        **_entry(found, lab),
        "needs": [_entry(lessons[number], lab) for number in found.needs],
        "next": _entry(lessons[found.number + 1], lab) if found.number < len(lessons) else None,
        "blocks": [_block(block, values) for block in found.document.blocks],
    }


def cards(lessons: Lessons, lab: Lab, query: Query) -> CardsReply:
    """Return the cards of all lessons, and the summary tables of `cards.md`."""
    document = read_document("cards.md")
    values = Values(computed, lab)
    return {
        "title": document.header["title"],
        "cards": [_card(each, block, lab) for each in lessons.values() for block in each.document.of("card")],
        "tables": "".join(prose_html(part, values) for block in document.of("prose") for part in block.parts),
    }


def question(lessons: Lessons, lab: Lab, query: Query) -> QuestionReply:
    """Return question `name` of lesson `lesson`, with the numbers that `seed` draws."""
    found, block = _question_block(lessons, query)
    if reason := _other_table(block, lab):
        return _unavailable(reason)
    try:
        instance = found.question(block.argument, lab.table, _seed(query))
    except (MissingExtraError, UsageError) as error:
        return _unavailable(str(error))
    low, high, step = instance.range
    return {
        "prompt": prose_html(block.parts[0], found.values(lab), field_texts(instance.fields)),
        "kind": instance.kind,
        "options": list(instance.options),
        "low": low,
        "high": high,
        "step": step,
        "unit": instance.unit,
        "unavailable": "",
    }


def answer(lessons: Lessons, lab: Lab, query: Query) -> AnswerReply:
    """Return whether `given` is right, the explanation with the computed answer, and the code that computes it."""
    found, block = _question_block(lessons, query)
    if reason := _other_table(block, lab):
        raise UsageError(reason)
    guess = query.number("given", low=-_MAX_ANSWER, high=_MAX_ANSWER)
    instance = found.question(block.argument, lab.table, _seed(query))
    computed = instance.computed(lab.table)
    written = instance.written(computed["answer"])
    fields = {**instance.fields, **computed, "answer": written}
    search = {name: quote_plus(str(value)) for name, value in fields.items()}
    return {
        "right": instance.accepts(guess, float(computed["answer"])),
        "value": float(computed["answer"]),
        "written": number_text(written),
        "search": f"?{block.options['shows'].format_map(search)}" if "shows" in block.options else "",
        "explanation": prose_html(block.parts[1], found.values(lab), field_texts(fields)),
        "code": shown(lab, instance.answer),
    }


def _question_block(lessons: Lessons, query: Query) -> tuple[Lesson, Block]:
    found = lessons[query.integer("lesson", low=1, high=len(lessons))]
    blocks = {block.argument: block for block in found.document.of("question")}
    return found, blocks[query.choice("name", list(blocks))]


def _other_table(block: Block, lab: Lab) -> str:
    """Return why a question about one table cannot be asked about another one; "" if it can."""
    table = block.options.get("table", lab.id)
    return "" if table == lab.id else f"this question is about the table {table}; choose that table"


def _seed(query: Query) -> int:
    return query.integer("seed", 0, low=0, high=_MAX_SEED)


def field_texts(fields: Mapping[str, object]) -> dict[str, str]:
    """Return the fields of a question as they are written in its text."""
    texts = {name: quantity(value) if isinstance(value, float) else str(value) for name, value in fields.items()}
    return {name: number_text(text) for name, text in texts.items()}


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
        "minutes": found.minutes,
    }


def _card(found: Lesson, block: Block, lab: Lab) -> LessonCard:
    return {"number": found.number, "title": found.title, "html": _html(block, found.values(lab))}


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
        return [prose_html(reference(key), values) for key in block.parts[0].split()]
    return [prose_html(part, values) for part in block.parts]


def reference(key: str) -> str:
    """Return a cited work as Markdown."""
    work = citations()["works"][key]
    return f"{work['authors']} ({work['year']}). [{work['title']}]({work['url']})."


ROUTES = lesson_routes(LESSONS)
