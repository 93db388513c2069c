"""`rowspace classify predict`: texts → labels."""

import sys
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rowspace.cli.arguments import AsJson
from rowspace.cli.output import print_json, print_line, shown
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["predict"]

TEXTS_AT_ONCE = 4096
Labels = list[tuple[str, float]]


def predict(
    path: Annotated[
        str,
        typer.Argument(
            metavar="CLASSIFIER",
            help="A classifier of rowspace classify fit, or a supervised model of fastText (.bin, .ftz).",
            show_default=False,
        ),
    ],
    texts: Annotated[
        list[str] | None,
        typer.Argument(metavar="TEXT", help="Texts; the default is the lines of standard input.", show_default=False),
    ] = None,
    *,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column with the text, if standard input has JSON lines.",
            show_default=False,
        ),
    ] = None,
    k: Annotated[int, typer.Option("-k", help="The number of labels of each text.", min=1, max=1_000_000)] = 1,
    threshold: Annotated[
        float, typer.Option(help="Leave out labels with a lower probability.", min=0.0, max=1.0)
    ] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Print the most probable labels of each text, and their probabilities.

    Each line has a label, its probability, and the text. A text without a label above --threshold has one line with an
    empty label. Labels and probabilities of a model of fastText are those that fastText prints.

    Example:
      rowspace classify predict my-classifier "short, and funny"
      rowspace classify predict my-classifier -k 3 --threshold 0.1 < reviews.txt
      rowspace classify predict my-classifier --column body < reviews.jsonl
      rowspace classify predict model.ftz < lines.txt
    """
    if texts and column is not None:
        raise UsageError("--column is for records of standard input; leave it out, or leave out the texts")
    find, documents = _finder(path, k, threshold), []
    for some in _batches(_unicode(texts, "text") if texts else _unicode(_lines(column), "standard input: line")):
        for text, found in zip(some, find(some), strict=True):
            if as_json:
                documents.append(
                    {"text": text, "labels": [{"label": label, "probability": value} for label, value in found]}
                )
                continue
            for label, value in found:
                print_line(f"{shown(label)}\t{value:.3f}\t{shown(text)}")
            if not found:
                print_line(f"\t\t{shown(text)}")
    if as_json:
        print_json({"classifier": path, "texts": documents})


def _finder(path: str, k: int, threshold: float) -> "Callable[[list[str]], list[Labels]]":
    """Return a function from texts to the labels of each."""
    if Path(path).is_file():
        from rowspace.learn.classifier.rows.fasttext_file import read_model

        model = read_model(path)
        return lambda texts: model.predict(texts, k=k, threshold=threshold)
    from rowspace.learn.classifier.classifier import Classifier

    classifier = Classifier.load(path)
    return lambda texts: classifier.top(texts, k=k, threshold=threshold)


def _lines(column: str | None) -> Iterator[str]:
    """Yield the lines of standard input, with surrogates for bytes that are not UTF-8, or the texts of its records."""
    if column is not None:
        from rowspace.text.corpus import STANDARD_INPUT, read_lines

        yield from chain.from_iterable(read_lines(STANDARD_INPUT, named=True, column=column))
        return
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
