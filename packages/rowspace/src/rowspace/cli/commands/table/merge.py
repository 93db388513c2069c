"""`rowspace merge`: several tables → one.

Its options are the fields of `MergeOptions`.
"""

import shlex
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.lookup import open_table
from rowspace.cli.output import print_json, print_line, print_table
from rowspace.learn.merging.options import MergeOptions

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["merge"]


@with_options_of({"Merging": MergeOptions})
def merge(
    paths: Annotated[list[str], typer.Argument(metavar="TABLE", help="Tables in any format.", show_default=False)],
    *,
    output: Annotated[str, typer.Option("-o", "--output", help="Where to save the merged table.")],
    weights: Annotated[
        list[float] | None,
        typer.Option(
            "--weight",
            help="The weight of a table; repeatable, one for each in their order.  [default: equal; task: 1]",
            show_default=False,
        ),
    ] = None,
    base: Annotated[
        str | None, typer.Option("--base", metavar="TABLE", help="The table that the others come from, for task.")
    ] = None,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Merge tables into one with the tokens of all.

    The tables are aligned to the first one, or to the base, on the tokens that they share. A token that only some
    tables have gets the merged row of these.

    Example:
      rowspace merge one-table another-table -o merged
      rowspace merge one-table another-table --method slerp --weight 3 --weight 1 -o merged
      rowspace merge tuned-for-law tuned-for-code --method task --base base-table --same-origin -o merged
    """
    from rowspace.learn import merge as merge_tables  # not needed for help
    from rowspace.table import Table

    Table.check_target(output)
    tables = [open_table(path) for path in paths]
    start = None if base is None else open_table(base)
    with cleanup_on_interrupt():
        merged = merge_tables(tables, weights=weights or None, base=start, **options)
        merged.save(output)
    if as_json:
        facts = {"table": output, "num_embeddings": len(merged), "embedding_dim": merged.dim, "tables": paths}
        print_json(facts | ({} if base is None else {"base": base}) | merged.settings)
        return
    _print_parents(paths, tables, merged)
    for line in _lines(output, merged):
        print_line(line)


def _print_parents(paths: list[str], tables: "list[Table]", merged: "Table") -> None:
    """Print a line for each table: its tokens, weight, and the share of its neighbors that the merged table keeps."""
    settings: dict[str, Any] = merged.settings
    shares = settings.get("neighbors_kept", [None] * len(tables))
    rows = [
        (path, f"{len(table):,}", f"{weight:.3g}", "–" if share is None else f"{share:.1%}")
        for path, table, weight, share in zip(paths, tables, settings["weights"], shares, strict=True)
    ]
    print_table(f"merged by {settings['merged']}", ("table", "tokens", "weight", "neighbors kept"), rows)


def _lines(output: str, merged: "Table") -> list[str]:
    settings: dict[str, Any] = merged.settings
    lines = [f"{plural(len(merged), 'token')} × {merged.dim}"]
    if settings.get("aligned_pairs"):
        lines[0] += f", aligned on {' and '.join(f'{pairs:,}' for pairs in settings['aligned_pairs'])} shared tokens"
    between = settings.get("neighbors_kept_between")
    if between is not None:
        lines.append(
            f"neighbors kept: of each token's {settings['neighbors']} nearest in a table, those that are also nearest "
            f"in the merged one; the tables themselves have {between:.1%} in common"
        )
    lines.append(f"saved in {output}; try: rowspace info {shlex.quote(output)}")
    return lines
