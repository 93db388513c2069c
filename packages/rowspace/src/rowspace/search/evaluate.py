"""Queries with the files that answer them → how well an index finds these files."""

import json
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from rowspace.errors import FileFormatError, UsageError
from rowspace.search.index import Index
from rowspace.search.ranking.scores import Mode
from rowspace.text.corpus.examples_file import is_unicode, read_examples

__all__ = ["Question", "SearchScores", "evaluate_search", "first_rank", "read_questions"]

_DEPTH = 50  # passages of a search, whose distinct files are ranked


class Question(NamedTuple):
    """A query, and the files that answer it.

    Attributes:
        query: Words or a question.
        files: Each is an answer. A path that is absolute, or begins with ./ or ../, is one file; others are all files
            whose path ends so, such as each __init__.py. Of an index of records, their ids.
        kind: Questions of one kind get scores of their own; "" is no kind.
    """

    query: str
    files: Sequence[str]
    kind: str = ""


class SearchScores(NamedTuple):
    """How well a mode of search finds the files that answer questions.

    Attributes:
        mode: The mode of `Index.search`.
        kind: The kind of the questions; "" for all questions.
        questions: Their number.
        recall_1: The share of them whose first file is an answer.
        recall_5: The share of them that have an answer among the first five files.
        mrr_10: The mean of 1 / rank of the first answer, which is 0 beyond the tenth file (mean reciprocal rank).
    """

    mode: str
    kind: str
    questions: int
    recall_1: float
    recall_5: float
    mrr_10: float

    @classmethod
    def of(cls, ranks: Collection[int | None], mode: str, kind: str = "") -> "SearchScores":
        """Return the scores of ranks as `first_rank` returns them.

        >>> SearchScores.of([1, 4, None, 20], "dense")
        SearchScores(mode='dense', kind='', questions=4, recall_1=0.25, recall_5=0.5, mrr_10=0.3125)
        """
        found = [rank for rank in ranks if rank is not None and rank <= 10]
        sums = (found.count(1), sum(rank <= 5 for rank in found), sum(1 / rank for rank in found))
        return cls(mode, kind, len(ranks), *(each / len(ranks) for each in sums))


def evaluate_search(index: Index, questions: str | Path | Iterable[Question]) -> list[SearchScores]:
    """Return how well an index finds the files that answer questions, in each mode of search.

    A question counts by the rank of the first file that answers it, among the distinct files of 50 passages.

    Args:
        index: The index.
        questions: Questions, or a file of them as for `read_questions`.

    Returns:
        The scores of all questions by mode, then those of each kind.

    Raises:
        UsageError: If there are no questions, an item is not one, or the index does not have a file; the message names
            the question.
        FileFormatError: If the file has a wrong line.
    """
    numbered = _numbered(questions)
    if not numbered:
        raise UsageError("there are no questions; give at least one, with a query and files")
    known = _Known(index)
    asked = [(each, known.answers(each, place)) for place, each in numbered.items()]
    kinds = ["", *dict.fromkeys(each.kind for each, _ in asked if each.kind)]
    ranks = {mode: [_rank(index, each, right, mode) for each, right in asked] for mode in get_args(Mode)}
    return [
        SearchScores.of(
            [rank for rank, (each, _) in zip(ranks[mode], asked, strict=True) if kind in ("", each.kind)], mode, kind
        )
        for kind in kinds
        for mode in ranks
    ]


def first_rank(found: Iterable[str], right: Collection[str]) -> int | None:
    """Return the rank of the first of the right files, from 1 among distinct files; None if none was found.

    >>> first_rank(["a", "a", "b", "c"], {"c", "b"})
    2
    """
    return next((rank for rank, file in enumerate(dict.fromkeys(found), 1) if file in right), None)


def read_questions(path: str | Path) -> dict[int, Question]:
    """Read the questions of a file; blank lines are left out.

    Args:
        path: UTF-8. Each line is a JSON object with "query", "files" (a list of paths or ids) and optionally "kind".

    Returns:
        The questions by their lines, from 1.

    Raises:
        UsageError: If nothing is at `path`.
        FileFormatError: If a line is not a question; the message has its number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "queries.jsonl")
    ...     _ = file.write_text('{"query": "open a file", "files": ["io.py"]}')
    ...     read_questions(file)
    {1: Question(query='open a file', files=('io.py',), kind='')}
    """
    questions = {}
    for number, line in enumerate(read_examples(path, 'JSON lines with "query" and "files"').split("\n"), 1):
        if line.strip():
            try:
                questions[number] = _question(line)
            except ValueError as error:
                raise FileFormatError(f"{path}: line {number}: {error}; repair the line or remove it") from None
    return questions


def _question(line: str) -> Question:
    """Return the question of a line; raises `ValueError` with the reason."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not valid JSON") from None
    if not isinstance(found, dict):
        raise ValueError("not a JSON object")
    query, files, kind = found.get("query"), found.get("files"), found.get("kind", "")
    if not isinstance(query, str) or not query.strip():
        raise ValueError('"query" is missing, empty or not text')
    if not isinstance(files, list) or not files or not all(isinstance(file, str) and file for file in files):
        raise ValueError('"files" must be a list of one or more paths')
    if not isinstance(kind, str):
        raise ValueError('"kind" is not text')
    if not all(is_unicode(text) and "\0" not in text for text in (query, kind, *files)):
        raise ValueError("a text has NUL or half a surrogate pair")
    return Question(query, tuple(files), kind)


def _numbered(questions: str | Path | Iterable[Question]) -> dict[str, Question]:
    """Return questions by their places in messages."""
    if isinstance(questions, str | Path):
        return {f"{questions}: line {number}": each for number, each in read_questions(questions).items()}
    if not isinstance(questions, Iterable):
        raise UsageError(f"questions must be a list of Question or the path of a file, not {type(questions).__name__}")
    numbered = {f"question {number}": each for number, each in enumerate(questions, 1)}
    for place, each in numbered.items():
        if not isinstance(each, Question) or isinstance(each.files, str):
            raise UsageError(f"{place} must be a Question(query, [file]), not {each!r:.80}")
    return numbered


class _Known:
    """The files of an index, or the ids of its records."""

    def __init__(self, index: Index) -> None:
        self._paths, self._has_files = set(index.files()), index.settings.records is None
        self._by_name: dict[str, list[str]] = {}
        for path in self._paths:
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def answers(self, question: Question, place: str) -> set[str]:
        """Return the paths, or the ids, that answer a question."""
        return {path for file in question.files for path in self._named(file, place)}

    def _named(self, file: str, place: str) -> Collection[str]:
        if file in self._paths:
            return [file]
        if not self._has_files:
            raise UsageError(f"{place}: the index has no record with the id {file!r}; give the id of a record")
        end, found = os.path.normpath(file), set[str]()
        if not file.startswith(("/", "./", "../")):
            found = {path for path in self._by_name.get(Path(end).name, ()) if path.endswith(f"/{end}")}
        found = found or self._paths & {os.path.realpath(file)}
        if not found:
            raise UsageError(
                f"{place}: the index has no file {file!r}; give a path that is absolute, begins with ./ or ../, or is "
                "the end of the path of a file"
            )
        return found


def _rank(index: Index, question: Question, right: Collection[str], mode: Mode) -> int | None:
    return first_rank((hit.path for hit in index.search(question.query, k=_DEPTH, mode=mode)), right)
