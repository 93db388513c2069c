"""Two towers (Yi et al. 2019): rows of users and items whose dot product ranks, learned with PyTorch.

A tower adds the embedding of an id to those of its categories and scales the sum to length 1. In a step, each user of a
batch picks its item among those of the whole batch, by softmax. Popular items are more often among the negatives, so
the logarithm of that probability is subtracted from their scores (logQ); items that a user has otherwise are left out.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import FitDiverged, MissingExtraError

try:
    import torch
except ImportError as error:
    raise MissingExtraError("a two-tower model needs PyTorch: pip install 'rowspace[torch]'") from error

from torch import Tensor, nn
from torch.nn import functional

from rowspace.layers import TokenEmbedding
from rowspace.learn.items.features import FeatureIds
from rowspace.learn.items.interactions import Interactions
from rowspace.learn.items.options import ItemOptions
from rowspace.optim import DeferredAdamW

__all__ = ["Tower", "learn_towers"]

Rows = NDArray[np.float32]
ROWS_AT_ONCE = 16_384


class Tower(nn.Module):
    """ids (n,) → (n, dim): the sum of an id's row and its categories' rows, scaled to length 1.

    Args:
        size: The number of ids, V.
        features: Their categories.
        dim: Length of a row.
    """

    categories: Tensor

    def __init__(self, size: int, features: FeatureIds, dim: int) -> None:
        super().__init__()
        self.rows_of_ids = TokenEmbedding(size, dim, sparse=True)
        self.rows_of_categories = nn.ModuleList(TokenEmbedding(each, dim, sparse=True) for each in features.sizes)
        self.register_buffer("categories", torch.from_numpy(features.ids), persistent=False)
        with torch.no_grad():
            for table in (self.rows_of_ids, *self.rows_of_categories):
                table.weight.mul_(1 / np.sqrt(dim))

    def forward(self, ids: Tensor) -> Tensor:
        """Return the rows of ids."""
        total: Tensor = self.rows_of_ids(ids)
        for feature, table in enumerate(self.rows_of_categories):
            total = total + table(self.categories[ids, feature])
        return functional.normalize(total, dim=-1)

    @torch.no_grad()
    def rows(self) -> Rows:
        """Return the rows of all ids, (V, dim)."""
        parts = [self(ids) for ids in torch.arange(len(self.categories)).split(ROWS_AT_ONCE)]
        found: Rows = torch.cat(parts).numpy()
        return found


def learn_towers(
    interactions: Interactions,
    features: tuple[FeatureIds, FeatureIds],
    options: ItemOptions,
    on_epoch: Callable[[int, float], None],
) -> tuple[Rows, Rows, list[float]]:
    """Learn rows of users and items.

    Args:
        interactions: U users and I items; a pair is drawn once in an epoch, and its loss has its weight.
        features: The categories of users and of items.
        options: dim, passes, seed and those of two-tower are read.
        on_epoch: Called after each epoch with its number, from 1, and the mean loss.

    Returns:
        The rows of users (U, dim) and of items (I, dim), float32, and the mean loss of each epoch.

    Raises:
        FitDiverged: The loss is not finite.
    """
    generator = np.random.default_rng(options.seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(options.seed)
        sizes = (len(interactions.users), len(interactions.items))
        towers = [Tower(size, each, options.dim) for size, each in zip(sizes, features, strict=True)]
    optimizer = DeferredAdamW(nn.ModuleList(towers), lr=options.lr, weight_decay=0.0)
    batches = _Batches(interactions, options.batch_size)
    steps, step, losses = options.passes * len(batches), 0, list[float]()
    for epoch in range(1, options.passes + 1):
        total = 0.0
        for batch in batches.shuffled(generator):
            optimizer.param_groups[0]["lr"] = options.lr * (1 - step / steps)
            loss = _loss(towers, batch, options.temperature)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            step, total = step + 1, total + float(loss.detach())
        losses.append(total / len(batches))
        if not np.isfinite(losses[-1]):
            raise FitDiverged(f"the loss of epoch {epoch} is {losses[-1]}; give a smaller lr, or a larger temperature")
        on_epoch(epoch, losses[-1])
    optimizer.flush()
    return towers[0].rows(), towers[1].rows(), losses


class _Batches:
    """Pairs of a user and an item in batches, with the items of the batch that each user has."""

    def __init__(self, interactions: Interactions, size: int) -> None:
        self._starts, self._items, self._weights = interactions.by_user
        self._users = np.repeat(np.arange(len(interactions.users)), np.diff(self._starts))
        self._log_q = np.log(interactions.counts / interactions.size).astype(np.float32)
        self._columns = np.full(len(interactions.items), -1)  # of the items of a batch
        self._size = min(size, len(self._users))

    def __len__(self) -> int:
        return max(1, len(self._users) // self._size)

    def shuffled(self, generator: np.random.Generator) -> Iterator[tuple[Tensor, ...]]:
        """Yield users, items, weights, the logarithms of the items' probabilities, and what is no negative."""
        order = generator.permutation(len(self._users))
        for part in np.array_split(order, len(self)):
            users, items = self._users[part], self._items[part].astype(np.int64)
            arrays = users, items, self._weights[part], self._log_q[items], self._owned(users, items)
            yield tuple(torch.from_numpy(array) for array in arrays)

    def _owned(self, users: NDArray[np.int64], items: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which other items of a batch of n pairs each of its users has, (n, n)."""
        distinct, places = np.unique(items, return_inverse=True)
        self._columns[distinct] = np.arange(len(distinct))
        sizes = self._starts[users + 1] - self._starts[users]
        rows = np.repeat(np.arange(len(users)), sizes)
        entries = (
            np.arange(len(rows)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(self._starts[users], sizes)
        )
        columns = self._columns[self._items[entries]]
        has = np.zeros((len(users), len(distinct)), bool)
        has[rows[columns >= 0], columns[columns >= 0]] = True
        self._columns[distinct] = -1
        owned: NDArray[np.bool_] = has[:, places]
        np.fill_diagonal(owned, val=False)
        return owned


def _loss(towers: list[Tower], batch: tuple[Tensor, ...], temperature: float) -> Tensor:
    """Return the weighted mean of the cross entropies of a batch."""
    users, items, weights, log_q, is_owned = batch
    scores = torch.addmm(-log_q, towers[0](users) / temperature, towers[1](items).T).masked_fill_(is_owned, -torch.inf)
    losses = functional.cross_entropy(scores, torch.arange(len(users)), reduction="none")
    return (weights * losses).sum() / weights.sum()
