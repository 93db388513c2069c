"""The accuracy on a file of analogies, section by section.

The rules, and so the numbers, are those of gensim's `evaluate_word_analogies`, except that malformed lines are an error
here; gensim drops them. All questions are answered in one batched search.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FileFormatError
from rowspace.space.analogy import cos_add
from rowspace.space.evaluation.files import first_ids, numbered_lines
from rowspace.space.neighbors import MEMORY, Answer

__all__ = ["AnalogyScores", "AnsweredAnalogies", "SectionScore", "answer_analogies", "evaluate_analogies"]

Ids = NDArray[np.int64]

GUESSES = 5
"""Answers to a question, of which the first that is not an input in another case counts; gensim has as many."""


@dataclass(frozen=True)
class SectionScore:
    """The number of correct answers of a section."""

    name: str
    correct: int
    total: int

    @property
    def accuracy(self) -> float:
        """Return correct / total; 0 for a section without questions, as in gensim.

        >>> SectionScore("family", 3, 4).accuracy
        0.75
        """
        return self.correct / self.total if self.total else 0.0


@dataclass(frozen=True)
class AnalogyScores:
    """The sections in the order of the file, their sum, and the percentage of questions with unknown words."""

    sections: tuple[SectionScore, ...]
    total: SectionScore
    oov_ratio: float

    @property
    def accuracy(self) -> float:
        """Return the accuracy over all sections.

        >>> AnalogyScores((), SectionScore("Total accuracy", 1, 2), 0.0).accuracy
        0.5
        """
        return self.total.accuracy


@dataclass(frozen=True, eq=False)
class AnsweredAnalogies:
    """The n questions of a file, and which were answered right.

    Attributes:
        names: the sections.
        sections: for each question the number of its section.
        words: the four words of each question, in upper case if case is ignored.
        known: (n,) bool, whether all four words are known.
        correct: (n,) bool, whether it was answered right.
    """

    names: tuple[str, ...]
    sections: list[int]
    words: list[list[str]]
    known: NDArray[np.bool_]
    correct: NDArray[np.bool_]

    def questions(self) -> Iterator[tuple[tuple[str, ...], int, bool, bool]]:
        """Yield each question's words, the number of its section, whether it is known, and whether it is correct."""
        flags = zip(self.known.tolist(), self.correct.tolist(), strict=True)
        for words, section, (known, correct) in zip(self.words, self.sections, flags, strict=True):
            yield tuple(words), section, known, correct


def evaluate_analogies(
    path: str | Path,
    vocabulary: Sequence[str],
    rows: NDArray[np.floating[Any]],
    *,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    dummy4unknown: bool = False,
    row_norms: NDArray[np.float64] | None = None,
    memory: int = MEMORY,
) -> AnalogyScores:
    r"""Answer the "a b c expected" questions of a file with 3CosAdd over `rows` (V, d), section by section.

    Lines ": name" start sections. The three inputs, in any case, are not answers.

    Args:
        path: a text file in UTF-8.
        vocabulary: V tokens.
        rows: (V, d).
        restrict_vocab: use only the first `restrict_vocab` tokens.
        case_insensitive: ignore case.
        dummy4unknown: count a question with an unknown word as wrong instead of skipping it.
        row_norms: (V,) float64; computed if omitted.
        memory: as for `nearest`.

    Raises:
        FileFormatError: the file cannot be read or has no questions, or a line is malformed or a question before the
            first section (with its number).

    >>> import tempfile
    >>> from pathlib import Path
    >>> vocabulary = ["man", "king", "woman", "queen"]
    >>> rows = np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "questions.txt")
    ...     _ = path.write_text(": royal\nman king woman queen\nman king woman throne\n")
    ...     evaluate_analogies(path, vocabulary, rows).total
    SectionScore(name='Total accuracy', correct=1, total=1)
    """
    answered = answer_analogies(
        path,
        vocabulary,
        rows,
        restrict_vocab=restrict_vocab,
        case_insensitive=case_insensitive,
        row_norms=row_norms,
        memory=memory,
    )
    known, correct = answered.known, answered.correct
    counted = np.ones_like(known) if dummy4unknown else known
    size = len(answered.names)
    sums = (np.bincount(answered.sections, each, size).astype(int).tolist() for each in (correct, counted))
    scores = tuple(map(SectionScore, answered.names, *sums))
    total = SectionScore("Total accuracy", int(correct.sum()), int(counted.sum()))
    return AnalogyScores(scores, total, float(100 * (~known).mean()))


def answer_analogies(
    path: str | Path,
    vocabulary: Sequence[str],
    rows: NDArray[np.floating[Any]],
    *,
    restrict_vocab: int | None = 300_000,
    case_insensitive: bool = True,
    row_norms: NDArray[np.float64] | None = None,
    memory: int = MEMORY,
    solve: Callable[..., Answer] = cos_add,
) -> AnsweredAnalogies:
    """Answer every question of a file of analogies; arguments and errors are those of `evaluate_analogies`.

    Args:
        path: a text file in UTF-8.
        vocabulary: V tokens.
        rows: (V, d).
        restrict_vocab: use only the first `restrict_vocab` tokens.
        case_insensitive: ignore case.
        row_norms: (V,) float64; computed if omitted.
        memory: as for `nearest`.
        solve: `cos_add`, or a function with its arguments and results.
    """
    names, sections, words = _read(path, case_insensitive)
    ids = first_ids(vocabulary, restrict_vocab, case_insensitive)
    questions = np.array([[ids.get(word, -1) for word in line] for line in words], np.int64)  # (n, 4)
    known = np.all(questions >= 0, axis=1)
    correct = np.zeros(len(questions), bool)
    norms = None if row_norms is None else row_norms[:restrict_vocab]
    if known.any():
        guesses, _ = solve(rows[:restrict_vocab], questions[known, :3], GUESSES, row_norms=norms, memory=memory)
        if case_insensitive:
            guesses = _first_variants(guesses, vocabulary, ids)
        correct[known] = _is_correct(guesses, questions[known])
    return AnsweredAnalogies(tuple(names), sections, words, known, correct)


def _read(path: str | Path, case_insensitive: bool) -> tuple[list[str], list[int], list[list[str]]]:
    """Return the names of the sections and, for each question, its section and its four words."""
    names: list[str] = []
    sections: list[int] = []
    words: list[list[str]] = []
    for number, line in numbered_lines(path):
        if line.startswith(":"):
            names.append(line.lstrip(": ").strip())
            continue
        if not names:
            raise FileFormatError(f"{path}, line {number}: a question before the first ': section' line")
        fields = (line.upper() if case_insensitive else line).split()
        if len(fields) != 4:
            raise FileFormatError(f"{path}, line {number}: expected four words, got {line[:60]!r}")
        sections.append(len(names) - 1)
        words.append(fields)
    if not words:
        raise FileFormatError(f"{path} has no questions; expected lines of four words: a b c expected")
    return names, sections, words


def _first_variants(guesses: Ids, vocabulary: Sequence[str], ids: dict[str, int]) -> Ids:
    """Replace each guess by the first id of its token in any case; -1 stays."""
    first = {row: ids[vocabulary[row].upper()] for row in np.unique(guesses).tolist() if row >= 0} | {-1: -1}
    return np.array([first[row] for row in guesses.ravel().tolist()], np.int64).reshape(guesses.shape)


def _is_correct(guesses: Ids, questions: Ids) -> NDArray[np.bool_]:
    """Return for each question (n, 4) whether its first guess (n, g) that is not an input is correct."""
    inputs = (guesses[:, :, np.newaxis] == questions[:, np.newaxis, :3]).any(axis=2)  # (n, g)
    found = guesses >= 0
    usable = ~inputs & found
    # If every guess is an input in another case, gensim uses the last one.
    place = np.where(usable.any(axis=1), usable.argmax(axis=1), found.sum(axis=1) - 1)
    correct: NDArray[np.bool_] = guesses[np.arange(len(guesses)), place] == questions[:, 3]
    return correct
