"""Rows for each layer, against transformers' Gemma 3n and 4."""

import pytest
import torch
from tests.layers.recipes.published.models import small_model
from tests.layers.recipes.text_models import MODELS, saved

from rowspace.errors import UsageError
from rowspace.layers import from_checkpoint
from rowspace.layers.recipes.per_layer import per_layer_from_checkpoint

IDS = torch.tensor([[2, 5, 39, 0], [1, 8, 30, 3]])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["gemma3n_text", "gemma4_text"])
@torch.no_grad()
def test_rows_of_layers_match_transformers_bit_for_bit(kind, tmp_path):
    model = small_model(kind, vocab_size_per_layer_input=100, rms_norm_eps=0.01).model
    model.save_pretrained(tmp_path)
    embed, per_layer = from_checkpoint(tmp_path), per_layer_from_checkpoint(tmp_path)
    ids = IDS if kind == "gemma4_text" else torch.cat((IDS, torch.tensor([[99, 310], [100, 1]])), dim=1)
    rows = embed(ids)
    theirs = {"inputs_embeds": rows} if kind == "gemma4_text" else {}
    expected = model.project_per_layer_inputs(rows, model.get_per_layer_inputs(ids, **theirs))
    assert per_layer.tokens.padding_idx == model.embed_tokens_per_layer.padding_idx
    assert torch.equal(per_layer(ids, rows), expected)


def test_model_without_rows_for_each_layer_is_refused(tmp_path):
    with pytest.raises(UsageError, match="the model has no rows for each layer; use from_checkpoint"):
        per_layer_from_checkpoint(saved(MODELS["llama"].made(), tmp_path))
