"""`rowspace dedupe`: a file of texts without its near-duplicates; `rowspace cluster`: texts → clusters with words."""

import time
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson
from rowspace.cli.output import message, print_json, print_line, print_table
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rowspace.grouping import Duplicates

__all__ = ["cluster", "dedupe"]

SHOWN = 5  # near-duplicates
TextFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A file with a text per line, or with records (JSON lines or arrays, CSV, TSV, Parquet).",
        show_default=False,
    ),
]
Column = Annotated[
    str | None, typer.Option(metavar="NAME", help="The column with the text, of records.", show_default=False)
]


def dedupe(
    file: TextFile,
    *,
    column: Column = None,
    threshold: Annotated[
        float, typer.Option(help="Least similarity of near-duplicates; 1 is the same words.", min=0.1, max=1.0)
    ] = 0.7,
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", help="Where to save what is kept, with all columns, in the same kind.", show_default=False
        ),
    ] = None,
    report: Annotated[
        str | None,
        typer.Option("--report", help="Where to save the near-duplicates, as JSON lines.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Leave out texts that nearly repeat an earlier one.

    The similarity of two texts is the share of 5-character sequences that they have in common; case, punctuation and
    white space make no difference. No pair is missed. The first text of each group is kept. Blank lines are left out.

    Example:
      rowspace dedupe messages.txt -o kept.txt
      rowspace dedupe reviews.csv --column text --threshold 0.9 -o kept.csv --report left-out.jsonl
    """
    import numpy as np  # not needed for help

    from rowspace.grouping import dedupe as find_duplicates
    from rowspace.grouping.keep import check_kept, check_lines_target, write_kept

    began = time.monotonic()
    if output is not None:
        if file == "-" and column is not None:
            raise UsageError("records of standard input are read once, but -o needs them twice; save them in a file")
        check_kept(file, output, column=column)
    if report is not None:
        check_lines_target(report)
        if Path(report).resolve() in {Path(each).resolve() for each in (file, output) if each is not None}:
            raise UsageError(f"the report would replace {report!r}, the input or the output; name another file")
    with cleanup_on_interrupt():
        lines, places = _read(file, column)
        texts = [lines[place] for place in places]
        found = find_duplicates(texts, threshold=threshold)
        if output is not None:
            is_kept = np.zeros(len(lines), np.bool_)
            is_kept[np.array(places, np.int64)[found.kept]] = True
            write_kept(file, output, is_kept, column=column, texts=lines)
        if report is not None:
            _write_report(report, texts, places, found)
    if as_json:
        print_json(
            {"file": file, "output": output, "threshold": threshold} | {"texts": len(texts), "kept": len(found.kept)}
        )
        return
    repeats = [(index, first) for index, first in enumerate(found.first.tolist()) if first != index]
    rows = [
        (f"{found.similarity[index]:.2f}", f"{places[index] + 1:,}", texts[index][:60], f"{places[first] + 1:,}")
        for index, first in repeats[:SHOWN]
    ]
    if rows:
        print_table("left out" if len(repeats) <= SHOWN else f"left out, the first {SHOWN}", _COLUMNS, rows, words=(2,))
    seconds = time.monotonic() - began
    counts = f"{plural(len(texts), 'text')}: {plural(len(repeats), 'near-duplicate')}, {len(found.kept):,} kept"
    print_line(f"{counts}, in {seconds:.1f} s")
    if output is not None:
        print_line(f"saved in {output}")


_COLUMNS = ("similarity", "number", "text", "repeats")


def _read(file: str, column: str | None) -> tuple[list[str], list[int]]:
    """Return the lines of a file or the texts of its records, and which are texts: blank lines are none."""
    from rowspace.text.corpus import read_lines

    lines = list(chain.from_iterable(read_lines(file, named=True, column=column)))
    return lines, [place for place, line in enumerate(lines) if column is not None or line.strip()]


def _write_report(path: str, texts: list[str], places: list[int], found: "Duplicates") -> None:
    """Write each near-duplicate, the text that it repeats, and their numbers from 1."""
    from rowspace._base.atomic import atomic_file
    from rowspace.grouping.keep import json_line
    from rowspace.text.characters import clean

    with atomic_file(path) as file:
        for index, (first, similarity) in enumerate(zip(found.first.tolist(), found.similarity.tolist(), strict=True)):
            if first != index:
                fields = {"number": places[index] + 1, "text": clean(texts[index]), "repeats": places[first] + 1}
                fields |= {"repeated": clean(texts[first]), "similarity": round(similarity, 4)}
                file.write(json_line(fields))


def cluster(
    file: TextFile,
    *,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="A table with a tokenizer, in any format; by default a table is learned from the texts.",
            show_default=False,
        ),
    ] = None,
    column: Column = None,
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
            "-o",
            "--output",
            help="Where to save the cluster of each text, as JSON lines (.jsonl) with all columns of a record.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Divide texts into clusters, and name each by its words.

    The words of a cluster are frequent in it and rarer elsewhere. A text without a known word is in no cluster, and
    blank lines are no texts. For less than about a thousand texts, name a --table that was learned from more.

    Example:
      rowspace cluster messages.txt
      rowspace cluster reviews.csv --column text --clusters 20 -o clusters.jsonl
    """
    from rowspace.grouping import cluster_texts  # not needed for help
    from rowspace.grouping.keep import MAX_RECORD
    from rowspace.text.corpus.records import read_records

    if output is not None:
        _check_clusters_target(output, file, column)
    lines, places = _read(file, column)
    texts = [lines[place] for place in places]
    if table is None:
        message("learning a table from the texts; name one by --table to use its vectors")
    found = cluster_texts(texts, table, clusters=clusters, words=words, seed=seed)
    if output is not None:
        with cleanup_on_interrupt():
            if column is not None:
                documents = (values for _, values in read_records(file, limit=MAX_RECORD))
            else:
                documents = ({"number": place + 1, "text": lines[place]} for place in places)
            _write_clusters(output, documents, found.labels.tolist())
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


def _check_clusters_target(output: str, file: str, column: str | None) -> None:
    """Raise UsageError if `output` cannot have the clusters of a file."""
    from rowspace.grouping.keep import JSON_LINES, MAX_RECORD, check_lines_target
    from rowspace.text.corpus.records import check_record_name, read_records

    check_lines_target(output)
    if not output.lower().endswith(JSON_LINES):
        raise UsageError(f"clusters are saved as JSON lines: the name {output!r} must end in {' or '.join(JSON_LINES)}")
    if column is None:
        return
    if file == "-":
        raise UsageError("records of standard input are read once, but -o needs them twice; save them in a file")
    check_record_name(file)
    if any("cluster" in each.values for each in read_records(file, limit=MAX_RECORD, columns={"column": column})):
        raise UsageError(f"{file}: the number of the cluster would replace the column 'cluster'; rename it")


def _write_clusters(path: str, documents: "Iterable[dict[str, Any]]", labels: list[int]) -> None:
    from rowspace._base.atomic import atomic_file
    from rowspace.grouping.keep import json_line

    with atomic_file(path) as file:
        for document, label in zip(documents, labels, strict=True):
            file.write(json_line(document | {"cluster": label if label >= 0 else None}))
