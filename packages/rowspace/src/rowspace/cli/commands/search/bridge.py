"""`rowspace bridge`: an index and a new table → a map with which the new table can query the index.

Its options are the fields of `BridgeOptions`.
"""

from typing import Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.output import message, print_json, print_line
from rowspace.search.options import BridgeOptions

__all__ = ["bridge"]


@with_options_of({"Bridge": BridgeOptions})
def bridge(
    path: Annotated[str, typer.Argument(metavar="INDEX", help="An index of rowspace index: a folder, or s3://...")],
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="The new table, in any format that rowspace encode takes, or encoder."),
    ],
    *,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Query an index with a new table before rebuilding it.

    A map from the new table's vectors to those of the index is learned on a sample of passages and saved with the
    index. The map is approximate: recall@10 on held-out passages says how many of the 10 nearest passages it finds.
    rowspace search INDEX QUERY --table TABLE then uses it, also while rowspace index --rebuild runs.

    Example:
      rowspace bridge my-index new-table
      rowspace bridge my-index a-model2vec-folder --kind linear --sample 50000
    """
    from rowspace.cli.progress.encode import CountReporter
    from rowspace.search import Index

    chosen = BridgeOptions(**options)
    index = Index.open(path)
    with cleanup_on_interrupt():
        reporter = CountReporter("passage", "encoded")
        built = index.build_bridge(table, options=chosen, on_step=message, on_progress=reporter)
    if as_json:
        print_json({"index": path, "table": table, **built.facts()})
        return
    low, high = built.interval
    print_line(f"{built.kind} map, learned from {plural(built.passages, 'passage')}")
    print_line(
        f"recall@10 of {built.held_out:,} held-out passages: {built.recall:.3f} (95 % interval {low:.3f} to {high:.3f})"
    )
    print_line(f"saved with {path}; try: rowspace search {path} QUERY --table {table}")
