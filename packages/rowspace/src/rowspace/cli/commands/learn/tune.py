"""`rowspace tune`: a table and pairs of texts → a table for retrieval.

Its options are the fields of `TuneOptions`.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, TablePath, with_options_of
from rowspace.cli.lookup import open_table
from rowspace.cli.output import message, print_json, print_line
from rowspace.cli.progress import SECONDS_BETWEEN_LINES, Pace, duration
from rowspace.learn.tuning.options import TuneOptions

if TYPE_CHECKING:
    from rowspace.learn.tuning.tune import TuneProgress

__all__ = ["tune"]


@with_options_of({"Tuning": TuneOptions})
def tune(
    table: TablePath,
    pairs: Annotated[
        str,
        typer.Argument(
            metavar="PAIRS",
            help="JSON lines, CSV or Parquet with query and positive, or lines of two texts with a tab between them.",
        ),
    ],
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to save the tuned table.", show_default=False)],
    query_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The column with the queries, if PAIRS has records (CSV, TSV, JSON, Parquet).",
            show_default=False,
        ),
    ] = None,
    positive_column: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="The column with the texts that the queries should find.", show_default=False
        ),
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Tune a table for retrieval.

    Rows learn to make the mean of a query's rows nearer to that of its own text than to those of other pairs. This
    needs PyTorch, and a table with a tokenizer. The recall on held-out pairs before and after is printed for several
    numbers of columns.

    Example:
      rowspace tune my-table pairs.jsonl -o my-tuned-table
      rowspace tune my-table questions.csv --query-column question --positive-column answer -o my-tuned-table
      rowspace tune my-table pairs.tsv --epochs 5 --smallest 64 -o my-tuned-table
    """
    from rowspace.learn.tuning.pairs import read_pairs  # not needed for help
    from rowspace.learn.tuning.tune import tune as tune_table
    from rowspace.table import Table

    TuneOptions(**options)  # which checks them before files are read
    Table.check_target(output)
    opened, examples = open_table(table), read_pairs(pairs, query_column=query_column, positive_column=positive_column)
    pace = Pace(SECONDS_BETWEEN_LINES)

    def report(progress: "TuneProgress") -> None:
        if pace.is_due(progress.step / progress.steps):
            left = duration((progress.steps - progress.step) * progress.seconds / progress.step)
            message(f"step {progress.step:,} of {progress.steps:,}, loss {progress.loss:.3f}, {left} left")

    with cleanup_on_interrupt():
        tuned = tune_table(opened, examples, on_step=report, **options)
        tuned.save(output)
    facts: dict[str, Any] = tuned.settings["tuned"]  # type: ignore[assignment]  # which `tune` has written
    if as_json:
        print_json({"table": output, "num_embeddings": len(tuned), "embedding_dim": tuned.dim} | facts)
        return
    print_line(f"{plural(len(tuned), 'token')} × {tuned.dim}, tuned on {plural(facts['pairs'], 'pair')}")
    print_line("loss by epoch: " + " ".join(f"{loss:.3f}" for loss in facts["losses"]))
    for size, before in facts["recall_before"].items():
        print_line(
            f"recall@10 of {facts['held_out_pairs']:,} held-out pairs with {size} columns: "
            f"{before:.3f} before, {facts['recall_after'][size]:.3f} after"
        )
    print_line(f"saved in {output}")
