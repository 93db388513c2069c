"""`Lesson`: a parsed lesson with the module that computes its numbers and answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType

from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.question import Question
from rowspace_lab.lessons.source import Document, SourceError, Values, plain_text, read_document

__all__ = ["LESSONS", "NUMBERS", "TOPICS", "Lesson", "lesson", "lessons"]

TOPICS = (
    "ids", "one_hots", "gradients", "subwords", "geometry", "directions",
    "order", "positions", "scale", "head", "patches", "cost",
    "three_tables", "contextual", "adapting", "things", "search",
)  # fmt: skip
"""The names of the lessons' texts and modules; the first is lesson 1."""
NUMBERS = range(1, len(TOPICS) + 1)
"""The numbers of the lessons."""
WORDS_A_MINUTE = 200
"""A reading speed for texts with formulas."""
MINUTES_A_FIGURE = 1
"""To look at a figure and to predict what its question asks."""


@dataclass(frozen=True)
class Lesson:
    """A lesson: its number, its text, and the module with its functions."""

    number: int
    document: Document
    module: ModuleType

    @property
    def title(self) -> str:
        """The title."""
        return self.document.header["title"]

    @property
    def opening(self) -> str:
        """The question that the lesson opens with, as Markdown."""
        return self.document.header["question"]

    @property
    def needs(self) -> list[int]:
        """The numbers of the lessons that this one needs."""
        return [int(number) for number in self.document.header["needs"].split()]

    @property
    def words(self) -> int:
        """The number of words of prose, questions and answers, without formulas, values and exercises."""
        counted = [block for block in self.document.blocks if block.kind in {"prose", "figure", "question", "mistake"}]
        return len(" ".join(plain_text(part) for block in counted for part in block.parts).split())

    @property
    def minutes(self) -> int:
        """How long the lesson takes without its exercises: to read its words, and to look at its figures."""
        return round(self.words / WORDS_A_MINUTE + MINUTES_A_FIGURE * len(self.document.of("figure")))

    def values(self, lab: Lab) -> Values:
        """Return the values of the text, computed on a table."""
        return Values(self.module, lab)

    def question(self, name: str, table: Table, seed: int) -> Question:
        """Return a question of the lesson; `seed` 0 has the numbers of the text, other seeds have others.

        Raises:
            UsageError: The question cannot be asked about this table.
            SourceError: The lesson has no such question.
        """
        make: Callable[[Table, int], Question] | None = getattr(self.module, name, None)
        if make is None or name not in (block.argument for block in self.document.of("question")):
            raise SourceError(f"lesson {self.number} has no question {name!r}")
        return make(table, seed)


@cache
def lesson(number: int) -> Lesson:
    """Return a lesson."""
    topic = TOPICS[number - 1]
    module = import_module(f"rowspace_lab.lessons.computed.topics.{topic}")
    return Lesson(number, read_document(f"{topic}.md"), module)


def lessons() -> list[Lesson]:
    """Return all lessons, in order."""
    return list(LESSONS.values())


class _Lessons(Mapping[int, Lesson]):
    """The lessons of the package, each read when it is first needed."""

    def __getitem__(self, number: int) -> Lesson:
        return lesson(number)

    def __iter__(self) -> Iterator[int]:
        return iter(NUMBERS)

    def __len__(self) -> int:
        return len(NUMBERS)


LESSONS: Mapping[int, Lesson] = _Lessons()
