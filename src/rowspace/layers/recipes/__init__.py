"""The inputs of published models, one family a file, each a few lines of composition; and how they are opened.

Read `bert.py` first, then `from_pretrained.py`.
"""

from rowspace.layers.recipes.albert import albert
from rowspace.layers.recipes.bert import bert
from rowspace.layers.recipes.bloom import bloom
from rowspace.layers.recipes.clip import clip_text, clip_vision
from rowspace.layers.recipes.deit import deit
from rowspace.layers.recipes.dinov2 import dinov2
from rowspace.layers.recipes.from_pretrained import RECIPES, from_checkpoint, from_config
from rowspace.layers.recipes.gemma import gemma
from rowspace.layers.recipes.gpt2 import gpt2
from rowspace.layers.recipes.llama import llama
from rowspace.layers.recipes.mistral import mistral
from rowspace.layers.recipes.modernbert import modernbert
from rowspace.layers.recipes.mpt import mpt
from rowspace.layers.recipes.opt import opt
from rowspace.layers.recipes.qwen import qwen
from rowspace.layers.recipes.roberta import roberta
from rowspace.layers.recipes.siglip import siglip_text, siglip_vision
from rowspace.layers.recipes.t5 import t5
from rowspace.layers.recipes.transformer import transformer
from rowspace.layers.recipes.vit import vit

__all__ = [
    "RECIPES",
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
    "llama",
    "mistral",
    "modernbert",
    "mpt",
    "opt",
    "qwen",
    "roberta",
    "siglip_text",
    "siglip_vision",
    "t5",
    "transformer",
    "vit",
]
