import pytest
import torch
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from rowspace.layers import position_ids_from_length, position_ids_from_mask


@pytest.mark.parametrize("start", [0, 5])
def test_from_mask_matches_roberta(start):
    # transformers' RobertaEmbeddings.create_position_ids_from_input_ids, from padding_idx + 1 on
    ids = torch.tensor([[5, 1, 7, 1, 1], [1, 1, 8, 9, 4], [1, 1, 1, 1, 1]])
    expected = RobertaEmbeddings.create_position_ids_from_input_ids(ids, 1, start)
    assert torch.equal(position_ids_from_mask(ids != 1, start=start) + 2, expected)


@pytest.mark.parametrize("dtype", [torch.bool, torch.int32, torch.float32])
def test_from_mask_accepts_any_dtype(dtype):
    mask = torch.tensor([[0, 1, 1]]).to(dtype)
    assert position_ids_from_mask(mask).tolist() == [[-1, 0, 1]]


def test_from_length_ignores_the_ids():
    assert position_ids_from_length(torch.zeros(4, 3), start=2).tolist() == [2, 3, 4]
