"""`torch.onnx.export(dynamo=True)` of the loss, 4-bit codes, n-grams and rows in texts, compared with onnxruntime."""

import onnxruntime
import pytest
import torch
from torch import nn
from torch.export import Dim

from rowspace.layers import (
    ByteNgramEmbedding,
    FactorizedEmbedding,
    HashedNgramEmbedding,
    LoraTable,
    MultiHotEmbedding,
    QuantizedEmbedding,
    SoftPrompt,
    TiedHead,
    TokenEmbedding,
    TrainableRows,
    positions_of_packed,
    replace_rows,
)


class Loss(nn.Module):
    """Hidden states and targets → the loss through a tied head."""

    def __init__(self, options):
        super().__init__()
        torch.manual_seed(0)
        self.tokens, self.options = nn.Embedding(11, 5), options
        self.head = TiedHead(self.tokens, bias=True, softcap=3.0)

    def forward(self, hidden, targets):
        return self.head.loss(hidden, targets, **self.options)


OPTIONS = (
    {},
    {"reduction": "none"},
    {"reduction": "sum", "label_smoothing": 0.1, "z_loss": 0.01},
)


def inputs(batch):
    torch.manual_seed(1)
    hidden, targets = torch.randn(batch, 7, 5), torch.randint(0, 11, (batch, 7))
    targets[0, 3] = targets[-1, 1] = -100
    return hidden, targets


def test_plain_export_of_the_loss_never_has_all_logits():
    exported = torch.export.export(Loss({}), inputs(2))
    assert any("row_losses" in str(node.target) for node in exported.graph.nodes)


def run(module, example, inputs, path, **options):
    """The result of onnxruntime for `inputs`, of a module exported with `example`."""
    torch.onnx.export(module, example, dynamo=True, verbose=False, **options).save(path)
    session = onnxruntime.InferenceSession(path)
    names = [entry.name for entry in session.get_inputs()]
    feed = {name: part.numpy() for name, part in zip(names, inputs, strict=True)}
    return torch.from_numpy(session.run(None, feed)[0])


@pytest.mark.filterwarnings("ignore")  # the warnings of the exporter and of onnx differ by version
@pytest.mark.parametrize(
    "options",
    [pytest.param(OPTIONS[0], marks=pytest.mark.long), *OPTIONS[1:2], pytest.param(OPTIONS[2], marks=pytest.mark.long)],
)
def test_loss_matches_onnxruntime(tmp_path, options):
    batch = Dim("batch")
    sizes = ({0: batch}, {0: batch})
    loss = run(Loss(options), inputs(2), inputs(3), tmp_path / "loss.onnx", dynamic_shapes=sizes)
    torch.testing.assert_close(loss.reshape(Loss(options)(*inputs(3)).shape), Loss(options)(*inputs(3)).detach())


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dim", [7, 8])
def test_4_bit_rows_match_onnxruntime(tmp_path, dim):
    table = QuantizedEmbedding.from_float(torch.randn(11, dim), bits=4)
    ids = torch.randint(0, 11, (3, 4))
    assert torch.equal(run(table, (ids,), (ids,), tmp_path / "table.onnx"), table(ids))


class Inputs(nn.Module):
    """Ids, rows of an image and weights → everything that training adds to rows of tokens, side by side."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.hashed = HashedNgramEmbedding(11, 8, num_rows=7, boundary_id=0, heads=2)
        self.bytes = ByteNgramEmbedding(8, num_rows=1009, sizes=(3, 8))  # whose hashes go beyond 2⁶³
        self.bags, self.prompt = MultiHotEmbedding(11, 8, padding_idx=0), SoftPrompt(2, 8)

    def forward(self, ids, image, weights):
        rows = replace_rows(self.hashed(ids) + self.bytes(ids), ids, 9, image)
        return torch.cat([self.prompt(rows), self.bags(ids, weights)[:, None]], 1)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_inputs_of_training_match_onnxruntime(tmp_path):
    ids = torch.tensor([[3, 9, 2, 0, 7, 7, 1, 5, 4], [9, 9, 1, 1, 8, 2, 3, 10, 6]])
    given = (ids, torch.rand(3, 8), torch.rand(2, 9))
    torch.testing.assert_close(run(Inputs(), given, given, tmp_path / "inputs.onnx"), Inputs()(*given).detach())


class Packed(nn.Module):
    """Where texts begin → the positions of 7 tokens."""

    def forward(self, cu_seqlens):
        return positions_of_packed(cu_seqlens, 7)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_positions_of_another_number_of_packed_texts_match_onnxruntime(tmp_path):
    example, other = torch.tensor([0, 3, 7]), torch.tensor([0, 2, 2, 6, 7])  # the second of four texts is empty
    positions = run(Packed(), (example,), (other,), tmp_path / "packed.onnx", dynamic_shapes=({0: Dim("texts")},))
    assert positions.tolist() == [0, 1, 0, 1, 2, 3, 0]


class Heads(nn.Module):
    """Ids → logits and losses of heads over other tables than plain ones, side by side."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.tables = nn.ModuleList([
            TrainableRows(TokenEmbedding(11, 8), [2, 5]),
            LoraTable(TokenEmbedding(11, 8), 2),
            QuantizedEmbedding.from_float(torch.randn(11, 8)),
            FactorizedEmbedding(11, 8, inner_dim=3),
        ])  # fmt: skip
        self.heads = nn.ModuleList(TiedHead(table) for table in self.tables)

    def forward(self, ids):
        found = []
        for table, head in zip(self.tables, self.heads, strict=True):
            hidden = table(ids)
            found.append(torch.cat([head(hidden), head.loss(hidden, ids, reduction="none")[..., None]], -1))
        return torch.stack(found)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_heads_over_other_tables_match_onnxruntime(tmp_path):
    ids = torch.tensor([[3, 9, 2], [5, 0, 10]])
    torch.testing.assert_close(run(Heads(), (ids,), (ids,), tmp_path / "heads.onnx"), Heads()(ids).detach())
