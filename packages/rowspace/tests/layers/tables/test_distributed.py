"""`TokenEmbedding` in models that torch distributes or transformers resizes, compared with `nn.Embedding`.

Two local processes (`two_processes.py`) run once for all tests of this file.
"""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from tests.forked import run_forked
from tests.layers.tables.two_processes import TABLES, together
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel

from rowspace.layers import TokenEmbedding

IDS = torch.tensor([[3, 1, 3, 10], [0, 9, 2, 3]])


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Tensor]:
    """The tensors computed by the two processes, by name."""
    folder = tmp_path_factory.mktemp("processes")
    output = folder / "found.safetensors"
    run_forked(Path(__file__).parent / "two_processes.py", 2, folder / "meeting", output)
    return load_file(output)


def single_process(scale: str | None = None) -> tuple[Tensor, Tensor]:
    """Output and gradient in one process, computed with torch's embedding."""
    torch.manual_seed(0)
    weight = TokenEmbedding(11, 4, padding_idx=1).weight
    output = nn.functional.embedding(IDS, weight, padding_idx=1) * (1 if scale is None else 2)
    (output + 1).cos().sum().backward()  # not flat at the padding row, which is zero
    return output, weight.grad


@pytest.mark.long
def test_data_parallelism_averages_sparse_gradients(found):
    expected = torch.bincount(IDS.flatten(), minlength=11) / 2
    expected[1] = 0  # the padding
    assert torch.equal(found["data parallel"], expected.unsqueeze(1).expand(-1, 4))


@pytest.mark.long
def test_tensor_parallelism_matches_a_single_process(found):
    for split in ("rows", "columns"):
        for scale in (None, "sqrt"):
            output, gradient = single_process(scale)
            torch.testing.assert_close(found[f"{split} {scale}"], output)
            torch.testing.assert_close(found[f"{split} {scale} gradient"], gradient)


def test_tensor_parallelism_sums_gradients_in_float32(found):
    for split in ("rows", "columns"):
        assert found[f"{split} often"][3].tolist() == [4096.0] * 4
        assert found[f"{split} often"].count_nonzero() == 4


def test_sharded_parameters_built_on_meta_are_initialized(found):
    sharded = {name.removeprefix("sharded "): tensor for name, tensor in found.items() if name.startswith("sharded ")}
    padded = {"input.tokens.weight": [1], "input.positions.weight": [1]}
    for name, tensor in sharded.items():
        if name.endswith("bias"):
            assert not tensor.any(), name
        elif name.endswith("norm.weight"):
            assert (tensor == 1).all(), name
        else:
            assert 0 < tensor.abs().max() < 0.1, name
            assert (tensor == 0).all(1).nonzero().flatten().tolist() == padded.get(name, []), name
    assert len(sharded) == 6


@pytest.mark.parametrize("kind", TABLES)
def test_sharded_modules_match_a_single_process(found, kind):
    model = together(kind)
    loss = model(IDS)
    loss.backward()
    torch.testing.assert_close(found[f"fully {kind} loss"], loss.detach())
    gradients = {name: weight.grad for name, weight in model.named_parameters() if weight.grad is not None}
    assert {f"fully {kind} {name}" for name in gradients} == {
        name for name in found if name.startswith(f"fully {kind} ") and not name.endswith(" loss")
    }
    for name, gradient in gradients.items():
        torch.testing.assert_close(found[f"fully {kind} {name}"], gradient, msg=name)


@pytest.mark.parametrize("rows", [8, 14])
def test_transformers_resizes_a_model_with_our_table(rows):
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=11, n_embd=4, n_layer=1, n_head=1, n_positions=8))
    model.set_input_embeddings(TokenEmbedding(11, 4, padding_idx=10, scale="sqrt"))
    model.tie_weights()
    before = model.get_input_embeddings().weight.detach().clone()
    model.resize_token_embeddings(rows, mean_resizing=False)
    ours = model.get_input_embeddings()
    assert type(ours) is TokenEmbedding
    assert (ours.num_embeddings, ours.padding_idx, ours.scale) == (rows, 10 if rows > 10 else None, "sqrt")
    assert torch.equal(ours.weight[: min(rows, 11)], before[:rows])
    assert model.lm_head.weight is ours.weight
    assert model(torch.tensor([[0, rows - 1]])).logits.shape == (1, 2, rows)
