"""Arguments and options that several commands share."""

from typing import Annotated, Literal

import typer

__all__ = ["AsJson", "Corpus", "Key", "Metric", "TablePath", "Words"]

Corpus = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CORPUS",
        help="Files (.gz, .xz, .bz2 and .zst too), folders, patterns, or - for standard input; the default is the "
        "standard library of this Python.",
    ),
]
TablePath = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="A table in any format: a folder saved by rowspace fit, word2vec, GloVe, .npz, ..."
    ),
]
Words = Annotated[list[str], typer.Argument(metavar="WORD", help="Words of the table.", show_default=False)]
Metric = Annotated[
    Literal["cosine", "dot", "euclidean"], typer.Option(help="How to compare rows; euclidean is a distance.")
]
Key = Annotated[
    str | None,
    typer.Option(
        "--key", help="The name of the tensor of rows in a safetensors file or a checkpoint.", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
