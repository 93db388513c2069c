"""The inputs of published models, composed of the other modules, and functions that open them.

All recipes take `device` and `dtype`, and have the sizes of a published model as defaults. Read `bert.py` first, then
`from_pretrained.py`.
"""

from rowspace.layers.recipes.bert import albert, bert, modernbert, roberta
from rowspace.layers.recipes.encoder_decoder import t5, transformer
from rowspace.layers.recipes.from_pretrained import RECIPES, from_checkpoint, from_config
from rowspace.layers.recipes.gpt2 import bloom, gpt2, mpt, opt
from rowspace.layers.recipes.heads import head_from_checkpoint, head_types, tied_from_checkpoint
from rowspace.layers.recipes.llama import gemma, llama, mistral, qwen
from rowspace.layers.recipes.per_layer import PerLayerInput, per_layer_from_checkpoint
from rowspace.layers.recipes.vision import clip_text, clip_vision, deit, dinov2, siglip_text, siglip_vision, vit

__all__ = [
    "RECIPES",
    "PerLayerInput",
    "albert",
    "bert",
    "bloom",
    "clip_text",
    "clip_vision",
    "deit",
    "dinov2",
    "from_checkpoint",
    "from_config",
    "gemma",
    "gpt2",
    "head_from_checkpoint",
    "head_types",
    "llama",
    "mistral",
    "modernbert",
    "mpt",
    "opt",
    "per_layer_from_checkpoint",
    "qwen",
    "roberta",
    "siglip_text",
    "siglip_vision",
    "t5",
    "tied_from_checkpoint",
    "transformer",
    "vit",
]
