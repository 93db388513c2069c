"""The figures of the Order page about attention. They need PyTorch."""

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from rowspace.layers import Alibi, RotaryPosition
from rowspace.table import Table
from rowspace_lab.pages.order.heads import Head, head_inputs, project
from rowspace_lab.pages.order.replies import Attention, Ranking

Ids = NDArray[np.int64]

SCHEMES = ("none", "sinusoid", "learned", "rotary", "alibi")


def attend(rows: Tensor, head: Head, *, scheme: str, causal: bool) -> dict[str, Tensor]:
    """Return queries, keys, values, scores, weights and outputs of a head for the rows of a sentence, in its order."""
    inputs = head_inputs(rows, head, scheme=scheme)
    query, key, value = (project(inputs, head, name) for name in ("query", "key", "value"))
    if scheme == "rotary":
        query, key = (turned[0] for turned in RotaryPosition(query.shape[1])(query[None], key[None]))
    bias = torch.zeros(len(rows), len(rows), dtype=torch.float64)
    if scheme == "alibi":
        places = torch.arange(len(rows))
        bias = bias + Alibi(8, symmetric=not causal)(places, places)[0]  # the first of 8 heads, of slope 1/2
    if causal:
        bias = bias.masked_fill(torch.ones_like(bias).triu(1).bool(), -torch.inf)
    return {
        "queries": query,
        "keys": key,
        "values": value,
        "scores": query @ key.T / query.shape[1] ** 0.5 + bias,
        "weights": scaled_dot_product_attention(query, key, torch.eye(len(rows), dtype=torch.float64), attn_mask=bias),
        "outputs": scaled_dot_product_attention(query, key, value, attn_mask=bias),
    }


def shuffled_back(rows: Tensor, head: Head, order: Tensor, *, scheme: str, causal: bool) -> tuple[Tensor, Tensor]:
    """Attend to the shuffled sentence, and return its weights and its outputs in the order of the sentence."""
    found = attend(rows[order], head, scheme=scheme, causal=causal)
    back = order.argsort()
    return found["weights"], found["outputs"][back]


def largest_difference(rows: Tensor, head: Head, order: Tensor, *, scheme: str, causal: bool) -> float:
    """Return the largest difference that shuffling makes to the outputs of the same tokens."""
    _, outputs = shuffled_back(rows, head, order, scheme=scheme, causal=causal)
    return float((outputs - attend(rows, head, scheme=scheme, causal=causal)["outputs"]).abs().max())


def available_schemes(head: Head, *, count: int) -> list[str]:
    """Return the schemes that fit: rotation needs an even d_k, and position rows must be known and suffice."""
    own = head["positions"] is not None and len(head["positions"]) >= count
    fits = {"rotary": len(head["query"]) % 2 == 0, "learned": own}
    return [scheme for scheme in SCHEMES if fits.get(scheme, True)]


def attention_figure(
    table: Table, ids: Ids, head: Head, *, order: Sequence[int], scheme: str, causal: bool
) -> Attention:
    """Attend to a sentence and to its tokens in another order, and compare the outputs of the same tokens."""
    rows, places = torch.tensor(table[ids]), torch.tensor(order)
    found = attend(rows, head, scheme=scheme, causal=causal)
    weights, restored = shuffled_back(rows, head, places, scheme=scheme, causal=causal)
    schemes = available_schemes(head, count=len(ids))
    return {
        "queries": found["queries"].numpy(),
        "keys": found["keys"].numpy(),
        "values": found["values"].numpy(),
        "scores": found["scores"].numpy(),
        "weights": found["weights"].numpy(),
        "outputs": found["outputs"].numpy(),
        "shuffled_weights": weights.numpy(),
        "shuffled_outputs": restored[places].numpy(),
        "restored": restored.numpy(),
        "difference": float((restored - found["outputs"]).abs().max()),
        "mean_difference": float((restored.mean(0) - found["outputs"].mean(0)).abs().max()),
        "schemes": schemes,
        "differences": np.array(
            [
                [largest_difference(rows, head, places, scheme=name, causal=masked) for masked in (False, True)]
                for name in schemes
            ]
        ),
    }


def ranked(scores: Tensor, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the ids of the k highest scores, and the rank of every id from 1; NaN comes last."""
    order = scores.nan_to_num(nan=-torch.inf).argsort(descending=True, stable=True)
    ranks = torch.empty_like(order)
    ranks[order] = torch.arange(1, len(order) + 1)
    return order[:k].numpy(), ranks.numpy()


def ranking_figure(table: Table, head: Head, *, word: str, k: int) -> Ranking:
    """Rank all tokens by cosine with a word, and by the product of its query with their keys, at one position."""
    row = torch.tensor(table[word])[None]
    query = project(head_inputs(row, head, scheme="none"), head, "query")[0]
    products, cosines = [], []
    for start in range(0, len(table), 8192):
        rows = torch.tensor(np.asarray(table.rows[start : start + 8192])).double()
        products.append(project(head_inputs(rows, head, scheme="none"), head, "key") @ query / len(query) ** 0.5)
        zero = rows.abs().sum(dim=1) == 0  # a row of zeros has no direction
        cosines.append(torch.cosine_similarity(rows, row.double()).masked_fill(zero, torch.nan))
    product, cosine = torch.cat(products), torch.cat(cosines)
    (by_product, product_ranks), (by_cosine, cosine_ranks) = ranked(product, k), ranked(cosine, k)
    return {
        "by_cosine": by_cosine,
        "cosines": cosine[by_cosine].numpy(),
        "cosine_places": product_ranks[by_cosine],  # their ranks in the other list
        "by_product": by_product,
        "products": product[by_product].numpy(),
        "product_places": cosine_ranks[by_product],
        "common": len(set(by_cosine.tolist()) & set(by_product.tolist())),
    }
