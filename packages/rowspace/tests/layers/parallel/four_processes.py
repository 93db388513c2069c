"""One of four processes that split vocabularies on a CPU; `test_vocabulary_parallel.py` starts them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import torch
from safetensors.torch import save_file
from torch import Tensor, distributed, nn
from torch.distributed import checkpoint
from torch.distributed.checkpoint.state_dict import get_state_dict, set_state_dict
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import DTensor, Replicate, distribute_tensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

from rowspace.errors import UsageError
from rowspace.layers import TiedHead, TokenEmbedding, UntiedHead, vocabulary_parallel

SIZE, DIM = 103, 16  # 26 rows in each of the first three processes, 25 in the last one


class Model(nn.Module):
    """A language model without attention."""

    def __init__(self, *, tied: bool = True, **options: Any) -> None:
        super().__init__()
        self.tokens = TokenEmbedding(SIZE, DIM, padding_idx=1, scale="sqrt", init=nn.init.normal_)
        self.body = nn.Linear(DIM, DIM)
        self.head = TiedHead(self.tokens, **options) if tied else UntiedHead(DIM, SIZE, **options)
        if self.head.bias is not None:
            nn.init.normal_(self.head.bias)

    def forward(self, ids: Tensor, targets: Tensor, *, by_logits: bool = False, **options: Any) -> Tensor:
        hidden = torch.tanh(self.body(self.tokens(ids)))
        if by_logits:
            return nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), targets.flatten())
        return self.head.loss(hidden, targets, **options)


@dataclass(frozen=True)
class Case:
    """The options of the model, and of its loss."""

    model: dict[str, Any] = field(default_factory=dict)
    loss: dict[str, Any] = field(default_factory=dict)


CASES = {
    "tied": Case(),
    "untied": Case({"tied": False}),
    "logits": Case({"bias": True}, {"by_logits": True}),
    "untied logits": Case({"tied": False, "bias": True, "softcap": 3.0, "temperature": 0.7}, {"by_logits": True}),
    "all options": Case(
        {"bias": True, "scale": "rsqrt", "softcap": 3.0, "temperature": 0.7},
        {"label_smoothing": 0.1, "z_loss": 1e-2, "ignore_index": 7, "chunk_size": 5, "reduction": "sum"},
    ),
    "rows": Case({"tied": False, "bias": True}, {"reduction": "none", "label_smoothing": 0.1}),
    "class weights": Case({"bias": True}, {"class_weights": torch.linspace(0.5, 2, SIZE), "reduction": "sum"}),
    "all ignored": Case({}, {"ignore_index": 7, "reduction": "sum"}),
}
MESHES = {"1": (4, 1), "2": (2, 2), "4": (1, 4)}


def batch(case: Case) -> tuple[Tensor, Tensor]:
    """Ids and targets (4, 8)."""
    generator = torch.Generator().manual_seed(5)
    ids, targets = torch.randint(SIZE, (2, 4, 8), generator=generator)
    ids[0, :3] = 1  # the padding
    if case is CASES["all ignored"]:
        targets[:] = 7
    return ids, targets


def make(case: Case, dtype: torch.dtype = torch.float32) -> Model:
    """The same model in each process."""
    torch.manual_seed(0)
    return Model(**case.model).to(dtype)


def step(model: nn.Module, case: Case, *batches: tuple[Tensor, Tensor]) -> dict[str, Tensor]:
    """The loss, all gradients, and all parameters after a step of AdamW; the loss is the mean over the batches."""
    losses = [model(*each, **case.loss).square().sum() for each in batches]
    loss = sum(losses) / len(losses)
    loss.backward()
    found = {"loss": loss} | {f"{name} gradient": each.grad for name, each in model.named_parameters()}
    torch.optim.AdamW(model.parameters(), lr=0.01).step()
    return {name: whole(tensor) for name, tensor in (found | dict(model.named_parameters())).items()}


def whole(tensor: Tensor) -> Tensor:
    """All of a tensor, distributed or not."""
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().clone()


def alone() -> Iterator[tuple[str, Tensor]]:
    """Steps on meshes of 1, 2 and 4 processes; the replicas do the same."""
    for processes, shape in MESHES.items():
        mesh = distributed.init_device_mesh("cpu", shape, mesh_dim_names=("data", "vocabulary"))["vocabulary"]
        for dtype in (torch.float32, torch.float64):
            for name, case in CASES.items():
                for part, tensor in step(vocabulary_parallel(make(case, dtype), mesh), case, batch(case)).items():
                    yield f"{processes} / {dtype} / {name} / {part}", tensor


def with_fully_shard() -> Iterator[tuple[str, Tensor]]:
    """Steps on a mesh of 2 × 2: each pair of processes has one half of the batch."""
    mesh = distributed.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "vocabulary"))
    for name, case in CASES.items():
        model = vocabulary_parallel(make(case), mesh["vocabulary"])
        fully_shard(model, mesh=mesh["data"])
        found = step(model, case, halves(case)[mesh["data"].get_local_rank()])
        del found["loss"]  # of the half
        for part, tensor in found.items():
            yield f"2 x 2 / {name} / {part}", tensor


def halves(case: Case) -> list[tuple[Tensor, Tensor]]:
    """The batch as two batches (2, 8)."""
    return list(zip(*(part.split(2) for part in batch(case)), strict=True))


def refused() -> Iterator[tuple[str, str]]:
    """The messages for what only several processes can do wrong."""
    rank = distributed.get_rank()
    mesh = distributed.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "vocabulary"))
    ids, targets = batch(CASES["tied"])
    model = vocabulary_parallel(make(CASES["tied"]), mesh["vocabulary"])
    hidden = torch.tanh(model.tokens(ids)).detach()
    torch.manual_seed(rank)  # a seed of its own, as for dropout
    yield "ids", message(lambda: model.tokens(ids + rank))
    yield "number of ids", message(lambda: model.tokens(ids[rank % 2 :]))
    yield "targets", message(lambda: model.head.loss(hidden, targets.roll(rank % 2)))
    yield "hidden", message(lambda: model.head.loss(nn.functional.dropout(hidden, 0.5), targets))
    yield "hidden, logits", message(lambda: model.head(nn.functional.dropout(hidden, 0.5)))
    yield "number of hidden, logits", message(lambda: model.head(hidden[rank % 2 :]))
    yield "id out of range", message(lambda: model.tokens(ids + SIZE))
    yield "target out of range", message(lambda: model.head.loss(hidden, targets + SIZE))
    yield "few rows", message(lambda: vocabulary_parallel(nn.Sequential(TokenEmbedding(5, 2)), flat_mesh()))
    yield "data parallel", message(lambda: in_data_parallel(model)(ids, targets))
    yield "torch.func", message(lambda: torch.func.vmap(model.tokens)(ids))
    yield "distributed ids", message(lambda: model.tokens(distribute_tensor(ids, mesh["data"])))
    fully_shard(model.tokens, mesh=mesh["data"])
    fully_shard(model, mesh=mesh["data"])
    yield "layer by layer", message(lambda: model(ids, targets))
    yield "layer by layer, logits", message(lambda: model(ids, targets, by_logits=True))
    model = vocabulary_parallel(make(CASES["tied"]), mesh["vocabulary"])
    model.head.embedding = TokenEmbedding(SIZE, DIM)
    fully_shard(model.head.embedding, mesh=mesh["vocabulary"])
    yield "another table on the same mesh", message(lambda: model.head.loss(hidden, targets))


def compiled() -> Iterator[tuple[str, Tensor]]:
    """What torch.compile traces as one graph, in two of the processes: a step, and tables that torch splits."""
    mesh = distributed.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "vocabulary"))
    if mesh["data"].get_local_rank() > 0:
        return
    case = CASES["all options"]
    model = vocabulary_parallel(make(case), mesh["vocabulary"])
    model.compile(backend="aot_eager", fullgraph=True)
    for part, tensor in step(model, case, batch(case)).items():
        yield f"compiled / {part}", tensor
    rows, columns = RowwiseParallel(input_layouts=Replicate()), ColwiseParallel(output_layouts=Replicate())
    for name, style in (("rows", rows), ("columns", columns)):
        table = nn.Sequential(make(case).tokens)
        parallelize_module(table, mesh["vocabulary"], {"0": style})
        table.compile(backend="aot_eager", fullgraph=True)
        output = table(batch(case)[0])
        (output + 1).cos().sum().backward()
        yield f"compiled {name}", output
        yield f"compiled {name} gradient", whole(table[0].weight.grad)


def restored(folder: Path) -> Iterator[tuple[str, Tensor]]:
    """Parameters and moments saved by 4 processes after a step, read by 4, 2 and 1, and after another step there."""
    case = CASES["untied logits"]
    for processes in ("4", "2", "1"):
        mesh = distributed.init_device_mesh("cpu", MESHES[processes], mesh_dim_names=("data", "vocabulary"))
        group = mesh["vocabulary"].get_group()
        model = vocabulary_parallel(make(case, torch.float64), mesh["vocabulary"])
        optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
        if processes == "4":
            advance(model, optimizer, case)
            checkpoint.save(dict(zip("mo", get_state_dict(model, optimizer), strict=True)), checkpoint_id=folder)
        state = dict(zip("mo", get_state_dict(model, optimizer), strict=True))
        checkpoint.load(state, checkpoint_id=folder, process_group=group)
        set_state_dict(model, optimizer, model_state_dict=state["m"], optim_state_dict=state["o"])
        yield from tensors_of(f"read by {processes}", model, optimizer)
        advance(model, optimizer, case)
        yield from tensors_of(f"continued by {processes}", model, optimizer)


def payload() -> Iterator[tuple[str, Tensor]]:
    """The bytes that a process passes to `all_reduce` in a lookup and a loss, forward and backward."""
    mesh = distributed.init_device_mesh("cpu", (4,))
    for name, options in (("plain", {}), ("smoothed", {"label_smoothing": 0.1})):
        model = vocabulary_parallel(make(CASES["untied"]), mesh)
        with mock.patch.object(distributed, "all_reduce", wraps=distributed.all_reduce) as reduce:
            model(*batch(CASES["untied"]), **options).backward()
        sent = [call.args[0].numel() * call.args[0].element_size() for call in reduce.call_args_list]
        yield f"bytes / {name}", torch.tensor(sum(sent))


def built_on_meta() -> Iterator[tuple[str, Tensor]]:
    """Tables that are split, and sharded, before they have memory."""
    mesh = distributed.init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "vocabulary"))
    for init in ("normal", "xavier"):
        with torch.device("meta"):
            model = make(CASES["untied"])
        model.tokens.init = init
        fully_shard(vocabulary_parallel(model, mesh["vocabulary"]), mesh=mesh["data"])
        model.to_empty(device="cpu")
        model.tokens.reset_parameters()
        model.head.reset_parameters()
        yield f"meta / {init}", whole(model.tokens.weight)
        yield "meta / head", whole(model.head.weight)


def advance(model: nn.Module, optimizer: torch.optim.Optimizer, case: Case) -> None:
    """Take a step."""
    optimizer.zero_grad()
    model(*batch(case), **case.loss).backward()
    optimizer.step()


def tensors_of(prefix: str, model: nn.Module, optimizer: torch.optim.Optimizer) -> Iterator[tuple[str, Tensor]]:
    """All of each parameter and of its moments."""
    for name, parameter in model.named_parameters():
        yield f"{prefix} / {name}", whole(parameter)
        for moment in ("exp_avg", "exp_avg_sq"):
            yield f"{prefix} / {name} {moment}", whole(optimizer.state[parameter][moment])


def in_data_parallel(model: nn.Module) -> nn.Module:
    """DistributedDataParallel, which accepts a split model only if it ignores the split parameters."""
    ignored = [name for name, parameter in model.named_parameters() if isinstance(parameter, DTensor)]
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(model, ignored)
    return DistributedDataParallel(model)


def flat_mesh() -> DeviceMesh:
    return distributed.init_device_mesh("cpu", (4,))


def message(function: Callable[[], object]) -> str:
    """The message of the `UsageError` of a call; any other exception stops the process."""
    try:
        function()
    except UsageError as error:
        return str(error)
    return "nothing was raised"


def main(rank: int, rendezvous: str, output: str) -> None:
    """Run all cases; the first process writes the results to a safetensors file, with the messages as metadata."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=4)
    messages = dict(refused())
    found = dict(alone()) | dict(with_fully_shard()) | dict(compiled())
    found |= dict(payload()) | dict(built_on_meta()) | dict(restored(Path(output).parent / "checkpoint"))
    if rank == 0:
        save_file(found, output, metadata=messages)
    distributed.destroy_process_group()
