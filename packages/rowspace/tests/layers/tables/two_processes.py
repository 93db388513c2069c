"""One of two processes that train together on a CPU; `test_distributed.py` starts both and reads the first's output."""

import warnings

import torch
from safetensors.torch import save_file
from torch import Tensor, distributed, nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from rowspace.layers import (
    ByteNgramEmbedding,
    FactorizedEmbedding,
    HashedNgramEmbedding,
    LoraTable,
    MultiHotEmbedding,
    MultiTokenPrediction,
    QuantizedEmbedding,
    SoftPrompt,
    TiedHead,
    TokenEmbedding,
    TrainableRows,
    roberta,
)

IDS = torch.tensor([[3, 1, 3, 10], [0, 9, 2, 3]])
OFTEN = torch.full((4096,), 3)


def table(**options) -> TokenEmbedding:
    """The same 11 rows in each process; the shard of the second has one row fewer."""
    torch.manual_seed(0)
    return TokenEmbedding(11, 4, padding_idx=1, **options)


def data_parallel() -> dict[str, Tensor]:
    """The sparse gradient, averaged over processes with different ids."""
    model = nn.parallel.DistributedDataParallel(nn.Sequential(table(sparse=True)))
    model(IDS[distributed.get_rank()]).sum().backward()
    gradient = model.module[0].weight.grad
    assert gradient.is_sparse
    return {"data parallel": gradient.to_dense()}


def tensor_parallel(mesh) -> dict[str, Tensor]:
    """Output and gradient of tables split by rows and by columns, with and without a scale."""
    styles = {
        "rows": RowwiseParallel(input_layouts=Replicate()),
        "columns": ColwiseParallel(output_layouts=Replicate()),
    }
    found = {}
    for name, style in styles.items():
        for scale in (None, "sqrt"):
            model = parallelize_module(nn.Sequential(table(scale=scale)), mesh, {"0": style})
            output = model(IDS)
            (output + 1).cos().sum().backward()
            found |= {f"{name} {scale}": output, f"{name} {scale} gradient": model[0].weight.grad.full_tensor()}
        model = parallelize_module(nn.Sequential(table().bfloat16()), mesh, {"0": style})
        model(OFTEN).sum().backward()
        found[f"{name} often"] = model[0].weight.grad.full_tensor()
    return found


class Model(nn.Module):
    """RoBERTa's input, and a head with a bias."""

    def __init__(self) -> None:
        super().__init__()
        self.input = roberta(11, 4, max_positions=6)
        self.head = TiedHead(self.input.tokens, bias=True)

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.input(ids))


def built_on_meta(mesh) -> dict[str, Tensor]:
    """The parameters of a model sharded on the meta device and then initialized."""
    with torch.device("meta"):
        model = Model().eval()
    fully_shard(model, mesh=mesh)
    model.to_empty(device="cpu")
    for weight in model.parameters():
        nn.init.constant_(weight, 7.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # from torch: on a CPU each process uses its own generator
        for module in model.modules():
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()
    assert model(IDS).isfinite().all()
    model.reshard()
    return {f"sharded {name}": weight.full_tensor().detach() for name, weight in model.named_parameters()}


class Together(nn.Module):
    """A table under a head, tokens ahead, several ids at once, n-grams, and a prompt: the sum of their losses."""

    def __init__(self, tokens: nn.Module) -> None:
        super().__init__()
        self.tokens = tokens
        self.head = TiedHead(tokens)
        self.ahead = MultiTokenPrediction(tokens, self.head, 4, [nn.Linear(4, 4)])
        self.bags = MultiHotEmbedding(11, 4, padding_idx=0)
        self.hashed = HashedNgramEmbedding(11, 4, num_rows=7, boundary_id=0, heads=2)
        self.bytes = ByteNgramEmbedding(4, num_rows=9, sizes=(2, 3))
        self.prompt = SoftPrompt(3, 4)

    def forward(self, ids: Tensor) -> Tensor:
        hidden = self.tokens(ids) + self.hashed(ids) + self.bytes(ids) + self.bags(ids, ids / 10)[:, None]
        hidden = self.prompt(hidden).cumsum(1)[:, 3:]
        return self.head.loss(hidden, ids) + self.ahead(hidden, ids)


TABLES = {
    "plain": lambda: TokenEmbedding(11, 4),
    "trainable rows": lambda: TrainableRows(TokenEmbedding(11, 4), [2, 3, 9]),
    "lora": lambda: LoraTable(TokenEmbedding(11, 4), 2),
    "quantized": lambda: QuantizedEmbedding.from_float(torch.randn(11, 4)),
    "factorized": lambda: FactorizedEmbedding(11, 4, inner_dim=2),
}


def together(kind: str) -> Together:
    """The same module in each process."""
    torch.manual_seed(0)
    return Together(TABLES[kind]())


def fully_sharded(mesh) -> dict[str, Tensor]:
    """The loss and the gradients of modules whose parameters are all sharded."""
    found = {}
    for kind in TABLES:
        model = together(kind)
        fully_shard(model, mesh=mesh)
        loss = model(IDS)
        loss.backward()
        found[f"fully {kind} loss"] = loss
        for name, weight in model.named_parameters():
            if weight.grad is not None:
                found[f"fully {kind} {name}"] = weight.grad.full_tensor()
    return found


def main(rank: int, rendezvous: str, output: str) -> None:
    """Run all cases; the first process writes the results to a safetensors file."""
    distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=2)
    mesh = distributed.init_device_mesh("cpu", (2,))
    found = data_parallel() | tensor_parallel(mesh) | built_on_meta(mesh) | fully_sharded(mesh)
    if rank == 0:
        save_file({name: tensor.detach().clone() for name, tensor in found.items()}, output)
    distributed.destroy_process_group()
