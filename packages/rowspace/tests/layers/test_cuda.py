"""Every module on a GPU, compared with the CPU. Only collected on machines with one, see `conftest.py`."""

import os
import subprocess
import sys
import warnings

import pytest
import torch
from tests.layers.contract import CASES, floats, made, mapped, tensors
from torch.utils import _pytree as pytree

from rowspace.optim import DeferredAdamW

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def on_gpu(case):
    return made(case).cuda(), mapped(torch.Tensor.cuda, case.inputs())


def close(actual, expected):
    for ours, theirs in zip(pytree.tree_leaves(actual), pytree.tree_leaves(expected), strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4, check_device=False)


def gradients(module, inputs):
    outputs = [output for output in floats(module(*inputs)) if output.requires_grad]
    if outputs:
        sum((output.float() * output.detach().float().cos()).sum() for output in outputs).backward()
    grads = [weight.grad for weight in module.parameters() if weight.grad is not None]
    return [grad.to_dense() if grad.is_sparse else grad for grad in grads]


@each_case
def test_outputs_and_gradients_equal_those_on_the_cpu(case):
    module, inputs = on_gpu(case)
    output = module(*inputs)
    assert all(tensor.is_cuda for tensor in tensors(output))
    close(output, made(case)(*case.inputs()))
    close(gradients(module, inputs), gradients(made(case), case.inputs()))


@pytest.mark.filterwarnings("ignore")  # of Inductor, about other modes of multiplication
@each_case
def test_compiles_as_one_graph(case):
    torch._dynamo.reset()
    module, inputs = on_gpu(case)
    close(torch.compile(module, fullgraph=True)(*inputs), module(*inputs))


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.name != "TiedHead loss"],  # which counts the targets that it ignores
    ids=lambda case: case.name,
)
def test_the_host_does_not_wait_for_the_gpu(case):
    module, inputs = on_gpu(case)
    module(*inputs)
    warnings.filterwarnings("ignore", "Synchronization debug mode is a prototype")
    torch.cuda.set_sync_debug_mode("error")
    try:
        module(*inputs)
    finally:
        torch.cuda.set_sync_debug_mode("default")


WRONG_ID = """
import torch
from rowspace.layers import HashedEmbedding, TokenEmbedding
{module}.cuda()(torch.tensor([1, 10], device="cuda"))
torch.cuda.synchronize()
"""


@pytest.mark.parametrize("module", ["TokenEmbedding(10, 4)", "HashedEmbedding(10, 4, num_rows=3)"])
@pytest.mark.parametrize(
    ("blocking", "message"), [("0", "device-side assert"), ("1", "UsageError: id 10 at [1] is out")]
)
def test_an_id_out_of_range_stops_the_process(module, blocking, message):
    environment = os.environ | {"CUDA_LAUNCH_BLOCKING": blocking}
    command = [sys.executable, "-c", WRONG_ID.format(module=module)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert process.returncode == 1
    assert message in process.stderr


def test_deferred_adamw_equals_adamw():
    ours = torch.nn.Embedding(200, 8, sparse=True, dtype=torch.float64, device="cuda")
    theirs = torch.nn.Embedding(200, 8, dtype=torch.float64, device="cuda")
    theirs.load_state_dict(ours.state_dict())
    deferred, dense = DeferredAdamW(ours), torch.optim.AdamW(theirs.parameters())
    for _ in range(200):
        ids, upstream = torch.randint(200, (10,), device="cuda"), torch.randn(10, 8, dtype=torch.float64, device="cuda")
        for table, optimizer in ((ours, deferred), (theirs, dense)):
            optimizer.zero_grad()
            table(ids).backward(upstream)
            optimizer.step()
    deferred.flush()
    torch.testing.assert_close(ours.weight, theirs.weight, rtol=1e-12, atol=1e-12)
