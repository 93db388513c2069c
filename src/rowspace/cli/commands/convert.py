"""`rowspace convert`: a table in one format → the same table in another."""

from typing import Annotated, Any

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, Key, TablePath
from rowspace.cli.interruption import cleanup_on_interrupt
from rowspace.cli.lookup import open_table
from rowspace.cli.output import message, print_json

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
    as_json: AsJson = False,
) -> None:
    """Write a table in another format.

    The suffix selects the format: .npz, .npy, .safetensors, .parquet, .arrow, .feather, .tsv, .bin (word2vec), .vec or
    .txt (word2vec's text form); any other name is a folder that model2vec and sentence-transformers can also open.

    Example:
      rowspace convert my-table my-table.bin
      rowspace convert vectors.txt first-rows --limit 50000
      rowspace convert a-checkpoint its-tokens
    """
    from rowspace import store  # not needed for help

    store.check_target(output, format=format)
    table = open_table(path, limit=limit, key=key)
    with cleanup_on_interrupt():
        store.save(table, output, format=format)
    source, target = store.format_of(path), store.format_of(output)
    facts: dict[str, Any] = {
        "table": path,
        "format": source.name,
        "output": output,
        "output_format": target.name,
        "num_embeddings": len(table),
        "embedding_dim": table.dim,
    }
    if as_json:
        print_json(facts)
        return
    is_lossy = table.counts is not None and not target.has_counts
    lost = "; the format has no counts, so they are lost" if is_lossy else ""
    message(
        f"wrote {plural(len(table), 'row')} × {table.dim} of {path} ({source.name}) to {output} ({target.name}){lost}"
    )
