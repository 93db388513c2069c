"""`rowspace classify`: texts → labels, by a classifier of `rowspace tune --classifier`."""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated

import typer

from rowspace.cli.arguments import AsJson
from rowspace.cli.output import print_json, print_line, shown
from rowspace.errors import UsageError

__all__ = ["classify"]

TEXTS_AT_ONCE = 4096


def classify(
    path: Annotated[
        str,
        typer.Argument(metavar="CLASSIFIER", help="A classifier of rowspace tune --classifier.", show_default=False),
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Texts; the default is the lines of standard input.", show_default=False),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Print the label of each text, and its probability.

    Example:
      rowspace classify my-classifier "short, and funny"
      rowspace classify my-classifier < reviews.txt
    """
    from rowspace.learn.tuning.classifier import TextClassifier

    classifier = TextClassifier.load(path)
    labels, documents = classifier.classes_.tolist(), []
    for some in _batches(_unicode(texts, "text") if texts else _unicode(_lines(), "standard input: line")):
        for text, row in zip(some, classifier.predict_proba(some).tolist(), strict=True):
            best = max(row)
            label = labels[row.index(best)]
            if as_json:
                probabilities = dict(zip(map(str, labels), row, strict=True))
                documents.append({"text": text, "label": label, "probabilities": probabilities})
            else:
                print_line(f"{shown(str(label))}\t{best:.3f}\t{shown(text)}")
    if as_json:
        print_json({"classifier": path, "texts": documents})


def _lines() -> Iterator[str]:
    """Yield the lines of standard input, with surrogates for bytes that are not UTF-8."""
    if sys.stdin is None:
        raise UsageError("standard input is closed; pipe lines of text into it, or give texts")
    for line in typer.get_text_stream("stdin", encoding="utf-8", errors="surrogateescape"):
        yield line.rstrip("\r\n")


def _unicode(texts: Iterable[str], place: str) -> Iterator[str]:
    """Yield texts, which must be Unicode: bytes in another encoding would be unknown words."""
    for number, text in enumerate(texts, 1):
        if any("\ud800" <= character <= "\udfff" for character in ("" if text.isascii() else text)):
            raise UsageError(f"{place} {number}: not valid UTF-8; convert it to UTF-8")
        yield text


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield lists of texts, so that any number of lines fits in memory."""
    iterator = iter(texts)
    while some := list(islice(iterator, TEXTS_AT_ONCE)):
        yield some
