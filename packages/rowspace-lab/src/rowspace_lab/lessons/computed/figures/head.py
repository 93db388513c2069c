"""The figures of lesson 10, which need PyTorch. Heads, logits and terms are those of the Head page."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from rowspace.layers import cost
from rowspace.table import Table
from rowspace_lab.pages.head.figures import logits_figure, tied_head
from rowspace_lab.pages.head.replies import HiddenState
from rowspace_lab.pages.head.terms import most_probable, terms_figure
from rowspace_lab.tables.examples import four_words


def four_logits(*, hidden: Sequence[float]) -> dict[str, Any]:
    """Return logits, probabilities and their entropy for the four words, and the terms of the logit of *cat*."""
    table = four_words()
    head, state = tied_head(table), state_of(hidden)
    found = logits_figure(head, state, softcap=None, temperature=1.0, k=4)
    terms = terms_figure(head, state, id=table.id("cat"), softcap=None, temperature=1.0)
    by_id = np.argsort(found["ids"])
    return {
        "logits": found["logits"][by_id].tolist(),
        "probabilities": found["probabilities"][by_id].tolist(),
        "entropy": found["entropy"] / math.log2(len(table)),
        "terms": terms["terms"][np.argsort(terms["order"])].tolist(),
        "cat": terms["logit"],
    }


def state_of(hidden: Sequence[float]) -> HiddenState:
    """Return a hidden state as the Head page has it."""
    return {"hidden": np.array(hidden, np.float32), "bound": 1.0}


def winner_figure(table: Table, *, hidden: Sequence[float]) -> Mapping[str, Any]:
    """Return the row with the largest logit, and all logits."""
    head, state = tied_head(table), state_of(hidden)
    logits = table.rows @ np.array(hidden)
    return {"answer": most_probable(head, state), "logits": logits_text(table, logits)}


def longer_figure(table: Table, *, hidden: Sequence[float], word: str, factor: float) -> Mapping[str, Any]:
    """Multiply the row of a word by a factor, and return the row with the largest logit."""
    rows = np.array(table.rows)
    before = rows @ np.array(hidden)
    rows[table.id(word)] *= factor
    after, own = rows @ np.array(hidden), table.id(word)
    answer = int(after.argmax())
    return {
        "answer": answer,
        "before": f"{before[own]:.2f}",
        "after": f"{after[own]:.2f}",
        "best": f"{after[answer]:.2f}",
    }


def logits_text(table: Table, logits: NDArray[np.float64]) -> str:
    """Return the logit of each word as text."""
    return ", ".join(f"{word} {logit:.2f}" for word, logit in zip(table.vocabulary, logits.tolist(), strict=True))


def head_parameters_figure(*, rows: int, dim: int, bias: bool) -> Mapping[str, Any]:
    """Count the parameters that an untied head adds to a table."""
    sizes = {"vocab_size": rows, "hidden_size": dim}
    tied, untied = cost(sizes), cost({**sizes, "tie_word_embeddings": False})
    added = untied.num_parameters - tied.num_parameters + rows * bias
    size = f"{2 * added:,} bytes" if added < 2**20 else f"{2 * added / 2**20:,.1f} MiB"
    return {"answer": added, "size": size}


def two_gradients() -> dict[str, Any]:
    """Predict *sat* from the mean of the rows of *the* and *cat*; return the gradients of both uses of the table."""
    table = four_words()
    inputs, outputs = (torch.tensor(table.rows, dtype=torch.float64, requires_grad=True) for _ in range(2))
    hidden = inputs[[table.id("the"), table.id("cat")]].mean(0)
    loss = torch.nn.functional.cross_entropy((hidden @ outputs.T)[None], torch.tensor([table.id("sat")]))
    read, predicted = torch.autograd.grad(loss, (inputs, outputs))
    cat = table.id("cat")
    return {
        "inputs": int(read.any(1).sum()),
        "outputs": int(predicted.any(1).sum()),
        "cat_in": read[cat].tolist(),
        "cat_out": predicted[cat].tolist(),
    }
