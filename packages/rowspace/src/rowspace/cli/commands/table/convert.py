"""`rowspace convert`: a table in one format → the same table in another."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, Key, TablePath
from rowspace.cli.lookup import open_table
from rowspace.cli.output import file_size, message, print_json
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["convert"]


def convert(
    path: TablePath,
    output: Annotated[str, typer.Argument(metavar="OUTPUT", help="Where to write; the suffix selects the format.")],
    *,
    format: Annotated[
        str | None, typer.Option("--format", help="The format to write, regardless of the suffix.", show_default=False)
    ] = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Convert only the first rows.", show_default=False)
    ] = None,
    key: Key = None,
    quantize: Annotated[
        Literal["int8", "binary", "pq"] | None,
        typer.Option(
            "--quantize",
            help="Write rows in fewer bits: int8 as a model2vec folder, which model2vec opens with the same rows "
            "(sentence-transformers ignores their scales); binary (a bit for each number) and pq (a byte for four) as "
            "a folder that only rowspace opens.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a table in another format.

    The suffix selects the format: .npz, .npy, .safetensors, .parquet, .arrow, .feather, .tsv, .bin (word2vec), .vec or
    .txt (word2vec's text form); any other name is a folder that model2vec and sentence-transformers can also open.

    Example:
      rowspace convert my-table my-table.bin
      rowspace convert vectors.txt first-rows --limit 50000
      rowspace convert a-checkpoint its-tokens
      rowspace convert my-table my-small-table --quantize int8
    """
    from rowspace import store  # not needed for help
    from rowspace.store.formats import format_to_write

    if quantize is None:
        store.check_target(output, format=format)
    else:
        _check_quantized(output, quantize, format)
    table = open_table(path, limit=limit, key=key)
    quantized: dict[str, Any] = {}
    with cleanup_on_interrupt():
        if quantize is None:
            store.save(table, output, format=format)
        else:
            quantized = _save_quantized(table, output, quantize)
    source = store.format_of(path)
    target = format_to_write(output, format) if quantize is None else store.format_of(output)
    facts: dict[str, Any] = {
        "table": path,
        "format": source.name,
        "output": output,
        "output_format": target.name,
        "num_embeddings": len(table),
        "embedding_dim": table.dim,
        **quantized,
    }
    if as_json:
        print_json(facts)
        return
    is_lossy = table.counts is not None and not target.has_counts
    lost = "; the format has no counts, so they are lost" if is_lossy else ""
    message(
        f"wrote {plural(len(table), 'row')} × {table.dim} of {path} ({source.name}) to {output} ({target.name}){lost}"
    )


def _check_quantized(output: str, kind: str, format: str | None) -> None:
    """Raise an error if quantized rows cannot be written to `output`."""
    from rowspace import store

    suffix = Path(output).suffix.lower()
    known = next((each.name for each in store.FORMATS if suffix in each.suffixes), None)
    if format is None and known is not None:
        raise UsageError(
            f"{output}: a {known} file cannot hold {kind} rows; give the name of a folder, without {suffix}"
        )
    store.check_quantized_target(output, kind, format=format)


def _save_quantized(table: "Table", output: str, kind: Literal["int8", "binary", "pq"]) -> dict[str, Any]:
    """Quantize the rows, print how many neighbors they keep, and write them; return the facts."""
    from rowspace import space, store

    rows = space.quantize(table.rows, kind)
    recall = space.neighbors_kept(table.rows, rows.decode())
    before = len(table) * table.dim * table.rows.itemsize
    kept = f"{recall:.1%} of the 10 nearest neighbors are kept (recall@10, up to 1,000 rows)"
    message(
        f"{kind}: {file_size(rows.nbytes)} instead of {file_size(before)}, {before / rows.nbytes:.1f} times smaller; "
        f"{kept if math.isfinite(recall) else 'too few rows to compare 10 neighbors of each'}"
    )
    if table.subwords is not None:
        message("the format has no n-grams, so out-of-vocabulary words will have no row")
    store.save_quantized(table, rows, output)
    return {"quantization": kind, "bytes": rows.nbytes, "bytes_before": before, "recall_at_10": recall}
