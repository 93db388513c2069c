"""Image rows in a text as in transformers, soft prompts as in PEFT, packed texts as flash-attention takes them."""

import pytest
import torch
from peft import PromptTuningConfig, TaskType, get_peft_model
from transformers import DataCollatorWithFlattening, LlamaConfig, LlamaForCausalLM
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
from transformers.models.llava.modeling_llava import LlavaModel

from rowspace.errors import UsageError
from rowspace.layers import (
    RotaryPosition,
    SoftPrompt,
    TokenEmbedding,
    positions_of_packed,
    replace_rows,
    texts_of_packed,
)


def test_packed_positions_are_those_of_the_collator_of_transformers():
    texts = [[5, 6, 7], [8], [9, 9, 9, 9]]
    theirs = DataCollatorWithFlattening(return_flash_attn_kwargs=True, return_seq_idx=True)(
        [{"input_ids": text} for text in texts]
    )
    limits = theirs["cu_seq_lens_q"]
    assert positions_of_packed(limits).equal(theirs["position_ids"][0])
    assert texts_of_packed(limits).equal(theirs["seq_idx"][0].long())
    assert positions_of_packed(torch.tensor([0, 2, 2, 3])).tolist() == [0, 1, 0]  # one text is empty
    assert positions_of_packed(torch.tensor([0])).shape == (0,)


def test_packed_positions_compile_with_a_total():
    limits = torch.tensor([0, 3, 3, 5])
    compiled = torch.compile(positions_of_packed, fullgraph=True, backend="aot_eager")
    assert compiled(limits, 5).equal(positions_of_packed(limits))


def test_packed_texts_are_rotated_as_alone():
    """transformers rotates each text by itself; the packed ones have heads after tokens."""
    q, k = torch.rand(7, 4, 8), torch.rand(7, 2, 8)
    packed = RotaryPosition(8).rotate_packed(q, k, positions_of_packed(torch.tensor([0, 4, 7])))
    config = LlamaConfig(hidden_size=32, num_attention_heads=4)
    for index, whole in enumerate((q, k)):
        alone = [rotated(config, whole[part].transpose(0, 1)[None]) for part in (slice(0, 4), slice(4, 7))]
        torch.testing.assert_close(packed[index], torch.cat(alone))
    with pytest.raises(UsageError, match=r"\(total, heads, head_dim\) twice and \(total,\), got \(7, 4, 8\)"):
        RotaryPosition(8).rotate_packed(q, k, torch.arange(6))


def rotated(config, states):
    """(1, heads, seq, head_dim) rotated by transformers, as (seq, heads, head_dim)."""
    cos, sin = LlamaRotaryEmbedding(config)(states, torch.arange(states.shape[2])[None])
    return apply_rotary_pos_emb(states, states, cos, sin)[0][0].transpose(0, 1)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (torch.tensor([1, 3]), "must begin with 0 and not decrease"),
        (torch.tensor([0, 3, 2]), "must begin with 0 and not decrease"),
        (torch.tensor([0.0, 3.0]), "must be integers of shape"),
        (torch.tensor([[0, 3]]), "must be integers of shape"),
    ],
)
def test_wrong_limits_are_refused(limits, message):
    with pytest.raises(UsageError, match=message):
        positions_of_packed(limits)


def test_a_total_that_is_not_the_last_limit_is_refused():
    with pytest.raises(UsageError, match="total is 6, but cu_seqlens ends with 5; pass the last of cu_seqlens"):
        positions_of_packed(torch.tensor([0, 3, 5]), 6)
    with pytest.raises(UsageError, match="total is 0, but cu_seqlens ends with 5"):
        positions_of_packed(torch.tensor([0, 3, 5]), 0)


def test_image_rows_are_placed_as_in_llava():
    ids = torch.tensor([[3, 9, 9, 4], [9, 5, 9, 9]])
    text, patches = torch.rand(2, 4, 6, requires_grad=True), torch.rand(5, 6, requires_grad=True)
    ours = replace_rows(text, ids, 9, patches)

    class Llava:
        config = type("Config", (), {"image_token_id": 9})

    mask = LlavaModel.get_placeholder_mask(Llava(), ids, text, patches)
    theirs = text.masked_scatter(mask, patches)
    assert ours.equal(theirs)
    upstream = torch.rand_like(ours)
    mine, reference = (torch.autograd.grad((each * upstream).sum(), [text, patches]) for each in (ours, theirs))
    torch.testing.assert_close(mine, reference)
    with pytest.raises(UsageError, match="the ids have token 9 5 times, but there are 4 rows for it"):
        replace_rows(text, ids, 9, patches[:4])
    with pytest.raises(UsageError, match="do not match"):
        replace_rows(text, ids, 9, patches[:, :4])
    compiled = torch.compile(replace_rows, fullgraph=True, backend="aot_eager")
    assert compiled(text, ids, 9, patches).equal(ours)


@pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing:FutureWarning")  # of PEFT itself
def test_soft_prompts_are_those_of_peft():
    config = LlamaConfig(vocab_size=12, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=2)
    torch.manual_seed(0)
    model = LlamaForCausalLM(config)
    peft = get_peft_model(model, PromptTuningConfig(task_type=TaskType.CAUSAL_LM, num_virtual_tokens=3))
    prompt = SoftPrompt(3, 8)
    with torch.no_grad():
        prompt.weight.copy_(peft.prompt_encoder["default"].embedding.weight)
    ids, mask = torch.tensor([[1, 2, 3], [4, 5, 0]]), torch.tensor([[1, 1, 1], [1, 1, 0]])
    rows = prompt(model.get_input_embeddings()(ids))
    ours = model(inputs_embeds=rows, attention_mask=prompt.extend_mask(mask)).logits
    torch.testing.assert_close(ours, peft(input_ids=ids, attention_mask=mask).logits)


def test_a_soft_prompt_starts_with_the_rows_of_a_text():
    table = TokenEmbedding(10, 4, scale="sqrt")
    prompt = SoftPrompt.from_ids(table, [3, 3, 7])
    assert prompt.weight.equal(table(torch.tensor([3, 3, 7])))
    prompt(torch.rand(2, 5, 4)).sum().backward()
    assert prompt.weight.grad.eq(2).all()
    assert table.weight.grad is None
    with pytest.raises(UsageError, match=r"rows must have shape \(batch, seq, 4\)"):
        prompt(torch.rand(2, 5, 3))
    with pytest.raises(UsageError, match=r"id 10 at \[1\] is out of range for a table of 10 rows"):
        SoftPrompt.from_ids(torch.nn.Embedding(10, 4), [3, 10])
    with pytest.raises(UsageError, match=r"ids must have shape \(n,\), got \(1, 2\)"):
        SoftPrompt.from_ids(table, [[1, 2]])
