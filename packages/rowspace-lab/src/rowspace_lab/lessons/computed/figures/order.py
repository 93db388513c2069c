"""The figures of lesson 7, made of those of the Order page. They need PyTorch."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rowspace.table import Table
from rowspace_lab.pages.order.figures import attention_figure, ranking_figure
from rowspace_lab.pages.order.heads import checkpoint_head, drawn_head
from rowspace_lab.pages.order.saturation import saturation_figure


def exchanged_figure(
    table: Table, *, words: Sequence[str], order: Sequence[int], scheme: str, causal: bool, seed: int
) -> Mapping[str, Any]:
    """Attend to a sentence in two orders with a head of d_k = 2, and compare the outputs of the same words."""
    head = drawn_head(table, head_dim=2, seed=seed)
    found = attention_figure(table, table.ids(words), head, order=order, scheme=scheme, causal=causal)
    return {
        "outputs": found["outputs"],
        "restored": found["restored"],
        "difference": found["difference"],
        "mean_difference": found["mean_difference"],
        "in_place": float(np.abs(found["shuffled_outputs"] - found["outputs"]).max()),
    }


def moved_figure(
    table: Table, *, words: Sequence[str], order: Sequence[int], scheme: str, causal: bool, seed: int
) -> Mapping[str, Any]:
    """Compare the largest difference that another order makes with the largest output."""
    found = exchanged_figure(table, words=words, order=order, scheme=scheme, causal=causal, seed=seed)
    largest = float(np.abs(found["outputs"]).max())
    limits = (1e-6, largest / 10)
    return {
        "answer": sum(found["difference"] > limit for limit in limits),
        "difference": f"{found['difference']:.1g}",
        "largest": largest,
    }


def changed_figure(table: Table, *, words: Sequence[str], order: Sequence[int], seed: int) -> int:
    """Count the words whose output changes with a causal mask when the words change places."""
    found = exchanged_figure(table, words=words, order=order, scheme="none", causal=True, seed=seed)
    return int((np.abs(found["restored"] - found["outputs"]).max(1) > 1e-6).sum())


def largest_weight_figure(*, size: int, seed: int, draws: int, keys: int) -> Mapping[str, float]:
    """Return the mean of the largest softmax weight for one d_k, without and with the root."""
    found = saturation_figure(seed=seed, draws=draws, keys=keys)
    at = found["sizes"].tolist().index(size)
    return {
        "answer": float(found["plain"][at]),
        "variance": float(found["variances"][at]),
        "divided": float(found["divided"][at]),
    }


def two_lists_figure(table: Table, *, path: str, head: int, word: str, k: int) -> Mapping[str, Any]:
    """Return the first words by cosine, without the word itself, and by the q·k of a head of a checkpoint."""
    found = ranking_figure(table, checkpoint_head(table, path=path, head=head), word=word, k=k)
    by_cosine, by_product = ([table.vocabulary[id] for id in found[name]] for name in ("by_cosine", "by_product"))
    return {
        "by_cosine": ", ".join(each for each in by_cosine if each != word),
        "by_product": ", ".join(by_product),
        "cosine_first": ", ".join(each for each in by_cosine[:4] if each != word),
        "product_first": ", ".join(by_product[:3]),
        "common": found["common"],
        "k": k,
    }
