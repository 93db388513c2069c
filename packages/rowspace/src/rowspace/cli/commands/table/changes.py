"""`rowspace changes`: how far shared tokens moved from table to table."""

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson
from rowspace.cli.lookup import open_table
from rowspace.cli.output import print_json, print_table
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from rowspace.learn import Changes
    from rowspace.table import Table

__all__ = ["changes"]

NEIGHBORS = 3  # shown of each token, before and after


def changes(
    paths: Annotated[
        list[str], typer.Argument(metavar="TABLE", help="Tables in their order in time.", show_default=False)
    ],
    *,
    k: Annotated[int, typer.Option("-k", min=1, help="How many tokens to show for each step.")] = 20,
    min_count: Annotated[
        int, typer.Option("--min-count", min=0, help="Leave out tokens with a lower count in one of two tables.")
    ] = 20,
    align: Annotated[bool, typer.Option("--align/--same-origin", help="Align the tables first, or not.")] = True,
    as_json: AsJson = False,
) -> None:
    """Show the tokens that changed most from table to table.

    Each table is aligned to the one before it on the tokens that both have. A cosine of 1 is no change.

    Example:
      rowspace changes table-1990 table-2000 table-2010 -k 10
    """
    from rowspace.learn import changes as find_changes  # not needed for help

    if len(paths) < 2:
        raise UsageError(f"changes needs at least two tables, got only {paths[0]!r}; add another")
    steps = find_changes([open_table(path) for path in paths], min_count=min_count, align=align)
    names = list(itertools.pairwise(paths))
    if as_json:
        listed = [_document(*pair, step, k) for pair, step in zip(names, steps, strict=True)]
        print_json({"tables": paths, "min_count": min_count, "aligned": align, "steps": listed})
        return
    for (before, after), step in zip(names, steps, strict=True):
        title = f"{before} to {after}: {plural(len(step.tokens), 'token')}, median cosine {_median(step):.3f}"
        rows = [
            (one["token"], f"{one['cosine']:.3f}", " ".join(one["before"]), " ".join(one["after"]))
            for one in _changed(step, k, shown=True)
        ]
        print_table(title, ("token", "cosine", "near before", "near after"), rows, words=(0, 2, 3))


def _document(before: str, after: str, step: "Changes", k: int) -> dict[str, object]:
    return {
        "before": before,
        "after": after,
        "tokens": len(step.tokens),
        "median_cosine": _median(step),
        "changed": list(_changed(step, k, shown=False)),
    }


def _changed(step: "Changes", k: int, *, shown: bool) -> list[dict[str, Any]]:
    """Return the most changed tokens with their cosine and their neighbors in both tables."""
    return [
        {
            "token": step.before.shown(token) if shown else token,
            "cosine": cosine,
            "before": _near(step.before, token, shown=shown),
            "after": _near(step.after, token, shown=shown),
        }
        for token, cosine in zip(step.tokens[:k], step.cosines.tolist(), strict=False)
    ]


def _near(table: "Table", token: str, *, shown: bool) -> Sequence[str]:
    near = [neighbor for neighbor, _ in table.neighbors(token, k=NEIGHBORS)]
    return [table.shown(neighbor) for neighbor in near] if shown else near


def _median(step: "Changes") -> float:
    import numpy as np

    return float(np.median(step.cosines))
