"""`rowspace compare`: which tokens of two tables moved or changed neighbors.

Its options are the fields of `CompareOptions`.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.lookup import open_table
from rowspace.cli.output import print_json, print_line, print_table
from rowspace.learn.merging.options import CompareOptions

if TYPE_CHECKING:
    from rowspace.learn import Comparison
    from rowspace.table import Table

__all__ = ["compare"]

NEIGHBORS = 3  # shown of each token, before and after
REASONS = {
    "rare": "a count below {min_count:,}",
    "zeros": "a row of zeros or not finite",
    "not_in_null": "no row in the null",
}


@with_options_of({"Comparing": CompareOptions})
def compare(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A table in any format.", show_default=False)],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The other table.", show_default=False)],
    *,
    null: Annotated[
        list[str] | None,
        typer.Option(
            "--null",
            metavar="TABLE",
            help="A table that differs from the first one by chance: a fit of its text with another seed; repeatable.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option("-k", min=1, help="How many tokens to show.")] = 20,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Show which tokens of two tables moved or changed neighbors.

    The second table is rotated into the axes of the first one, if these are others. A cosine of 1, or an overlap of
    100%, is no change.

    Example:
      rowspace compare my-table tuned-table
      rowspace compare table-1990 table-2010 --null table-1990-other-seed -k 10
    """
    from rowspace.learn import compare as compare_tables  # not needed for help

    tables = [open_table(path) for path in (before, after, *(null or []))]
    found = compare_tables(tables[0], tables[1], null=tables[2:], **options)
    if as_json:
        print_json(
            {"before": before, "after": after, "null": null or [], **found.facts, "changed": _changed(found, top)}
        )
        return
    minimum = options.get("min_count", CompareOptions().min_count)
    for line in _lines(found.facts, [before, after], [table.dim for table in tables[:2]], minimum):
        print_line(line)
    print_line("")
    _print_changed(found, top)


def _lines(facts: dict[str, Any], names: Sequence[str], widths: Sequence[int], min_count: int) -> Iterator[str]:
    """Yield what was compared, how far the tables agree, and what the null says."""
    yield (
        f"{plural(facts['shared'], 'shared token')}, {facts['only_before']:,} only in {names[0]}, "
        f"{facts['only_after']:,} only in {names[1]}"
    )
    out = [
        f"{facts['left_out'][name]:,} with {reason.format(min_count=min_count)}"
        for name, reason in REASONS.items()
        if facts["left_out"][name]
    ]
    drawn = (
        f", a sample of {facts['eligible']:,}; --sample compares more" if facts["compared"] < facts["eligible"] else ""
    )
    yield f"{plural(facts['compared'], 'token')} compared{drawn}" + (f"; left out: {', '.join(out)}" if out else "")
    yield {
        True: f"{names[1]} was rotated into the axes of {names[0]}",
        False: "both tables are compared in the same axes",
        None: f"rows of {widths[0]} and {widths[1]} numbers: only neighbors are compared",
    }[facts["aligned"]]
    cosine = "" if facts["median_cosine"] is None else f"median cosine {facts['median_cosine']:.3f}, "
    yield (
        f"{cosine}median overlap of {facts['neighbors']} neighbors {facts['median_overlap']:.0%}, "
        f"correlation of similarities {facts['correlation']:.2f}"
    )
    yield _null_line(facts)


def _null_line(facts: dict[str, Any]) -> str:
    if "null_tables" not in facts:
        return (
            "no null: two fits of the same text differ too; to see by how much, fit the first table's text again with "
            "another --seed, and give that table with --null"
        )
    cosine = "" if facts["null_median_cosine"] is None else f"median cosine {facts['null_median_cosine']:.3f}, "
    return (
        f"beyond the null: {facts['beyond']:,} of {facts['compared']:,}, {facts['beyond_share']:.1%}; by chance "
        f"{facts['expected_share']:.1%} ({plural(facts['null_tables'], 'table')}: {cosine}median overlap "
        f"{facts['null_median_overlap']:.0%})"
    )


def _changed(found: "Comparison", top: int, *, k: int = 10) -> list[dict[str, Any]]:
    """Return the most changed tokens with their figures and their neighbors in both tables."""
    near = found.neighbors(found.tokens[:top], k=k)
    arrays = {"count": found.counts, "cosine": found.cosines, "overlap": found.overlaps, "limit": found.limits}
    columns = {name: array[:top].tolist() for name, array in arrays.items() if array is not None}
    if found.beyond is not None:
        columns["beyond"] = found.beyond[:top].tolist()
    return [
        {"token": token, **{name: values[place] for name, values in columns.items()}, "before": one, "after": two}
        for place, (token, (one, two)) in enumerate(zip(found.tokens, near, strict=False))
    ]


def _print_changed(found: "Comparison", top: int) -> None:
    """Print a line for each of the most changed tokens."""
    rows = [
        (
            found.before.shown(one["token"]),
            f"{one['cosine']:.3f}" if "cosine" in one else "–",
            f"{one['overlap']:.0%}",
            *([] if found.limits is None else ["yes" if one["beyond"] else "no"]),
            _shown(found.before, one["before"]),
            _shown(found.after, one["after"]),
        )
        for one in _changed(found, top, k=NEIGHBORS)
    ]
    null = [] if found.limits is None else ["beyond null"]
    columns = ["token", "cosine", "overlap", *null, "near before", "near after"]
    print_table("most changed", columns, rows, words=(0, len(columns) - 2, len(columns) - 1))


def _shown(table: "Table", tokens: Sequence[str]) -> str:
    return " ".join(map(table.shown, tokens))
