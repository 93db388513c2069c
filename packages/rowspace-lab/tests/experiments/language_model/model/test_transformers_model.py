"""The checkpoint that we write gives the same logits in transformers."""

import json
import re
from itertools import product

import numpy as np
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from rowspace.files.tokenizer_json import whitespace_json
from rowspace.table import Table
from rowspace_lab.experiments.language_model.model.model import LanguageModel
from rowspace_lab.experiments.language_model.model.transformers_model import (
    EXPORTABLE,
    reason_against_export,
    write_model,
)
from rowspace_lab.experiments.language_model.options import ModelOptions

V, CONTEXT = 41, 16
SMALL = {"dim": 24, "layers": 2, "heads": 3}
# Every exportable pair, with a tied and an untied head, scaled and not.
SHAPES = [
    ModelOptions(**SMALL, positions=positions, block=block, tied=tied, scaled=scaled)
    for (block, positions), tied, scaled in product(sorted(EXPORTABLE), (True, False), (True, False))
]


def make(options):
    torch.manual_seed(3)
    model = LanguageModel(V, CONTEXT, options)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.1)
    return model.eval()


@pytest.mark.parametrize("options", SHAPES, ids=lambda o: f"{o.block}-{o.positions}-{o.tied}-{o.scaled}")
def test_transformers_computes_the_same_logits(options, tmp_path, assert_close):
    words = [f"w{number}" for number in range(V - 1)]
    table = Table([*words, "[UNK]"], np.zeros((V, 24), np.float32), tokenizer=whitespace_json(words))
    model = make(options)
    assert write_model(tmp_path / "model", model.state_dict(), options, CONTEXT, table) is None
    theirs, loaded = AutoModelForCausalLM.from_pretrained(tmp_path / "model", output_loading_info=True)
    assert not any(loaded.values()), loaded
    assert type(theirs).__name__ == json.loads((tmp_path / "model/config.json").read_text())["architectures"][0]
    ids = torch.arange(2 * CONTEXT).reshape(2, CONTEXT) % V
    with torch.no_grad():
        assert_close(theirs.eval()(ids).logits, model(ids), slack=3)
    assert AutoTokenizer.from_pretrained(tmp_path / "model")("w3 w5")["input_ids"] == [3, 5]


@pytest.mark.parametrize(
    ("shape", "reason"),
    [
        (
            {"block": "gpt2", "positions": "alibi"},
            "no model with gpt2 blocks and positions='alibi'.* it has block='mpt'",
        ),
        ({"block": "llama", "positions": "sinusoid"}, "it has block='gpt2'"),
        ({"block": "llama", "positions": "learned"}, "it has block='gpt2'"),
        ({"block": "mpt", "positions": "rotary"}, "it has block='gpt2' or 'llama'"),
        ({"block": "mpt", "positions": "alibi", "mlp_ratio": 2.0}, "has mlp_ratio 4 only"),
    ],
)
def test_unsupported_models_are_reported_and_not_written(shape, reason, tmp_path):
    options = ModelOptions(**SMALL, **shape)
    found = write_model(tmp_path / "model", make(options).state_dict(), options, CONTEXT, Table(["a"], np.ones((1, 1))))
    assert found == reason_against_export(options)
    assert re.search(reason, found)
    assert not (tmp_path / "model").exists()
