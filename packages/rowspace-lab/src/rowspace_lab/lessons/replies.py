"""The replies of the routes of lessons."""

from typing import Literal, TypedDict

from rowspace_lab.shared.figure import Shown


class LessonEntry(TypedDict):
    """A lesson in the list."""

    number: int
    title: str
    question: str
    """The question that it opens with, as HTML."""
    minutes: int


class LessonsReply(TypedDict):
    """All lessons, in order."""

    lessons: list[LessonEntry]


class LessonBlock(TypedDict):
    """A part of a lesson, in the order of the text."""

    kind: Literal["prose", "figure", "question", "exercise", "mistake", "claim", "card", "references", "closing"]
    html: list[str]
    """Its text: prose, the caption of a figure, prompt, hint and answer of an exercise, belief and evidence of a
    mistake, what, shape, key fact and code of a card, and one reference each."""
    name: str
    """The name of a question or claim."""
    page: str
    """The page that a figure shows."""
    search: str
    """The state of that page, as a query string without the table."""
    table: str
    """The id of the table of a figure or question; "" for the reader's table."""


class LessonReply(TypedDict):
    """A lesson."""

    number: int
    title: str
    question: str
    minutes: int
    needs: list[LessonEntry]
    next: LessonEntry | None
    """The next lesson in order; None after the last one."""
    blocks: list[LessonBlock]


class LessonCard(TypedDict):
    """The card of a lesson."""

    number: int
    title: str
    html: list[str]
    """What, shape, key fact and code."""


class CardsReply(TypedDict):
    """The cards of all lessons, and the summary tables next to them."""

    title: str
    cards: list[LessonCard]
    tables: str
    """As HTML."""


class QuestionReply(TypedDict):
    """A question without its answer."""

    prompt: str
    kind: Literal["number", "choice", "slider"]
    options: list[str]
    low: float
    high: float
    step: float
    unit: str
    unavailable: str
    """Why the question cannot be asked about this table; "" if it can."""


class AnswerReply(Shown):
    """The computed answer to a question, after the reader's own."""

    right: bool
    value: float
    """The answer, or the index of the right option."""
    written: str
    search: str
    """The state of the question's figure that shows the answer; "" for the state that the lesson gives it."""
    explanation: str
    """As HTML, with the computed answer in an element of the class `computed`."""


class WhyLink(TypedDict):
    """A link that sets the state of a page."""

    title: str
    page: str
    search: str
    """The state, as a query string."""


class WhyReply(TypedDict):
    """Why a page shows what it shows; `html`, `belief` and `evidence` are HTML."""

    page: str
    title: str
    formula: str
    html: str
    belief: str
    """The common mistake."""
    evidence: str
    links: list[WhyLink]
