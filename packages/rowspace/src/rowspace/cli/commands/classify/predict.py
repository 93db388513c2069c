"""`rowspace classify predict`: texts → labels."""

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace.cli.arguments import AsJson
from rowspace.cli.output import print_json, print_line, shown
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["predict"]

TEXTS_AT_ONCE = 4096
PREDICTED = "predicted"
Labels = list[tuple[str, float]]
Input = tuple[str, dict[str, Any] | None]


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
        typer.Argument(
            metavar="TEXT",
            help="Texts; with --column, a file of records; the default is standard input.",
            show_default=False,
        ),
    ] = None,
    *,
    column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column with the text, of a file of records, or of JSON lines on standard input.",
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
    empty label. Of a file of records, each line is a JSON object with all columns of a record, and its labels and their
    probabilities as "predicted". Lines of standard input end with LF or CR LF; bytes that are not UTF-8 are replaced by
    U+FFFD, with a warning. Labels and probabilities of a model of fastText are those that fastText prints.

    Example:
      rowspace classify predict my-classifier "short, and funny"
      rowspace classify predict my-classifier -k 3 --threshold 0.1 < reviews.txt
      rowspace classify predict my-classifier reviews.csv --column body > labeled.jsonl
      rowspace classify predict my-classifier --column body < reviews.jsonl
      rowspace classify predict model.ftz < lines.txt
    """
    if texts and column is not None and len(texts) > 1:
        raise UsageError("--column is for one file of records; leave it out to give texts")
    find, documents = _finder(path, k, threshold), []
    for some in _batches(_inputs(texts, column)):
        for (text, values), found in zip(some, find([text for text, _ in some]), strict=True):
            listed = [{"label": label, "probability": value} for label, value in found]
            document = {"text": text, "labels": listed} if values is None else values | {PREDICTED: listed}
            if as_json:
                documents.append(document)
                continue
            if values is not None:
                print_json(document, indent=None)
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


def _inputs(texts: list[str] | None, column: str | None) -> Iterator[Input]:
    """Yield texts, and the values of their records if they are in a file of records."""
    from rowspace.learn.classifier.examples import text_records
    from rowspace.text.corpus import STANDARD_INPUT, read_lines
    from rowspace.text.corpus.examples_file import is_unicode

    if not texts or texts == [STANDARD_INPUT]:
        lines = read_lines(STANDARD_INPUT, named=True, column=column)
        yield from ((text, None) for text in chain.from_iterable(lines))
    elif column is not None:
        for place, text, values in text_records(texts[0], column=column):
            if PREDICTED in values:
                raise UsageError(f"{place}: the labels would replace the column {PREDICTED!r}; rename it")
            yield text, values
    else:
        for number, text in enumerate(texts, 1):
            if not is_unicode(text):
                raise UsageError(f"text {number}: not valid UTF-8; convert it to UTF-8")
            yield text, None


def _batches(inputs: Iterable[Input]) -> Iterator[list[Input]]:
    """Yield lists of texts, so that any number of lines fits in memory."""
    iterator = iter(inputs)
    while some := list(islice(iterator, TEXTS_AT_ONCE)):
        yield some
