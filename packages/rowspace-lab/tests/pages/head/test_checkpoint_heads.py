"""The head of an open checkpoint gives the logits of the model's own head in transformers."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
import transformers as tf
from tests.checkpoints import IDS, SIZES, WORDS, save_model

from rowspace_lab.server.reply import Reply

Ask = Callable[..., Reply]
PADDED = pytest.mark.filterwarnings("ignore:.*they are padding and left out")
LLAMA = {**SIZES, **IDS, "vocab_size": len(WORDS) + 2, "hidden_size": 8}  # with two rows of padding


@PADDED
def test_untied_matrix_of_a_checkpoint_replaces_the_drawn_one(tmp_path: Path, check_code: Ask) -> None:
    model = tf.LlamaForCausalLM(tf.LlamaConfig(**LLAMA))
    lab = save_model(model, tmp_path)
    reply = check_code(lab, "head/logits", head="untied", word="cat", temperature=1, k=100)
    with torch.no_grad():
        expected = model.lm_head(model.get_input_embeddings().weight[WORDS.index("cat")])[: len(WORDS)]
    assert reply.meta["trained"]
    assert not reply.meta["bias"]
    np.testing.assert_allclose(reply.arrays["logits"], expected[reply.arrays["ids"]], rtol=1e-5, atol=1e-6)
    assert len(reply.arrays["ids"]) == len(WORDS)


@PADDED
def test_bias_of_an_untied_head_is_added_and_counted(tmp_path: Path, check_code: Ask) -> None:
    model = tf.PhiForCausalLM(tf.PhiConfig(**LLAMA))
    lab = save_model(model, tmp_path)
    reply = check_code(lab, "head/terms", head="untied", word="cat", id=5, temperature=2)
    with torch.no_grad():
        expected = model.lm_head(model.get_input_embeddings().weight[WORDS.index("cat")])[5]
    assert reply.meta["bias"] == pytest.approx(float(model.lm_head.bias.detach()[5]))
    assert reply.meta["product"] == pytest.approx(float(expected), rel=1e-5)
    assert reply.meta["logit"] == pytest.approx(float(expected) / 2, rel=1e-5)
    found = check_code(lab, "head/matrices", head="untied").meta
    assert (found["bias"], found["total"]) == (len(WORDS), 2 * lab.table.rows.size + len(WORDS))


def test_bias_of_a_tied_head_is_added(tmp_path: Path, check_code: Ask) -> None:
    sizes = {**SIZES, "vocab_size": len(WORDS), "hidden_size": 8, "pad_token_id": 0}
    model = tf.BertForMaskedLM(tf.BertConfig(**sizes, max_position_embeddings=8))
    lab = save_model(model, tmp_path)
    reply = check_code(lab, "head/logits", word="cat", temperature=1)
    weight, bias = model.get_input_embeddings().weight.detach(), model.cls.predictions.bias.detach()
    expected = weight @ weight[WORDS.index("cat")] + bias
    np.testing.assert_allclose(reply.arrays["logits"], expected[reply.arrays["ids"]], rtol=1e-5, atol=1e-6)
    assert reply.meta["bias"]
    assert not check_code(lab, "head/logits", head="untied", word="cat").meta["trained"]  # it has no matrix of its own
