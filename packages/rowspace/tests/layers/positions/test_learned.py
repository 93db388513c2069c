import re

import pytest
import torch
from transformers import RobertaConfig
from transformers.models.bart.modeling_bart import BartLearnedPositionalEmbedding
from transformers.models.opt.modeling_opt import OPTLearnedPositionalEmbedding
from transformers.models.roberta.modeling_roberta import RobertaEmbeddings

from rowspace.errors import UsageError
from rowspace.layers import LearnedPosition

IDS = torch.tensor([[5, 0, 7, 1, 1], [1, 1, 8, 9, 4]])
MASK = (IDS != 1).long()


def filled(module, weight):
    module.load_state_dict({"weight": weight.detach()})
    return module


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_matches_roberta_bit_for_bit(dtype):
    # transformers' RobertaEmbeddings, with the other tables zero
    config = RobertaConfig(vocab_size=10, hidden_size=6, max_position_embeddings=9, pad_token_id=1)
    embeddings = RobertaEmbeddings(config).to(dtype)
    weight = embeddings.position_embeddings.weight
    position = filled(LearnedPosition(7, 6, position_ids_from="ids", padding_idx=1).to(dtype), weight)
    positions = embeddings.create_position_ids_from_input_ids(IDS, 1)
    assert torch.equal(position(IDS), embeddings.position_embeddings(positions))


@pytest.mark.parametrize("start", [0, 2])
def test_matches_opt_bit_for_bit(start):
    # transformers' OPTLearnedPositionalEmbedding: the mask includes the tokens in the cache
    reference = OPTLearnedPositionalEmbedding(7, 6)
    position = filled(LearnedPosition(7, 6, offset=2, position_ids_from="mask"), reference.weight)
    actual = position(IDS[:, start:], mask=MASK, start=start)
    assert torch.equal(actual, reference(MASK, past_key_values_length=start))


@pytest.mark.parametrize("start", [0, 2])
def test_matches_bart_bit_for_bit(start):
    # transformers' BartLearnedPositionalEmbedding
    reference = BartLearnedPositionalEmbedding(7, 6)
    position = filled(LearnedPosition(7, 6, offset=2), reference.weight)
    assert torch.equal(position(IDS, start=start), reference(IDS, past_key_values_length=start)[0])


def test_missing_mask_means_no_padding():
    position = LearnedPosition(7, 6, offset=2, position_ids_from="mask")
    assert torch.equal(position(IDS), position(IDS, mask=torch.ones_like(IDS))[0])


def test_positions_argument_replaces_position_ids():
    position = LearnedPosition(7, 6, offset=2)
    assert torch.equal(position(IDS, positions=torch.tensor([6, 0, 3, 3, 3])), position.weight[[8, 2, 5, 5, 5]])


@pytest.mark.parametrize("offset", [0, 2])
def test_all_positions_can_be_used_and_no_more(offset):
    position = LearnedPosition(5, 6, offset=offset)
    assert torch.equal(position(IDS), position.weight[offset:])
    message = "a sequence of 6 tokens is longer than the 5 positions of the table"
    with pytest.raises(UsageError, match=message):
        position(IDS, start=1)


@pytest.mark.parametrize("position_ids_from", ["length", "mask", "ids"])
def test_error_for_a_long_text_names_both_lengths(position_ids_from):
    padding_idx = 1 if position_ids_from == "ids" else None
    position = LearnedPosition(4, 6, position_ids_from=position_ids_from, padding_idx=padding_idx)
    with pytest.raises(UsageError, match="a sequence of 5 tokens is longer than the 4 positions"):
        position(IDS, mask=MASK)


def test_error_names_the_position_outside_the_table():
    with pytest.raises(UsageError, match=re.escape("positions must be integers from 0 to 6, but 7 at [1]")):
        LearnedPosition(7, 6)(IDS, positions=torch.tensor([0, 7]))


def test_padding_row_stays_zero():
    position = LearnedPosition(7, 6, position_ids_from="ids", padding_idx=1)
    assert not position.weight[1].any()
    position(IDS).sum().backward()
    assert not position.weight.grad[1].any()
    assert torch.equal(position.weight.grad[:, 0], torch.tensor([0.0, 0.0, 2.0, 2.0, 2.0, 0.0, 0.0, 0.0, 0.0]))


@pytest.mark.parametrize("position_ids_from", ["length", "mask"])
def test_gradient_of_a_row_is_summed_in_float32(position_ids_from):
    position = LearnedPosition(1, 2, position_ids_from=position_ids_from).to(torch.bfloat16)
    texts = torch.zeros(4096, 1, 2, dtype=torch.bfloat16)
    (texts + position(texts[..., 0], mask=torch.ones(4096, 1))).sum().backward()
    assert position.weight.grad[-1, 0].item() == 4096


def test_mask_of_another_length_raises():
    with pytest.raises(UsageError, match="mask has 5 tokens, but there are 2 in the cache and 5 ids; pass a mask of 7"):
        LearnedPosition(9, 6, position_ids_from="mask")(IDS, mask=MASK, start=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"position_ids_from": "ids"}, "position_ids_from is 'ids' and padding_idx is None"),
        ({"padding_idx": 1}, "position_ids_from is 'length' and padding_idx is 1"),
        (
            {"position_ids_from": "tokens"},
            "position_ids_from must be 'length', 'mask' or 'ids', not 'tokens'",
        ),
        (
            {"position_ids_from": "ids", "padding_idx": 1, "offset": 3},
            "offset must be 2 with position_ids_from='ids', not 3",
        ),
        ({"position_ids_from": "mask", "offset": 0}, "offset must be at least 1 with position_ids_from='mask', not 0"),
        ({"offset": -1}, "offset must be at least 0 with position_ids_from='length', not -1"),
    ],
)
def test_inconsistent_arguments_raise(options, message):
    with pytest.raises(UsageError, match=message):
        LearnedPosition(7, 6, **options)


def test_export_with_a_dynamic_length():
    position = LearnedPosition(7, 6, position_ids_from="ids", padding_idx=1)
    length = torch.export.Dim("length", min=2, max=7)
    program = torch.export.export(position, (IDS,), dynamic_shapes=({1: length},)).module()
    for texts in (IDS, IDS[:, :2], IDS.repeat(1, 2)[:, :7]):
        assert torch.equal(program(texts), position(texts))


def test_zero_positions_raise():
    with pytest.raises(UsageError, match="max_positions must be 1 or more, not 0"):
        LearnedPosition(0, 6)
