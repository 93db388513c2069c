"""Arguments and options that several commands have, with one meaning everywhere."""

from typing import Annotated, Literal

import typer

__all__ = ["AsJson", "Key", "Metric", "TablePath", "Words"]

TablePath = Annotated[
    str,
    typer.Argument(
        metavar="TABLE", help="A table in any format: a folder that rowspace fit has saved, word2vec, GloVe, .npz, ..."
    ),
]
Words = Annotated[list[str], typer.Argument(metavar="WORD", help="Words of the table.", show_default=False)]
Metric = Annotated[
    Literal["cosine", "dot", "euclidean"], typer.Option(help="How near rows are; euclidean is a distance.")
]
Key = Annotated[
    str | None,
    typer.Option("--key", help="The tensor of rows, of a safetensors file or a checkpoint.", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead.")]
