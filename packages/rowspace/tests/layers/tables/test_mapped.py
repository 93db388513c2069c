"""A table in a file gives and learns the rows of one in memory."""

import copy
import pickle

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from rowspace.errors import FileFormatError, UsageError
from rowspace.layers import MappedEmbedding, TokenEmbedding
from rowspace.optim import DeferredAdamW

IDS = torch.tensor([[3, 9, 3], [0, 1, 7]])


@pytest.fixture
def path(tmp_path):
    torch.manual_seed(0)
    save_file({"weight": torch.randn(10, 4), "other": torch.ones(3)}, tmp_path / "rows.safetensors")
    return tmp_path / "rows.safetensors"


def test_rows_are_those_of_the_file_in_each_dtype(tmp_path):
    for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64):
        rows = torch.randn(10, 5).to(dtype)
        save_file({"pad": torch.ones(3), "rows": rows}, tmp_path / "rows.safetensors")
        table = MappedEmbedding(tmp_path / "rows.safetensors", scale=2.0)
        table.prefetch(torch.tensor([2, 2, 9, -1, 10]))
        assert table(IDS).equal(rows[IDS] * 2)
        assert table.weight.dtype == dtype
        with pytest.raises(UsageError, match="id 10 at "):
            table(torch.tensor([10]))


def test_the_file_learns_as_a_table_in_memory(path):
    rows = load_file(path)["weight"].clone()  # which is mapped too
    found = []
    for table in (TokenEmbedding(10, 4, sparse=True, _weight=rows.clone()), MappedEmbedding(path, trainable=True)):
        optimizer = DeferredAdamW(table, lr=0.1, weight_decay=0.1)
        for step in range(5):
            optimizer.zero_grad()
            table(IDS[:, : 1 + step % 3]).square().sum().backward()
            optimizer.step()
        optimizer.flush()
        found.append(table.weight.detach().clone())
    table.flush()
    assert found[0].equal(found[1])
    assert load_file(path)["weight"].equal(found[1])
    assert load_file(path)["other"].equal(torch.ones(3))
    assert not found[0].equal(rows)


def test_a_table_that_does_not_learn_leaves_the_file_alone(path):
    before = path.read_bytes()
    table = MappedEmbedding(path)
    assert not table.weight.requires_grad
    with torch.no_grad():
        table.weight.add_(1)
    table.flush()
    assert path.read_bytes() == before


def test_a_new_table_is_zero_and_takes_no_space(tmp_path):
    table = MappedEmbedding.create(tmp_path / "new.safetensors", 2_000_000, 256)
    assert table(torch.tensor([0, 1_999_999])).eq(0).all()
    optimizer = DeferredAdamW(table, lr=0.1, weight_decay=0.0)
    table(torch.tensor([5, 1_999_999])).sum().backward()
    optimizer.step()
    optimizer.flush()
    table.flush()
    status = (tmp_path / "new.safetensors").stat()
    assert status.st_size > 2_000_000_000
    assert status.st_blocks * 512 < 10_000_000
    assert MappedEmbedding(tmp_path / "new.safetensors")(torch.tensor([1_999_999])).ne(0).all()


def test_modules_that_contain_it(path):
    model = nn.ModuleDict({"table": MappedEmbedding(path), "linear": nn.Linear(4, 4)})
    rows = model["table"](IDS)
    assert list(model.state_dict()) == ["linear.weight", "linear.bias"]
    model.load_state_dict(model.state_dict())
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), model.to("cpu"), model.float()):
        assert other["table"](IDS).equal(rows)
    with pytest.raises(UsageError, match="the rows of a MappedEmbedding stay in"):
        model.double()
    with pytest.raises(UsageError, match="cannot be copied; copy the file"):
        copy.deepcopy(MappedEmbedding(path, trainable=True))


def test_files_that_do_not_fit_are_refused(tmp_path, path):
    two = tmp_path / "two.safetensors"
    save_file({"a": torch.ones(3, 2), "b": torch.ones(3, 2), "c": torch.ones(3, 2, dtype=torch.int32)}, two)
    (tmp_path / "text.safetensors").write_text("no table")
    for call, kind, message in (
        (lambda: MappedEmbedding(two), UsageError, "has 3 tables; pass the name of one: a, b, c"),
        (lambda: MappedEmbedding(two, "d"), FileFormatError, "has no table 'd'; it has a, b, c"),
        (lambda: MappedEmbedding(two, "c"), FileFormatError, "c has the dtype I32"),
        (lambda: MappedEmbedding(tmp_path / "text.safetensors"), FileFormatError, "text.safetensors"),
        (lambda: MappedEmbedding.create(path, 3, 2), UsageError, "rows.safetensors exists"),
        (
            lambda: MappedEmbedding.create(tmp_path / "x", 3, 2, dtype=torch.int8),
            UsageError,
            "dtype must be a floating",
        ),
        (lambda: MappedEmbedding.from_pretrained(torch.ones(3, 2)), UsageError, "has its rows in a file"),
    ):
        with pytest.raises(kind, match=message):
            call()
    assert not (tmp_path / "x").exists()
