"""`rowspace cluster`: texts → clusters, with labels from their words."""

import json
from itertools import chain
from typing import Annotated

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson
from rowspace.cli.interruption import cleanup_on_interrupt
from rowspace.cli.output import message, print_json, print_line, print_table

__all__ = ["cluster"]


def cluster(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="A file with a text per line, or with records (JSON lines or arrays, CSV, TSV, Parquet).",
            show_default=False,
        ),
    ],
    *,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="A table with a tokenizer, in any format; by default a table is learned from the texts.",
            show_default=False,
        ),
    ] = None,
    column: Annotated[
        str | None, typer.Option(metavar="NAME", help="The column with the text, of records.", show_default=False)
    ] = None,
    clusters: Annotated[
        int | None,
        typer.Option(
            help="The number of clusters; by default the square root of half of the texts, at most 100.",
            min=1,
            show_default=False,
        ),
    ] = None,
    words: Annotated[int, typer.Option(help="The number of words of each cluster.", min=1, max=50_000)] = 4,
    seed: Annotated[int, typer.Option(help="Seed of the first centers.", min=0)] = 0,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", help="Where to save the cluster of each text, as JSON lines.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Divide texts into clusters, and name each by its words.

    The words of a cluster are frequent in it and rarer elsewhere. A text without a known word is in no cluster. For
    less than about a thousand texts, name a --table that was learned from more.

    Example:
      rowspace cluster messages.txt
      rowspace cluster reviews.csv --column text --clusters 20 -o clusters.jsonl
    """
    from rowspace._base.atomic import atomic_file, check_file_target
    from rowspace.grouping import cluster_texts  # not needed for help
    from rowspace.text.characters import clean
    from rowspace.text.corpus import read_lines

    if output is not None:
        check_file_target(output)
    texts = list(chain.from_iterable(read_lines(file, named=True, column=column)))
    if table is None:
        message("learning a table from the texts; name one by --table to use its vectors")
    found = cluster_texts(texts, table, clusters=clusters, words=words, seed=seed)
    if output is not None:
        with cleanup_on_interrupt(), atomic_file(output) as target:
            for number, (text, label) in enumerate(zip(texts, found.labels.tolist(), strict=True), 1):
                line = {"number": number, "cluster": label if label >= 0 else None, "text": clean(text)}
                target.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    if as_json:
        listed = [
            {"cluster": label, "texts": size, "words": named, "nearest": [texts[index] for index in nearest]}
            for label, (size, named, nearest) in enumerate(
                zip(found.sizes.tolist(), found.words, found.nearest, strict=True)
            )
        ]
        print_json({"file": file, "texts": len(texts), "clusters": listed})
        return
    rows = [
        (str(label), f"{size:,}", ", ".join(named), texts[nearest[0]][:60])
        for label, (size, named, nearest) in enumerate(zip(found.sizes, found.words, found.nearest, strict=True))
    ]
    print_table(file, ("cluster", "texts", "words", "nearest to the center"), rows, words=(2, 3))
    unknown = int((found.labels < 0).sum())
    print_line(
        f"{plural(len(texts), 'text')} in {plural(len(rows), 'cluster')}"
        + (f", {unknown:,} in none" if unknown else "")
    )
    if output is not None:
        print_line(f"saved in {output}")
