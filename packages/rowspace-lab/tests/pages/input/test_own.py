"""The input of an opened checkpoint, compared with transformers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import Reply

SIZES: dict[str, Any] = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}


@pytest.fixture
def model() -> transformers.BertModel:
    torch.manual_seed(0)
    config = transformers.BertConfig(vocab_size=12, max_position_embeddings=16, **SIZES)
    made = transformers.BertModel(config).eval()
    torch.nn.init.normal_(made.embeddings.LayerNorm.weight)
    return made


@pytest.fixture
def bert(model: transformers.BertModel, tmp_path: Path) -> Lab:
    model.save_pretrained(tmp_path / "model")
    rows = model.embeddings.word_embeddings.weight.detach().numpy()
    return Lab(rs.Table([f"word{number}" for number in range(12)], rows), str(tmp_path / "model"))


def test_parts_are_those_of_the_checkpoint(bert: Lab, model: transformers.BertModel, ask: Callable[..., Reply]) -> None:
    reply = ask(bert, "input/parts", text="word3 word7", start=2, second=1)
    assert (reply.meta["recipe"], reply.meta["recipes"][0], reply.meta["drawn"]) == ("checkpoint", "checkpoint", [])
    ids, segments, positions = (torch.tensor([each]) for each in ([3, 7], [0, 1], [2, 3]))
    with torch.no_grad():
        expected = model.embeddings(ids, token_type_ids=segments, position_ids=positions)[0]
    np.testing.assert_allclose(reply.arrays["output"], expected, atol=1e-5)
    drawn = ask(bert, "input/parts", text="word3 word7", recipe="bert")
    assert drawn.meta["drawn"] == ["segments", "positions"]


def test_tables_have_their_norms_and_angle(
    bert: Lab, model: transformers.BertModel, check_code: Callable[..., Reply]
) -> None:
    reply = check_code(bert, "input/own")
    tokens, positions = (
        getattr(model.embeddings, f"{name}_embeddings").weight.detach().numpy() for name in ("word", "position")
    )
    norms = {table["name"]: table["mean_norm"] for table in reply.meta["tables"]}
    assert norms["positions"] == pytest.approx(np.linalg.norm(positions, axis=1).mean(), rel=1e-5)
    tokens, positions = (rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-30) for rows in (tokens, positions))
    assert reply.meta["cosine"] == pytest.approx(np.abs(tokens @ positions.T).mean(), rel=1e-5)
    assert reply.meta["tables"][1] == {
        "name": "segments",
        "rows": 2,
        "parameters": 16,
        "mean_norm": pytest.approx(norms["segments"]),
    }


def test_table_without_a_checkpoint_is_refused(lab: Lab, ask: Callable[..., Reply]) -> None:
    with pytest.raises(UsageError, match="the table does not come from a checkpoint whose input is known"):
        ask(lab, "input/own")
    assert "checkpoint" not in ask(lab, "input/parts").meta["recipes"]


def test_learned_positions_are_those_of_the_checkpoint(
    bert: Lab, model: transformers.BertModel, check_code: Callable[..., Reply]
) -> None:
    weight = model.embeddings.position_embeddings.weight.detach().numpy()
    reply = check_code(bert, "positions/rows", length=10, dim=6)
    assert reply.meta["model"] == "bert"
    np.testing.assert_array_equal(reply.arrays["learned"], weight[:10, :6])
    pairs = check_code(bert, "positions/scores", length=10, dim=6).arrays["pairs"][1]
    np.testing.assert_allclose(pairs, weight[:10, :6] @ weight[:10, :6].T, atol=1e-6)
    longer = check_code(bert, "positions/rows", length=17, dim=6)  # than the table of the checkpoint
    assert longer.meta["model"] == ""
