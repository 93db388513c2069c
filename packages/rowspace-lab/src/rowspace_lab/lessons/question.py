"""`Question`: what the reader predicts, and the function that computes the answer afterwards."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.source.values import quantity

__all__ = ["Question", "choice", "number", "slider"]

Kind = Literal["number", "choice", "slider"]


@dataclass(frozen=True)
class Question:
    """A question about a table; its text is in the lesson, with `{name}` for each of `fields`.

    Attributes:
        kind: How the reader answers: types a number, chooses an option, or moves a slider.
        answer: Computes the answer: a number, an option's index, or a mapping with `answer` and the fields of the
            explanation. It is a figure function with all arguments bound but `table`, so that its code can be shown.
        fields: Values of the prompt.
        options: The options of a choice.
        range: The low end, the high end and the step of a slider.
        tolerance: Maximum distance of a right number from the answer.
        relative: Whether `tolerance` is a share of the answer.
        unit: Written after the number.
    """

    kind: Kind
    answer: "partial[Any]"
    fields: Mapping[str, object] = field(default_factory=dict)
    options: Sequence[str] = ()
    range: tuple[float, float, float] = (0.0, 1.0, 0.01)
    tolerance: float = 0.0
    relative: bool = False
    unit: str = ""

    def computed(self, table: Table) -> dict[str, Any]:
        """Return the mapping of the computed answer."""
        takes_table = "table" in inspect.signature(self.answer).parameters
        result = self.answer(table) if takes_table else self.answer()
        return dict(result) if isinstance(result, Mapping) else {"answer": result}

    def accepts(self, guess: float, answer: float) -> bool:
        """Compare a reader's number, or the index of an option, with the computed answer."""
        return abs(guess - answer) <= self.margin(answer)

    def margin(self, answer: float) -> float:
        """Return the largest distance of a right number from the computed answer; 0 for an option."""
        return 0.0 if self.kind == "choice" else self.tolerance * (abs(answer) if self.relative else 1) + 1e-12

    def written(self, answer: float) -> str:
        """Return a computed answer as text."""
        if self.kind == "choice":
            return self.options[int(answer)]
        worded = quantity(answer)
        return worded if isinstance(answer, float) or not worded[-1].isalpha() else f"{worded} ({answer:,})"


def number(
    answer: "partial[Any]", *, tolerance: float = 0.0, relative: bool = False, unit: str = "", **fields: object
) -> Question:
    """Return a question that is answered by a number.

    >>> question = number(partial(round, 3.7), tolerance=1)
    >>> question.accepts(5, 4), question.accepts(6, 4)
    (True, False)
    """
    return Question("number", answer, fields, tolerance=tolerance, relative=relative, unit=unit)


def choice(options: Sequence[str], answer: "partial[Any]", **fields: object) -> Question:
    """Return a question that is answered by an option; `answer` computes its index, from 0."""
    if len(set(options)) < len(options):
        raise UsageError(f"two options of the question are equal: {', '.join(options)}")
    return Question("choice", answer, fields, options=tuple(options))


def slider(
    range: tuple[float, float, float], answer: "partial[Any]", *, tolerance: float, unit: str = "", **fields: object
) -> Question:
    """Return a question that is answered by a slider with a low end, a high end and a step."""
    return Question("slider", answer, fields, range=range, tolerance=tolerance, unit=unit)
