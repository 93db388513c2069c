"""The gradients of the rows by autograd: compared with a reference loop, and with tied weights. It needs PyTorch."""

from rowspace.layers import lookup  # isort: skip  # first, for its MissingExtraError
import numpy as np
import torch

from rowspace.layers.tables.reference import lookup_backward
from rowspace.table import Table
from rowspace_lab.pages.pipeline.figures import Array, Ids, one_hot_gradient
from rowspace_lab.pages.pipeline.replies import TiedGradient


def other_gradients(ids: Ids, upstream: Array) -> dict[str, Array]:
    """Compute the gradient of the rows with the one-hot matrix, a loop, and autograd."""
    touched, which = np.unique(ids, return_inverse=True)
    weight = torch.zeros(len(touched), upstream.shape[1], dtype=torch.from_numpy(upstream).dtype, requires_grad=True)
    rows = lookup(torch.from_numpy(which), weight)
    (gradient,) = torch.autograd.grad(rows, weight, torch.from_numpy(upstream))
    loop = lookup_backward(which, upstream, len(touched))
    return {**one_hot_gradient(ids, upstream), "loop": loop, "autograd": gradient.numpy()}


def gradient_norms(table: Table, ids: Ids, *, tied: bool) -> Array:
    """Return the norm of the gradient of each row of the table, (V,), for the cross-entropy of the next token.

    The logits are X Wᵀ. W is the table if weights are tied, else a separate matrix with the same values.
    """
    weight = torch.from_numpy(table.rows.astype(np.float32)).requires_grad_()
    head = weight if tied else weight.detach().clone()
    places = torch.from_numpy(ids)
    loss = torch.nn.functional.cross_entropy(lookup(places, weight) @ head.T, places.roll(-1), reduction="sum")
    (gradient,) = torch.autograd.grad(loss, weight)
    norms: Array = gradient.norm(dim=1).numpy()
    return norms


def tied_figure(table: Table, ids: Ids, *, limit: int) -> TiedGradient:
    """Count the nonzero rows of the gradient, and find the largest norm in each of at most `limit` ranges of rows."""
    untied, tied = (gradient_norms(table, ids, tied=way) for way in (False, True))
    edges = np.linspace(0, len(table), min(limit, len(table)) + 1).astype(np.int64)
    return {
        "untied": np.maximum.reduceat(untied, edges[:-1]),
        "tied": np.maximum.reduceat(tied, edges[:-1]),
        "edges": edges,
        "untied_rows": int(np.count_nonzero(untied)),
        "tied_rows": int(np.count_nonzero(tied)),
        "distinct": len(np.unique(ids)),
        "vocabulary": len(table),
    }
