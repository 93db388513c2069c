"""`rowspace fit-items`: baskets or events → a table of items and one of users.

Its options are the fields of `ItemOptions` and `BasketOptions`.
"""

import shlex
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, with_options_of
from rowspace.cli.output import message, print_json, print_line
from rowspace.cli.progress import SECONDS_BETWEEN_LINES, Pace, duration
from rowspace.errors import UsageError
from rowspace.learn.items.options import BasketOptions, ItemOptions

if TYPE_CHECKING:
    from rowspace.learn.items.evaluate import ItemScores
    from rowspace.learn.items.fit_items import ItemProgress
    from rowspace.learn.items.model import Items

__all__ = ["fit_items"]

SHARE_HELD_OUT = 0.2


@with_options_of({"Learning": ItemOptions, "Baskets and events": BasketOptions})
def fit_items(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help="Events in CSV, JSON lines or Parquet with the columns user and item, or any other text with the "
            "items of one basket a line; - for standard input.",
        ),
    ],
    *,
    output: Annotated[
        str, typer.Option("-o", "--output", help="Where to save the items and users.", show_default=False)
    ],
    item_features: Annotated[
        str | None,
        typer.Option(help="two-tower: a file with the column item and one for each feature.", show_default=False),
    ] = None,
    user_features: Annotated[
        str | None,
        typer.Option(help="two-tower: a file with the column user and one for each feature.", show_default=False),
    ] = None,
    evaluate: Annotated[
        bool,
        typer.Option(
            "--evaluate", help="First learn without a fifth of each user's items, and print how many are recommended."
        ),
    ] = False,
    as_json: AsJson = False,
    **options: Any,
) -> None:
    """Learn rows of items and users from baskets, sessions or events.

    OUTPUT is a table of items, with the table of users in OUTPUT/users; rowspace.learn.Items.load opens both and
    recommends items.

    Example:
      rowspace fit-items orders.csv --user-column order --item-column product -o my-items
      rowspace fit-items clicks.jsonl --gap 1800 --model item2vec -o my-items
      rowspace fit-items baskets.txt --separator , --evaluate -o my-items
    """
    from rowspace.learn.items.fit_items import fit_items as learn_items
    from rowspace.learn.items.model import Items
    from rowspace.learn.items.reading import read_interactions

    if not (file and output):
        raise UsageError("FILE and -o must not be empty; give the file to read and the folder to save in")
    Items.check_target(output)
    reading = {name: options.pop(name) for name in BasketOptions.__dataclass_fields__ if name in options}
    ItemOptions(**options)  # which checks them before files are read
    began = time.monotonic()
    with cleanup_on_interrupt():
        interactions = read_interactions(file, **reading)
        message(f"read {plural(interactions.size, 'pair')} of a user and an item")
        learning = {**options, "item_features": item_features, "user_features": user_features}
        scores = _scores(interactions, learning) if evaluate else None
        items = learn_items(interactions, on_epoch=_reporter("learning"), **learning)
        items.save(output)
    seconds = time.monotonic() - began
    if as_json:
        print_json(_document(output, items, scores, seconds))
    else:
        _print(output, items, scores, seconds)


def _scores(interactions: Any, options: dict[str, Any]) -> "ItemScores":
    """Return how well held-out items are recommended."""
    from rowspace.learn.items.evaluate import evaluate_items
    from rowspace.learn.items.fit_items import fit_items as learn_items
    from rowspace.learn.items.interactions import hold_out

    learned, held_out = hold_out(interactions, SHARE_HELD_OUT)
    return evaluate_items(learn_items(learned, on_epoch=_reporter("evaluating"), **options), held_out)


def _reporter(what: str) -> Any:
    """Return a function that prints the progress at intervals."""
    pace = Pace(SECONDS_BETWEEN_LINES)

    def report(progress: "ItemProgress") -> None:
        if pace.is_due(progress.epoch / progress.epochs):
            left = duration((progress.epochs - progress.epoch) * progress.seconds / progress.epoch)
            message(f"{what}: epoch {progress.epoch:,} of {progress.epochs:,}, loss {progress.loss:.4g}, {left} left")

    return report


def _document(output: str, items: "Items", scores: "ItemScores | None", seconds: float) -> dict[str, Any]:
    return {
        "table": output,
        "num_embeddings": len(items.items),
        "embedding_dim": items.items.dim,
        "users": len(items.users),
        "pairs": items.interactions.size,
        "settings": items.items.settings,
        "scores": None if scores is None else scores._asdict(),
        "seconds": round(seconds, 3),
    }


def _print(output: str, items: "Items", scores: "ItemScores | None", seconds: float) -> None:
    users = plural(len(items.users), "user")
    print_line(f"{plural(len(items.items), 'item')} × {items.items.dim} and {users}, in {duration(seconds)}")
    if scores is not None:
        print_line(
            f"of held-out items of {plural(scores.users, 'user')}, the first {scores.k} recommendations have: recall "
            f"{scores.recall:.3f}, NDCG {scores.ndcg:.3f} (the most popular items: {scores.popular_recall:.3f}, "
            f"{scores.popular_ndcg:.3f})"
        )
    print_line(f"saved in {output}; try: rowspace near {output} {shlex.quote(items.items.vocabulary[0])}")
