"""Vocabularies split over one, two and four local processes, compared with one process that has the whole table.

Four processes (`four_processes.py`) run once for all tests of this file.
"""

import copy
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from tests.forked import run_forked
from tests.layers.parallel import four_processes
from tests.layers.parallel.four_processes import CASES, batch, halves, make, step
from torch import distributed, nn
from torch.distributed.fsdp import fully_shard

from rowspace.errors import UsageError
from rowspace.layers import (
    LoraTable,
    MatryoshkaEmbedding,
    SegmentEmbedding,
    TiedHead,
    TokenEmbedding,
    UnitNorm,
    UntiedHead,
    bert,
    vocabulary_parallel,
)
from rowspace.optim import DeferredAdamW, clip_grad_norm_


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The tensors and the messages of the four processes, by name."""
    folder = tmp_path_factory.mktemp("processes")
    output = folder / "found.safetensors"
    run_forked(Path(four_processes.__file__), 4, folder / "meeting", output)
    with safe_open(output, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118  not a dict


def assert_near(found, expected, relative, name):
    """Compare with a bound relative to the largest number."""
    apart = (found - expected).abs().max() / expected.abs().max().clamp(min=1e-30)
    assert apart <= relative, f"{name}: {apart:.1e}"


@pytest.mark.long
def test_loss_gradients_and_a_step_equal_those_of_one_process(results):
    for dtype, relative in ((torch.float32, 1e-6), (torch.float64, 1e-14)):
        for name, case in CASES.items():
            for part, expected in step(make(case, dtype), case, batch(case)).items():
                for processes in four_processes.MESHES:
                    key = f"{processes} / {dtype} / {name} / {part}"
                    assert_near(results[0][key], expected, relative, key)


@pytest.mark.long
def test_fully_shard_over_the_other_dimension_equals_one_process(results):
    for name, case in CASES.items():
        expected = step(make(case), case, *halves(case))
        del expected["loss"]
        for part, tensor in expected.items():
            assert_near(results[0][f"2 x 2 / {name} / {part}"], tensor, 1e-6, f"{name} / {part}")


@pytest.mark.long
def test_a_compiled_model_equals_one_process(results):
    case = CASES["all options"]
    for part, expected in step(make(case), case, batch(case)).items():
        assert_near(results[0][f"compiled / {part}"], expected, 1e-6, part)


@pytest.mark.long
def test_compiled_tables_that_torch_splits_equal_one_process(results):
    table = make(CASES["all options"]).tokens
    output = table(batch(CASES["all options"])[0])
    (output + 1).cos().sum().backward()
    for name in ("rows", "columns"):
        torch.testing.assert_close(results[0][f"compiled {name}"], output)
        torch.testing.assert_close(results[0][f"compiled {name} gradient"], table.weight.grad)


@pytest.mark.long
def test_checkpoints_of_four_processes_are_read_by_two_and_one(results):
    """Bit for bit; the step after it is that of one process."""
    case = CASES["untied logits"]
    model = make(case, torch.float64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for prefix in ("read", "continued"):
        four_processes.advance(model, optimizer, case)
        for name, expected in four_processes.tensors_of("", model, optimizer):
            saved = results[0][f"{prefix} by 4{name}"]
            assert_near(saved, expected, 1e-12, f"{prefix}{name}")
            for processes in "21":
                found = results[0][f"{prefix} by {processes}{name}"]
                assert prefix != "read" or torch.equal(found, saved), name
                assert_near(found, expected, 1e-12, f"{prefix} by {processes}{name}")


@pytest.mark.long
def test_bytes_sent_do_not_depend_on_the_vocabulary(results):
    tokens, width, compared = 4 * 8, four_processes.DIM, 2 * 2 * 18 * 4  # a lookup and a loss compare 2 × 18 numbers
    for name, numbers in (("plain", 3), ("smoothed", 4)):
        sent = (2 * tokens * width + numbers * tokens) * 4 + compared
        assert results[0][f"bytes / {name}"].item() == sent


@pytest.mark.long
def test_what_goes_wrong_between_processes_is_one_sentence(results):
    expected = {
        "ids": "the ids differ between the 2 processes that split the vocabulary; pass the same batch to all of them",
        "number of ids": "the ids differ between the 2 processes",
        "targets": "the targets differ between the 2 processes",
        "hidden": "the hidden states differ between the 2 processes",
        "hidden, logits": "the hidden states differ between the 2 processes",
        "number of hidden, logits": "the shapes of the hidden states differ between the 2 processes",
        "id out of range": "is out of range for a table of 103 rows",
        "target out of range": "is out of range for 103 rows of weight",
        "few rows": "0 has 5 rows, too few to split over 4 processes",
        "data parallel": "DistributedDataParallel would average the gradients of different rows",
        "torch.func": "transforms of torch.func do not support a vocabulary that is split",
        "distributed ids": "the ids are a DTensor",
        "layer by layer": "put table and head into one unit",
        "layer by layer, logits": "put table and head into one unit",
        "another table on the same mesh": "the head got another embedding after vocabulary_parallel",
    }
    assert expected.keys() == results[1].keys()
    for name, part in expected.items():
        assert part in results[1][name], f"{name}: {results[1][name]}"


@pytest.fixture
def mesh(tmp_path):
    """A mesh of only this process."""
    store = distributed.FileStore(str(tmp_path / "store"), 1)
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield distributed.init_device_mesh("cpu", (1,))
    distributed.destroy_process_group()


def with_sparse_table():
    return nn.Sequential(TokenEmbedding(9, 4, sparse=True))


def with_deferred_optimizer():
    model = with_sparse_table()
    model.optimizer = DeferredAdamW(model)
    model[0].sparse = False
    return model


def with_shared_parameter():
    model = nn.ModuleDict({"tokens": TokenEmbedding(9, 4), "head": nn.Linear(4, 9)})
    model["head"].weight = model["tokens"].weight
    return model


REFUSED = {
    "0 has sparse=True": with_sparse_table,
    "0 belongs to a deferred optimizer": with_deferred_optimizer,
    "0 has a constraint": lambda: nn.Sequential(TokenEmbedding(9, 4, constraint=UnitNorm())),
    "0 is a MatryoshkaEmbedding, which reads its table in its own way": lambda: nn.Sequential(
        MatryoshkaEmbedding(9, 4)
    ),
    "head, a Linear, has the same parameter as tokens": with_shared_parameter,
    "TiedHead is tied to a Embedding": lambda: TiedHead(nn.Embedding(9, 4)),
    "1 is tied to a TokenEmbedding that is not": lambda: nn.Sequential(nn.Linear(4, 4), TiedHead(TokenEmbedding(9, 4))),
    "Linear has no TokenEmbedding, TiedHead or UntiedHead": lambda: nn.Linear(4, 9),
}


def test_models_that_cannot_be_split_are_refused_and_not_changed(mesh):
    for sentence, build in REFUSED.items():
        model = build()
        before = dict(model.named_parameters())
        with pytest.raises(UsageError) as caught:
            vocabulary_parallel(model, mesh)
        assert str(caught.value).startswith(sentence), str(caught.value)
        assert all(parameter is before[name] for name, parameter in model.named_parameters())


def test_distributed_tables_and_meshes_of_two_dimensions_are_refused(mesh):
    model = make(CASES["untied"])
    with pytest.raises(UsageError, match="mesh must be a DeviceMesh, not 4"):
        vocabulary_parallel(model, 4)
    with pytest.raises(UsageError, match=r"shape \(1, 1\); pass mesh\['b'\]"):
        vocabulary_parallel(model, distributed.init_device_mesh("cpu", (1, 1), mesh_dim_names=("a", "b")))
    vocabulary_parallel(model, mesh)
    with pytest.raises(UsageError, match="tokens is distributed already"):
        vocabulary_parallel(model, mesh)


def test_copies_frozen_tables_and_inputs_of_models_work(mesh):
    torch.manual_seed(0)
    model = nn.ModuleDict({"input": bert(11, 8).eval()})
    model["head"] = TiedHead(model["input"].tokens)
    model["input"].tokens.weight.requires_grad_(False)
    ids = torch.tensor([[3, 1, 3, 10]])
    expected = model["head"](model["input"](ids))
    model = copy.deepcopy(vocabulary_parallel(model, mesh))
    torch.testing.assert_close(model["head"](model["input"](ids)), expected)
    assert not model["input"].tokens.weight.requires_grad
    segments = next(part for part in model.modules() if isinstance(part, SegmentEmbedding))
    assert type(segments.weight) is nn.Parameter


def test_a_model_on_the_meta_device_is_split_before_it_has_memory(mesh):
    with torch.device("meta"):
        model = make(CASES["untied logits"])
    model.tokens.init = "normal"
    vocabulary_parallel(model, mesh).to_empty(device="cpu")
    for part in (model.tokens, model.body, model.head):
        part.reset_parameters()
    ids, targets = batch(CASES["tied"])
    model(ids, targets).backward()
    assert model.head.weight.grad.to_local().isfinite().all()


def test_fully_shard_refuses_a_table_with_sparse_gradients(mesh):
    """It would fail in backward only."""
    with pytest.raises(UsageError, match=r"has sparse gradients, which cannot be sharded; .* ignored_params="):
        fully_shard(with_sparse_table(), mesh=mesh)


def test_gradients_of_split_and_sharded_parameters_are_clipped_together(mesh):
    plain = make(CASES["untied"])
    plain(*batch(CASES["untied"])).backward()
    expected = nn.utils.clip_grad_norm_(plain.parameters(), 0.1)
    mesh = distributed.init_device_mesh("cpu", (1, 1), mesh_dim_names=("data", "vocabulary"))
    model = vocabulary_parallel(make(CASES["untied"]), mesh["vocabulary"])
    fully_shard(model, mesh=mesh["data"])
    model(*batch(CASES["untied"])).backward()
    torch.testing.assert_close(clip_grad_norm_(model.parameters(), 0.1), expected)
    for name, each in model.named_parameters():
        torch.testing.assert_close(each.grad.full_tensor(), plain.get_parameter(name).grad)


@pytest.mark.long
def test_rows_that_are_initialized_in_parts_differ(results):
    """The processes have equal seeds."""
    for name, deviation in (("normal", 0.02), ("xavier", (2 / 119) ** 0.5), ("head", 0.02)):
        rows = results[0][f"meta / {name}"]
        if name != "head":
            assert not rows[1].any()  # the padding
            rows = torch.cat([rows[:1], rows[2:]])
        assert len(rows.unique()) == rows.numel(), name
        assert abs(rows.std() / deviation - 1) < 0.06, name


def test_two_heads_may_share_a_matrix(mesh):
    model = nn.ModuleList([UntiedHead(4, 9), UntiedHead(4, 9)])
    model[1].weight = model[0].weight
    vocabulary_parallel(model, mesh)
    assert model[0].weight is model[1].weight


def test_a_table_with_an_adapter_is_refused(mesh):
    with pytest.raises(UsageError, match="LoraTable"):
        vocabulary_parallel(nn.Sequential(LoraTable(TokenEmbedding(9, 4), rank=2)), mesh)
