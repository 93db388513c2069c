"""torch's own clipping on sparse gradients of a deferred optimizer, as trainers of other libraries call it."""

import pytest
import torch
from torch import nn

from rowspace.optim import DeferredSGD


@pytest.mark.parametrize("foreach", [False, True, None])
@pytest.mark.parametrize("norm_type", [1.0, 2.0, float("inf")])
def test_clipping_by_torch_scales_the_rows_as_it_does_dense_gradients(assert_close, norm_type, foreach):
    torch.manual_seed(0)
    dense, sparse = (nn.ModuleList([nn.Embedding(10, 3, sparse=s), nn.Linear(3, 2)]) for s in (False, True))
    sparse.load_state_dict(dense.state_dict())
    optimizers = torch.optim.SGD(dense.parameters(), lr=0.1), DeferredSGD(sparse, lr=0.1)
    for table, head in (dense, sparse):
        head(table(torch.tensor([1, 1, 4, 9]))).square().sum().backward()
    clip = torch.nn.utils.clip_grad_norm_
    norms = [clip(model.parameters(), 0.1, norm_type, foreach=foreach) for model in (sparse, dense)]
    assert_close(*norms)
    for optimizer in optimizers:
        optimizer.step()
    for left, right in zip(sparse.parameters(), dense.parameters(), strict=True):
        assert_close(left.detach(), right.detach())


def test_other_operations_on_sparse_gradients_are_those_of_dense_ones_or_refused(assert_close):
    table = nn.Embedding(10, 3, sparse=True)
    optimizer = DeferredSGD(table, lr=0.1)
    table(torch.tensor([1, 1, 4])).sum().backward()
    expected = table.weight.grad.to_dense()
    for reduce in (lambda gradient: gradient.norm(dim=1), lambda gradient: torch.norm(gradient, 2, 1)):
        with pytest.raises(RuntimeError, match="only supports full reductions"):
            reduce(table.weight.grad)
    assert_close(torch.norm(input=table.weight.grad), expected.norm())
    table.weight.grad.data.mul_(0.5)
    table.weight.grad.detach().mul_(0.5)
    assert_close(table.weight.grad.to_dense(), expected / 4)
    optimizer.step()
