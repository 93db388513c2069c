"""`rowspace classify`: texts → labels, by a classifier of `rowspace tune --classifier`."""

import sys
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Annotated

import typer

from rowspace.cli.arguments import AsJson
from rowspace.cli.output import print_json, print_line, shown

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
    for some in _batches(texts or (line.rstrip("\r\n") for line in sys.stdin)):
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


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield lists of texts, so that any number of lines fits in memory."""
    iterator = iter(texts)
    while some := list(islice(iterator, TEXTS_AT_ONCE)):
        yield some
