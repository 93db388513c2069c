"""The defaults of the recipes, and of an empty config.json, against the config classes of transformers."""

import re

import pytest
import torch
import transformers

from rowspace.errors import UsageError
from rowspace.layers import RotaryPosition, from_config, recipes
from rowspace.layers.recipes import from_pretrained
from rowspace.layers.recipes.composed import composed_text
from rowspace.layers.recipes.composed_images import composed_image

# The written recipes with the sizes of a published model, and the classes whose defaults are those of another model.
OTHER = {
    "albert": {"embedding_dim": 4096},
    "bloom": {"embedding_dim": 64, "num_heads": 8},
    "dinov2": {"image_size": 224},
    "dinov2_with_registers": {"image_size": 224, "patch_size": 16, "registers": 4},
    "gemma2": {"embedding_dim": 2304},
    "gemma3_text": {
        "vocab_size": 262208,
        "embedding_dim": 2304,
        "rotary": RotaryPosition(256, base=1e6),
        "sliding_rotary": RotaryPosition(256),
    },
    "qwen2": {"rotary": RotaryPosition(128)},
    "qwen3": {"rotary": RotaryPosition(128)},
}
WRITTEN = {
    **{
        name: getattr(recipes, name)
        for name in ("albert", "bert", "bloom", "deit", "gemma", "gpt2", "llama", "mistral", "opt", "vit")
    },
    "clip_text_model": recipes.clip_text,
    "clip_vision_model": recipes.clip_vision,
    "dinov2": recipes.dinov2,
    "dinov2_with_registers": recipes.dinov2,
    "gemma2": recipes.gemma,
    "gemma3_text": recipes.gemma,
    "qwen2": recipes.qwen,
    "qwen3": recipes.qwen,
    "siglip_text_model": recipes.siglip_text,
    "siglip_vision_model": recipes.siglip_vision,
}


def described(module):
    """The repr of the module and the shapes of its tensors."""
    shapes = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    return f"{module}\n{shapes}"


def built(config):
    with torch.device("meta"):
        return described(from_config(config))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long
def test_missing_entries_of_a_config_have_the_defaults_of_its_class():
    for name in from_pretrained.RECIPES:
        full = transformers.CONFIG_MAPPING[name]().to_dict()
        try:
            expected = built(full)
        except UsageError as error:  # the class has an option that the recipe does not have
            with pytest.raises(UsageError, match=re.escape(str(error))):
                built({"model_type": name})
            continue
        assert built({"model_type": name}) == expected, name


@pytest.mark.filterwarnings("ignore")
def test_defaults_of_recipes_match_the_class_except_for_sizes():
    data = (composed_text, composed_image)
    code = {name: recipe.build for name, recipe in from_pretrained.RECIPES.items() if recipe.build not in data}
    for name, build in {**WRITTEN, **code}.items():
        arguments = {**from_pretrained.CONFIG_DEFAULTS.get(name, {}), **OTHER.get(name, {})}
        with torch.device("meta"):
            ours = described(build(**arguments))
        assert ours == built(transformers.CONFIG_MAPPING[name]().to_dict()), name


def test_defaults_of_roberta_match_the_published_model():
    # config.json of FacebookAI/roberta-base: 514 rows, 1 segment, layer_norm_eps 1e-05
    config = {"model_type": "roberta", "max_position_embeddings": 514, "type_vocab_size": 1, "layer_norm_eps": 1e-5}
    with torch.device("meta"):
        assert described(recipes.roberta()) == built(config)
