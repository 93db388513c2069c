"""`rowspace.fit_items`: baskets or events → rows of items and of users."""

import dataclasses
import time
from collections.abc import Callable, Mapping
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace._base.options import check_option_names, shows_options
from rowspace._base.parallel import torch_threads
from rowspace.errors import UsageError
from rowspace.learn.items.als import factorize
from rowspace.learn.items.events import refuse_lonely
from rowspace.learn.items.features import Features, read_features
from rowspace.learn.items.interactions import Interactions
from rowspace.learn.items.item2vec import learn_baskets
from rowspace.learn.items.model import Items, mean_rows
from rowspace.learn.items.options import OPTIONS_OF, BasketOptions, ItemKeywords, ItemOptions
from rowspace.learn.items.reading import Baskets, read_interactions
from rowspace.table import Table

__all__ = ["ItemProgress", "fit_items"]


@dataclasses.dataclass(frozen=True)
class ItemProgress:
    """How far items are learned.

    Attributes:
        epoch: The number of complete epochs.
        epochs: All epochs.
        loss: Of the last one: for als the function that is minimized, divided by the number of users and of items; for
            the others the mean over pairs.
        seconds: Since the first began.
    """

    epoch: int
    epochs: int
    loss: float
    seconds: float


@shows_options(ItemOptions, BasketOptions)
def fit_items(
    baskets: Baskets,
    *,
    item_features: Features | None = None,
    user_features: Features | None = None,
    on_epoch: Callable[[ItemProgress], None] | None = None,
    **options: Unpack[ItemKeywords],
) -> Items:
    """Learn rows of items from which items belong together.

    Args:
        baskets: Lists of items, a dict from users to their items, events, `Interactions`, or paths of files; see
            `rowspace.learn.read_interactions`.
        item_features: two-tower: The categories of items, as many for each: {"milk": ("dairy", "cold"), ...}; or the
            path of a file of records with the column item and one column for each feature.
        user_features: two-tower: Those of users; a file has the column user.
        on_epoch: Called after each epoch.
        **options: The fields of `ItemOptions` and `BasketOptions`: model="als", dim=64, confidence=40, gap=None, ...

    Returns:
        The tables of items and users, with `recommend` and `save`.

    Raises:
        UsageError: An option is unknown, invalid or of another model, or no basket has two items.
        CorpusError: A file cannot be read, or there is no basket.
        FileFormatError: A file is damaged or lacks a column.
        FitDiverged: The rows became too large.
        MissingExtraError: two-tower without PyTorch.

    Example:
        >>> model = fit_items([["tea", "milk"], ["tea", "milk", "cup"], ["ale", "nuts"], ["ale", "nuts"]] * 20, dim=4)
        >>> model
        Items(als: 5 items × 4, 80 users)
        >>> model.items.neighbors("ale", k=1)[0][0]
        'nuts'
    """
    check_option_names("fit_items", options, ItemOptions, BasketOptions)
    kinds = (ItemOptions, BasketOptions)
    learning, reading = (
        {name: value for name, value in options.items() if name in {field.name for field in dataclasses.fields(kind)}}
        for kind in kinds
    )
    chosen = ItemOptions(**learning)  # type: ignore[arg-type]  # which checks them
    _refuse_options_of_others(
        chosen.model, {**learning, "item_features": item_features, "user_features": user_features}
    )
    interactions = read_interactions(baskets, **reading)  # type: ignore[arg-type]
    refuse_lonely(interactions, BasketOptions(**reading).separator)  # type: ignore[arg-type]
    report = _reporter(chosen.passes, on_epoch)
    began = time.monotonic()
    if chosen.model == "item2vec":
        items, targets, users, losses = _item2vec(interactions, chosen, report)
    elif chosen.model == "als":
        users, items, losses = factorize(interactions, chosen, report)
        targets = items
    else:
        from rowspace.learn.items.two_tower import learn_towers

        features = (
            read_features(user_features, interactions.users, "user"),
            read_features(item_features, interactions.items, "item"),
        )
        with torch_threads(chosen.threads):
            users, items, losses = learn_towers(interactions, features, chosen, report)
        targets = items
    settings = _settings(chosen, losses, time.monotonic() - began)
    return Items(
        Table(interactions.items, items, interactions.counts, settings=settings | {"kind": "item"}),
        Table(interactions.users, users, np.diff(interactions.by_user.starts), settings=settings | {"kind": "user"}),
        targets,
        interactions,
        chosen,
    )


def _item2vec(
    interactions: Interactions, options: ItemOptions, report: Callable[[int, float], None]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32], list[float]]:
    """Return the rows of items, targets and users, and the losses."""
    inputs, outputs, losses = learn_baskets(interactions, options, report)
    frequencies = options.ns_exponent * np.log(interactions.counts)
    targets = np.column_stack([outputs, frequencies]).astype(np.float32)
    return inputs, targets, mean_rows(inputs, interactions.by_user), losses


def _refuse_options_of_others(model: str, given: Mapping[str, Any]) -> None:
    """Raise `UsageError` for an option that another model has."""
    of_towers = ("item_features", "user_features")
    for other, names in OPTIONS_OF.items():
        for name in (*names, *(of_towers if other == "two-tower" else ())):
            if other != model and given.get(name) is not None:
                raise UsageError(f"{name} is an option of model={other!r}, and the model is {model!r}; omit it")


def _reporter(epochs: int, on_epoch: Callable[[ItemProgress], None] | None) -> Callable[[int, float], None]:
    """Return a function that passes the progress on."""
    began = time.monotonic()

    def report(epoch: int, loss: float) -> None:
        if on_epoch:
            on_epoch(ItemProgress(epoch, epochs, loss, time.monotonic() - began))

    return report


def _settings(options: ItemOptions, losses: list[float], seconds: float) -> dict[str, object]:
    """Return what the tables record: the options of the model, and how it went."""
    others = {name for model, names in OPTIONS_OF.items() if model != options.model for name in names}
    kept = {name: value for name, value in dataclasses.asdict(options).items() if name not in others}
    found = {"epochs": options.passes, "workers": options.threads, "losses": losses, "seconds": round(seconds, 3)}
    return kept | found
