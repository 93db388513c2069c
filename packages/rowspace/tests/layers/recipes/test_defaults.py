"""The defaults of the recipes, and of an empty config.json, against the config classes of transformers."""

import pytest
import torch
import transformers

from rowspace.layers import RotaryPosition, from_config
from rowspace.layers.recipes import from_pretrained

# Classes with another default model than the recipe, which also has another base of the rotation.
ROTATION = {
    "gemma3_text": {"rotary": RotaryPosition(256, base=1e6), "sliding_rotary": RotaryPosition(256)},
    "qwen2": {"rotary": RotaryPosition(128)},
    "qwen3": {"rotary": RotaryPosition(128)},
}


def described(module):
    """The repr of the module and the shapes of its tensors."""
    shapes = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    return f"{module}\n{shapes}"


def built(config):
    with torch.device("meta"):
        return described(from_config(config))


@pytest.mark.filterwarnings("ignore")
def test_missing_entries_of_a_config_have_the_defaults_of_its_class():
    for name in from_pretrained.RECIPES.keys() - {"marian"}:
        full = transformers.CONFIG_MAPPING[name]().to_dict()
        assert built({"model_type": name}) == built(full), name


@pytest.mark.filterwarnings("ignore")
def test_defaults_of_recipes_match_the_class_except_for_sizes():
    for name in from_pretrained.RECIPES.keys() - {"marian", "roberta", "xlm-roberta"}:
        arguments = {**from_pretrained.CONFIG_DEFAULTS.get(name, {}), **ROTATION.get(name, {})}
        if name == "dinov2_with_registers":
            arguments["registers"] = 4
        with torch.device("meta"):
            ours = described(from_pretrained.RECIPES[name].build(**arguments))
        assert ours == built(transformers.CONFIG_MAPPING[name]().to_dict()), name


def test_defaults_of_roberta_match_the_published_model():
    # config.json of FacebookAI/roberta-base: 514 rows, 1 segment, layer_norm_eps 1e-05
    config = {"model_type": "roberta", "max_position_embeddings": 514, "type_vocab_size": 1, "layer_norm_eps": 1e-5}
    with torch.device("meta"):
        assert described(from_pretrained.RECIPES["roberta"].build()) == built(config)
