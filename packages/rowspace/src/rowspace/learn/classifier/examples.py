"""Texts with labels, from fastText's format or from files of records (CSV, TSV, JSON lines, Parquet)."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from rowspace.errors import FileFormatError
from rowspace.text.corpus.examples_file import is_unicode, read_examples
from rowspace.text.corpus.record_columns import no_text, place_of, text_in, value_in
from rowspace.text.corpus.records import RECORD_NAMES, has_records, read_records

__all__ = ["Examples", "read_labeled_texts", "text_records"]

PREFIX = "__label__"
MAX_RECORD = 100_000_000  # bytes


class Examples(NamedTuple):
    """Texts and their labels.

    Attributes:
        texts: n texts.
        labels: A label for each, or a list of labels for each.
        left_out: The number of lines without a label in fastText's format.
    """

    texts: list[str]
    labels: list[Any]
    left_out: int = 0


def read_labeled_texts(
    path: str | os.PathLike[str],
    *,
    column: str = "text",
    label_column: str = "label",
    label_separator: str | None = None,
) -> Examples:
    r"""Read texts with labels.

    Args:
        path: Records if the name ends in .jsonl, .ndjson, .json, .csv, .tsv or .parquet, perhaps compressed; else lines
            in fastText's format, in which each word that begins with `__label__` is a label of the line; '-' is
            standard input.
        column: Of records, the column of texts; dots separate nested names.
        label_column: Of records, the column of labels, likewise: strings, whole numbers, true and false, or lists of
            these.
        label_separator: The separator of labels in a string; None if a string is one label.

    Returns:
        The texts and labels. Labels are lists if a text has several, or if a separator is given.

    Raises:
        UsageError: No file is at `path`, or a column is missing.
        FileFormatError: A record or a line is damaged; the message has its number.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "reviews.txt")
    ...     _ = file.write_text("__label__good short, and funny\n__label__bad too long\n")
    ...     read_labeled_texts(file)
    Examples(texts=['short, and funny', 'too long'], labels=['good', 'bad'], left_out=0)
    """
    if not has_records(Path(path), arrays=True):
        return _of_lines(path)
    texts, labels = [], list[Any]()
    for place, text, values in text_records(path, column=column, label_column=label_column):
        texts.append(text)
        labels.append(_checked(_divided(value_in(values, label_column), label_separator), place))
    if not texts:
        raise FileFormatError(f"{path}: has no records; give {_expected()}")
    if any(isinstance(label, list) for label in labels):
        labels = [label if isinstance(label, list) else [label] for label in labels]
    if len({type(each) for label in labels for each in (label if isinstance(label, list) else [label])}) > 1:
        labels = [[str(each) for each in label] if isinstance(label, list) else str(label) for label in labels]
    return Examples(texts, labels)


def _expected() -> str:
    return f"lines with {PREFIX}, or records in a file whose name ends in {', '.join((*RECORD_NAMES, '.json'))}"


def text_records(
    path: str | os.PathLike[str], *, column: str, label_column: str | None = None
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the place of each record of a file, for messages, the text in a column, and its values by column."""
    columns = {"column": column, "label_column": label_column}
    for line, values in read_records(Path(path), limit=MAX_RECORD, columns=columns):
        place = place_of(path, line)
        text = text_in(place, values, column)
        if not is_unicode(text):
            raise FileFormatError(f"{place}: {no_text(column, text)}")
        yield place, text, values


def _divided(label: Any, separator: str | None) -> Any:
    if isinstance(label, str) and separator:
        return [each.strip() for each in label.split(separator) if each.strip()]
    return label


def _checked(label: Any, place: str) -> Any:
    given = label if isinstance(label, list) else [label]
    for each in given:
        is_text = isinstance(each, str) and each.strip() and is_unicode(each)
        if not (is_text or isinstance(each, int)):
            found = "there is no label" if each is None else f"the label is {each!r:.60}"
            raise FileFormatError(
                f"{place}: {found}, expected a string, a whole number, true or false; repair the record"
            )
    return label


def _of_lines(path: str | os.PathLike[str]) -> Examples:
    texts, labels, left_out = list[str](), list[Any](), 0
    for number, line in enumerate(read_examples(path, _expected()).split("\n"), 1):
        first, _, rest = line.partition(" ")
        label = first.removeprefix(PREFIX)
        if label is not first and label.split() == [label] and PREFIX not in rest:  # as most lines are
            is_plain = rest.isprintable() and "  " not in rest  # no blank but single spaces
            texts.append(rest.strip() if is_plain else " ".join(rest.split()))
            labels.append(label)
            continue
        words = line.split()
        found = [word.removeprefix(PREFIX) for word in words if word.startswith(PREFIX)]
        if "" in found:
            raise FileFormatError(f"{path}: line {number}: {PREFIX} without a name; add one, such as {PREFIX}good")
        if found:
            texts.append(" ".join(word for word in words if not word.startswith(PREFIX)))
            labels.append(found if len(found) > 1 else found[0])
        elif words:
            left_out += 1
    if not texts:
        raise FileFormatError(f"{path}: no line has a label such as {PREFIX}good; give {_expected()}")
    if any(isinstance(label, list) for label in labels):
        labels = [label if isinstance(label, list) else [label] for label in labels]
    return Examples(texts, labels, left_out)
