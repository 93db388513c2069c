"""Each text recipe, opened from a checkpoint of transformers, matches the input of the model's first layer.

Bit for bit in float32, and in bfloat16 too: the same operations in the same order.
"""

import pytest
import torch
from tests.layers.recipes.text_models import MODELS, saved

from rowspace.layers import from_checkpoint

IDS = torch.tensor([[2, 5, 39, 0, 7, 7, 3], [1, 1, 2, 8, 30, 3, 1]])  # padding, 1, on both sides
MASK = (IDS != 1).long()


def first_hidden_state(model, ids, mask):
    """The input of the first layer of transformers' model."""
    stack = model.get_encoder() if model.config.is_encoder_decoder else model
    return stack(ids, attention_mask=mask, output_hidden_states=True).hidden_states[0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("name", MODELS)
@torch.no_grad()
def test_input_matches_the_model_bit_for_bit(name, dtype, tmp_path):
    model = MODELS[name].made(dtype)
    embed = from_checkpoint(saved(model, tmp_path))
    actual = embed(IDS, mask=MASK)
    assert actual.dtype == dtype
    assert torch.equal(actual, first_hidden_state(model, IDS, MASK))
