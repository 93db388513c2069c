"""`tune`: a table and pairs of texts → a table whose mean rows find the second text of a pair by the first.

Only rows of the texts have a gradient, so that `DeferredAdamW` makes the cost of a step independent of the size of the
vocabulary.
"""

import dataclasses
import math
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace._base.options import check_option_names, shows_options
from rowspace.errors import MissingExtraError, UsageError

try:
    import torch
except ImportError as error:
    raise MissingExtraError("tuning a table needs PyTorch: pip install 'rowspace[torch]'") from error

from torch import Tensor, nn
from torch.nn import functional

from rowspace.learn.tuning.options import TuneKeywords, TuneOptions
from rowspace.learn.tuning.pairs import Pair
from rowspace.optim.deferred_adamw import DeferredAdamW
from rowspace.table import Table
from rowspace.text import HuggingFaceTokenizer, Tokenizer

__all__ = ["TuneProgress", "ranking_loss", "recall_at", "sizes_down_to", "tune"]

TEXTS_AT_ONCE = 4096
QUERIES_AT_ONCE = 1024
MIN_HELD_OUT = 2


@dataclasses.dataclass(frozen=True)
class TuneProgress:
    """How far a table is tuned.

    Attributes:
        step: Steps done.
        steps: All steps.
        loss: The loss of the last step.
        seconds: Since the first.
    """

    step: int
    steps: int
    loss: float
    seconds: float


@shows_options(TuneOptions)
def tune(
    table: Table,
    pairs: Iterable[Pair],
    *,
    on_step: Callable[[TuneProgress], None] | None = None,
    **options: Unpack[TuneKeywords],
) -> Table:
    """Tune the rows of a table on pairs of texts, with the other pairs of a batch as negatives.

    A text's vector is the mean of its tokens' rows, without unknown tokens.

    Args:
        table: With a tokenizer.
        pairs: A query and a text that it should find, each; `read_pairs` reads them from a file.
        on_step: Called after each step.
        **options: The fields of `TuneOptions`: epochs=3, batch_size=256, lr=0.05, ...

    Returns:
        A table of float32 rows with the same tokens. `table.settings["tuned"]` has the options, the loss of each epoch,
        and recall@10 of the held-out pairs before and after, by the number of columns. The same seed and number of
        threads give the same rows.

    Raises:
        UsageError: An option is unknown or invalid, the table has no tokenizer or rows that are not finite, or there
            are too few pairs.
    """
    check_option_names("tune", options, TuneOptions)
    chosen = TuneOptions(**options)
    tokenizer = Tokenizer.of_table(table)
    examples = list(pairs)
    generator = np.random.default_rng(chosen.seed)
    order = generator.permutation(len(examples))
    cut = round(chosen.held_out * len(examples))
    if len(examples) - cut < 2 or 0 < cut < MIN_HELD_OUT:
        raise UsageError(f"{len(examples):,} pairs are too few for held_out={chosen.held_out:g}; give more pairs")
    sides = [_Texts([pair[side] for pair in examples], tokenizer, len(table)) for side in (0, 1)]
    bag = nn.EmbeddingBag.from_pretrained(
        torch.from_numpy(np.array(table.rows, np.float32)), freeze=False, mode="mean", sparse=True
    )
    sizes = sizes_down_to(table.dim, chosen.smallest)
    before = _recalls(bag, sides, order[:cut], sizes)
    losses = _learn(bag, sides, order[cut:], chosen, generator, on_step)
    after = _recalls(bag, sides, order[:cut], sizes)
    facts = {"pairs": len(examples) - cut, "held_out_pairs": cut, "losses": losses}
    tuned = dataclasses.asdict(chosen) | facts | {"recall_before": before, "recall_after": after}
    rows = bag.weight.detach().numpy().copy()
    return Table(
        table.vocabulary, rows, table.counts, tokenizer=table.tokenizer, settings=table.settings | {"tuned": tuned}
    )


class _Texts:
    """The ids of texts, one after the other."""

    def __init__(self, texts: Sequence[str], tokenizer: HuggingFaceTokenizer, size: int) -> None:
        kept = [_known(ids, tokenizer.unknown_id, size) for ids in tokenizer.encode_batch(texts)]
        self._starts = np.cumsum([0, *map(len, kept)])
        self._ids = np.concatenate([*kept, np.zeros(0, np.int64)])

    def bags(self, places: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """Return the ids of some texts, and where each begins."""
        spans = [self._ids[self._starts[place] : self._starts[place + 1]] for place in places]
        offsets = np.cumsum([0, *map(len, spans)])[:-1]
        return torch.from_numpy(np.concatenate(spans)), torch.from_numpy(offsets)


def _known(ids: NDArray[np.int32], unknown: int | None, size: int) -> NDArray[np.int64]:
    """Return the ids that have a row."""
    wide = ids.astype(np.int64)
    kept: NDArray[np.int64] = wide[(wide < size) & (wide != (-1 if unknown is None else unknown))]
    return kept


def _learn(
    bag: nn.EmbeddingBag,
    sides: list[_Texts],
    places: NDArray[np.int64],
    options: TuneOptions,
    generator: np.random.Generator,
    on_step: Callable[[TuneProgress], None] | None,
) -> list[float]:
    """Learn the rows of `bag`, and return the mean loss of each epoch."""
    starts = range(0, len(places) - 1, options.batch_size)  # a batch of one pair would have no negatives
    sizes = sizes_down_to(bag.embedding_dim, options.smallest)
    steps, began, losses = options.epochs * len(starts), time.monotonic(), list[float]()
    lr = options.lr * _root_mean_square(bag.weight.detach())
    optimizer = DeferredAdamW(bag, lr=lr, weight_decay=0.0)
    for epoch in range(options.epochs):
        shuffled, total = generator.permutation(places), 0.0
        for number, start in enumerate(starts):
            step = epoch * len(starts) + number
            optimizer.param_groups[0]["lr"] = lr * (1 - step / steps)
            batch = shuffled[start : start + options.batch_size]
            queries, positives = (bag(*side.bags(batch)) for side in sides)
            loss = ranking_loss(queries, positives, scale=options.scale, sizes=sizes)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            value = float(loss.detach())
            total += value
            if on_step:
                on_step(TuneProgress(step + 1, steps, value, time.monotonic() - began))
        losses.append(total / len(starts))
    optimizer.flush()
    return losses


def _root_mean_square(rows: Tensor) -> float:
    size = float(rows.square().mean().sqrt())
    if not math.isfinite(size):
        raise UsageError("the table's rows have NaN, infinity or numbers beyond 1e19; repair the table first")
    return size


def _recalls(
    bag: nn.EmbeddingBag, sides: list[_Texts], places: NDArray[np.int64], sizes: list[int]
) -> dict[str, float]:
    """Return recall@10 by the number of columns; nothing without held-out pairs."""
    if not len(places):
        return {}
    with torch.no_grad():
        queries, positives = (
            torch.cat(
                [
                    bag(*side.bags(places[start : start + TEXTS_AT_ONCE]))
                    for start in range(0, len(places), TEXTS_AT_ONCE)
                ]
            )
            for side in sides
        )
    return {str(size): recall_at(queries[:, :size], positives[:, :size]) for size in sizes}


def ranking_loss(queries: Tensor, positives: Tensor, *, scale: float, sizes: Sequence[int]) -> Tensor:
    """Return the multiple negatives ranking loss, summed over sizes of vectors.

    The loss is the cross entropy of a softmax over the scaled cosines of a query with all positives of the batch, where
    its own is right. Source: Efficient Natural Language Response Suggestion for Smart Reply (Henderson et al., 2017);
    Matryoshka Representation Learning (Kusupati et al., 2022) for the sum.

    Args:
        queries: (n, d) vectors.
        positives: (n, d) vectors, in the same order.
        scale: Multiplies cosines.
        sizes: Only so many of the first columns are used, one term each.

    Returns:
        A number.

    >>> ranking_loss(torch.eye(2), torch.eye(2), scale=0.0, sizes=[2])
    tensor(0.6931)
    """
    targets = torch.arange(len(queries), device=queries.device)
    losses = []
    for size in sizes:
        units, answers = (functional.normalize(vectors[:, :size]) for vectors in (queries, positives))
        losses.append(functional.cross_entropy(scale * units @ answers.T, targets))
    return torch.stack(losses).sum()


def recall_at(queries: Tensor, positives: Tensor, k: int = 10) -> float:
    """Return the share of queries whose own positive is among the k with the largest cosine; ties count against it.

    Args:
        queries: (n, d) vectors.
        positives: (n, d) vectors, in the same order.
        k: Number of answers that count.

    >>> recall_at(torch.eye(3), torch.eye(3).flip(0), k=1)
    0.3333333333333333
    """
    answers, found = functional.normalize(positives), 0
    for start in range(0, len(queries), QUERIES_AT_ONCE):
        units = functional.normalize(queries[start : start + QUERIES_AT_ONCE])
        scores = units @ answers.T
        own = scores.gather(1, torch.arange(start, start + len(units))[:, None])
        found += int(((scores >= own).sum(1) <= k).sum())
    return found / max(1, len(queries))


def sizes_down_to(dim: int, smallest: int) -> list[int]:
    """Return dim, and its halves that are not below `smallest`.

    >>> sizes_down_to(100, 20), sizes_down_to(8, 32)
    ([100, 50, 25], [8])
    """
    sizes = [dim]
    while sizes[-1] // 2 >= smallest:
        sizes.append(sizes[-1] // 2)
    return sizes
