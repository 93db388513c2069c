"""How far the rows of a table move in a few steps of an optimizer. This module needs PyTorch."""

from collections.abc import Sequence

from rowspace.layers import lookup  # isort: skip  # first, for its MissingExtraError
import numpy as np
import torch

from rowspace.table import Table
from rowspace_lab.pages.pipeline.figures import Ids
from rowspace_lab.pages.pipeline.replies import Steps
from rowspace_lab.shared.sentence import token_ids, word_ids


def read_ids(table: Table, *, texts: Sequence[str], tokenized: bool, limit: int) -> list[Ids]:
    """Return the ids of each text, by the table's tokenizer or as words."""
    return [(token_ids if tokenized else word_ids)(table, text=text, limit=limit) for text in texts]


def shown_rows(table: Table, read: Sequence[Ids], *, limit: int) -> list[int]:
    """Return at most `limit` ids in ascending order: those read last, then those read before, then any others."""
    candidates = [*np.concatenate(read[::-1]).tolist(), *range(min(limit, len(table)))]
    return sorted(list(dict.fromkeys(candidates))[:limit])


def steps_figure(
    table: Table, read: Sequence[Ids], *, g: Sequence[Sequence[float]], optimizer: str, rate: float, limit: int
) -> Steps:
    """Take a step for each text read. The loss of a step is the sum over its tokens of g times all numbers of the row.

    So the gradient of a token is its g in every dimension. The optimizer is PyTorch's own, with its default settings.
    """
    weight = torch.tensor(np.array(table.rows, np.float32), requires_grad=True)
    taken = getattr(torch.optim, optimizer)([weight], lr=rate)
    ids = shown_rows(table, read, limit=limit)
    distances, norms, moved_rows, gradient_rows = [], [], [], []
    for places, numbers in zip(read, g, strict=True):
        loss = (lookup(torch.from_numpy(places), weight) * torch.tensor(numbers)[:, None]).sum()
        (weight.grad,) = torch.autograd.grad(loss, weight)
        norm = weight.grad.norm(dim=1)
        before = weight.detach().clone()
        taken.step()
        distance = (weight.detach() - before).norm(dim=1)
        distances.append(distance[ids].numpy())
        norms.append(norm[ids].numpy())
        moved_rows.append(int(torch.count_nonzero(distance)))
        gradient_rows.append(int(torch.count_nonzero(norm)))
    return {
        "ids": np.array(ids),
        "names": [table.vocabulary[id] for id in ids],
        "before": before[ids].numpy(),
        "after": weight.detach()[ids].numpy(),
        "distances": np.array(distances),
        "gradient_norms": np.array(norms),
        "moved_rows": moved_rows,
        "gradient_rows": gradient_rows,
        "rate": taken.defaults["lr"],
        "decay": taken.defaults["weight_decay"],
        "vocabulary": len(table),
    }
