import torch
from torch import nn

from rowspace.layers import TokenEmbedding
from rowspace.layers.base_modules import CountedModule


def test_shared_tensor_counts_once() -> None:
    module = CountedModule()
    module.table = TokenEmbedding(10, 4)
    module.head = nn.Linear(4, 10, bias=False)
    module.head.weight = module.table.weight
    module.register_buffer("mask", torch.zeros(3, dtype=torch.int8))
    assert (module.num_parameters, module.bytes) == (43, 163)


def test_bytes_depend_on_the_dtype() -> None:
    assert TokenEmbedding(10, 4).bfloat16().bytes == 80
