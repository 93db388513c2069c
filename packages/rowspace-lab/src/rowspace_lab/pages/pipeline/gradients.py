"""The gradient of the rows by a reference loop and by autograd. This module needs PyTorch."""

from rowspace.layers import lookup  # isort: skip  # first, for its MissingExtraError
import numpy as np
import torch

from rowspace.layers.tables.reference import lookup_backward
from rowspace_lab.pages.pipeline.figures import Array, Ids, one_hot_gradient


def other_gradients(ids: Ids, upstream: Array) -> dict[str, Array]:
    """Compute the gradient of the rows with the one-hot matrix, a loop, and autograd."""
    touched, which = np.unique(ids, return_inverse=True)
    weight = torch.zeros(len(touched), upstream.shape[1], dtype=torch.from_numpy(upstream).dtype, requires_grad=True)
    rows = lookup(torch.from_numpy(which), weight)
    (gradient,) = torch.autograd.grad(rows, weight, torch.from_numpy(upstream))
    loop = lookup_backward(which, upstream, len(touched))
    return {**one_hot_gradient(ids, upstream), "loop": loop, "autograd": gradient.numpy()}
