"""`clip_grad_norm_` equals torch's on the dense equivalent of sparse gradients."""

import pytest
import torch
from torch import nn

from rowspace.optim import clip_grad_norm_


@pytest.mark.parametrize("norm_type", [1.0, 2.0, 3.5, float("inf")])
@pytest.mark.parametrize("max_norm", [0.1, 1e6])
def test_equals_torch_on_dense_gradients(assert_close, norm_type, max_norm):
    torch.manual_seed(0)
    dense, sparse = (nn.ModuleList([nn.Embedding(10, 3, sparse=s), nn.Linear(3, 2)]) for s in (False, True))
    sparse.load_state_dict(dense.state_dict())
    for table, head in (dense, sparse):
        head(table(torch.tensor([1, 1, 4, 9]))).square().sum().backward()
    ours = clip_grad_norm_(sparse.parameters(), max_norm, norm_type)
    theirs = torch.nn.utils.clip_grad_norm_(dense.parameters(), max_norm, norm_type)
    assert_close(ours, theirs)
    for left, right in zip(sparse.parameters(), dense.parameters(), strict=True):
        assert_close(left.grad.to_dense(), right.grad)


def test_gradients_that_are_missing_or_not_finite():
    assert clip_grad_norm_(nn.Linear(2, 2).parameters(), 1.0) == 0
    weight = nn.Parameter(torch.ones(2))
    weight.grad = torch.tensor([float("nan"), 1.0])
    assert clip_grad_norm_(weight, 1.0).isnan()
    with pytest.raises(RuntimeError, match="non-finite"):
        clip_grad_norm_(weight, 1.0, error_if_nonfinite=True)
