"""The figures of the Head page. They need PyTorch."""

import math
from collections.abc import Sequence
from copy import copy

import numpy as np
import torch
from numpy.typing import NDArray

from rowspace.layers import CATALOGUE, TiedHead, UntiedHead, cost
from rowspace.table import Table
from rowspace_lab.pages.head.replies import HiddenState, Logits, Tying


def example_hidden() -> NDArray[np.float32]:
    """Return the hidden state for the table of four words, (3,)."""
    return np.array([0.6, 0.1, 0.3], np.float32)


def word_row(table: Table, *, word: str) -> NDArray[np.float32]:
    """Return the row of a word, to use it as a hidden state."""
    with np.errstate(over="ignore"):
        return table[word].astype(np.float32)


def moved_state(start: NDArray[np.float32], *, dims: Sequence[int], values: Sequence[float]) -> HiddenState:
    """Replace values of the hidden state at some dimensions, and return it with the range of the sliders."""
    hidden = start.copy()
    hidden[dims] = values
    return {"hidden": hidden, "bound": max(2 * float(np.abs(start).max()), *map(abs, values)) or 1.0}


def tied_head(table: Table) -> TiedHead:
    """Create a head that uses the table as its matrix, copied to float32 since the table is read-only."""
    weight = torch.tensor(table.rows, dtype=torch.float32)
    return TiedHead(torch.nn.Embedding.from_pretrained(weight))


def untied_head(table: Table) -> UntiedHead:
    """Create an untrained head, initialized from a fixed seed without changing PyTorch's global generator."""
    with torch.device("meta"):
        head = UntiedHead(table.dim, len(table))
    head.to_empty(device="cpu").reset_parameters(torch.Generator().manual_seed(0))
    return head


def logits_figure(
    head: TiedHead | UntiedHead, state: HiddenState, *, softcap: float | None, temperature: float, k: int
) -> Logits:
    """Compute the logit of every row for a hidden state, and the softmax over the finite logits."""
    hidden = torch.from_numpy(state["hidden"])
    capped = copy(head)  # shares the weight
    capped.softcap, capped.temperature = softcap, temperature
    with torch.no_grad():
        products, logits = head(hidden), capped(hidden).double()  # both with the bias, if the head has one
    lost = ~logits.isfinite()
    logits[lost] = -math.inf
    probabilities, order = logits.softmax(0), logits.argsort(descending=True, stable=True)
    ids = order[: min(k, int((~lost).sum()))]
    held = probabilities[order].cumsum(0)
    ranks = np.unique(np.geomspace(1, len(order), 60).round().astype(np.int64))
    return {
        **state,
        "rows": len(logits),
        "ids": ids.numpy(),
        "products": products[ids].numpy(),  # before softcap and temperature
        "logits": logits[ids].numpy(),
        "probabilities": probabilities[ids].numpy(),
        "vectors": head.weight.detach()[ids].numpy(),
        "ranks": ranks,
        "mass": held.numpy()[ranks - 1],
        "entropy": float(torch.special.entr(probabilities).sum() / math.log(2)),
        "beyond": max(0.0, 1 - float(probabilities[ids].sum())),
        "half": int((held < 0.5).sum()) + 1,
        "lost": int(lost.sum()),
    }


def tying_figure(table: Table, *, dtype: str) -> Tying:
    """Return the size of the matrix that tying saves, for the table and for each published model with a head."""
    sizes = {"vocab_size": len(table), "hidden_size": table.dim}
    tied, untied = cost(sizes), cost({**sizes, "tie_word_embeddings": False})
    models = {name: model for name, model in CATALOGUE.items() if model.cost.head_matrix}
    matrices = np.array([model.cost.head_matrix for model in models.values()])
    return {
        "own": np.array([untied.num_parameters - tied.num_parameters, untied.bytes[dtype] - tied.bytes[dtype]]),
        "models": list(models),
        "tied": [model.tied for model in models.values()],
        "sizes": [(model.num_embeddings, model.cost.row_dim) for model in models.values()],
        "matrices": matrices,
        "saved": matrices * (tied.bytes[dtype] // tied.num_parameters),  # bytes per number
        "parameters": np.array([model.parameters for model in models.values()]),
    }
