"""`rowspace classify`: learn a classifier, predict labels, and measure it."""

from typing import Annotated

import typer

__all__ = ["LabelColumn", "LabelSeparator", "TextColumn", "classify"]

TextColumn = Annotated[str, typer.Option(metavar="NAME", help="Of records, the column of texts.")]
LabelColumn = Annotated[str, typer.Option(metavar="NAME", help="Of records, the column of labels.")]
LabelSeparator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="The separator of labels in a cell, in files with records, such as ;.",
        show_default=False,
    ),
]


def classify() -> None:
    """Learn, use and measure a classifier of texts.

    Example:
      rowspace classify fit reviews.csv -o my-classifier
      rowspace classify predict my-classifier "short, and funny"
      rowspace classify test my-classifier more-reviews.csv
    """
