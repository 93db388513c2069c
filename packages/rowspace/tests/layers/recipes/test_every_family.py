"""Recipes against transformers: a small random model of each type, saved, opened and compared bit for bit.

The reference is what the first block of the model receives, and its queries before and after the rotation.
`docs/reference/families.md` has the results of all model types; `scripts/make_families_page.py` writes it.
"""

import json
import re
from pathlib import Path

import pytest
import torch
from tests.layers.recipes.published.agreement import agreement
from tests.layers.recipes.published.models import small_model
from tests.layers.rotary.published import rotated

from rowspace.layers import from_checkpoint
from rowspace.layers.recipes import RECIPES
from rowspace.layers.recipes.families import known_families

PAGE = Path(__file__).parents[5] / "docs/reference/families.md"
# One of each kind: rows, a scale from the config, positions after padding, two residual forms, sinusoids, norms, parts,
# zeros for padding, trigrams, hashed code points, entries of lists, overlapping patches.
SOME = [
    "llama",
    "granite",
    "falcon_h1",
    "gemma4_text",
    "deepseek_v4",
    "nanochat",
    "camembert",
    "m2m_100",
    "xglm",
    "xlm",
    "mobilebert",
    "canine",
    "electra",
    "muse_spark_text",
    "prophetnet",
    "got_ocr2",
    "aimv2_vision_model",
    "blip_vision_model",
    "convnext",
    "segformer",
    "eomt",
    "dinov3_vit",
    "swin",
    "sam_vision_model",
    "sam2_hiera_det_model",
]


def disagreements(kind, folder):
    """The results of a model type that are not an agreement, or whose rotation differs."""
    return [
        found
        for found in agreement(kind, folder)
        if found.outcome not in ("agrees", "not run") or found.rotary == "differs"
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", SOME)
def test_input_of_a_model_type_matches_transformers(kind, tmp_path):
    found = agreement(kind, tmp_path)
    assert any(each.outcome == "agrees" for each in found)
    assert disagreements(kind, tmp_path) == []


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["qwen2_vl", "glm4v", "qwen3_vl"])
def test_rotation_by_time_height_and_width_matches_transformers(kind, tmp_path):
    """Also with the config of the text at the top level, as these models were released."""
    model = small_model(kind).model
    model.save_pretrained(tmp_path)
    path = tmp_path / "config.json"
    nested = json.loads(path.read_text())
    text = nested["text_config"]
    rope = text["rope_parameters"]
    old = {"rope_theta": rope["rope_theta"], "rope_scaling": {"type": "mrope", "mrope_section": rope["mrope_section"]}}
    flat = {name: value for name, value in nested.items() if name != "text_config"} | text | old | {"model_type": kind}
    positions = torch.tensor([[[0, 1, 1, 1, 4]], [[0, 1, 2, 3, 4]], [[0, 3, 1, 2, 4]]])
    for config in (nested, *([flat] if kind != "qwen3_vl" else [])):
        path.write_text(json.dumps(config))
        ours = from_checkpoint(tmp_path)
        assert ours.tokens.weight.equal(model.get_input_embeddings().weight)
        q = torch.rand(1, 2, 5, ours.rotary.head_dim)
        expected = rotated(model.config.get_text_config(), q, positions)
        torch.testing.assert_close(ours.rotary(q, q, positions)[0], expected)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", sorted(RECIPES))
def test_input_of_every_recipe_matches_transformers(kind, tmp_path):
    assert disagreements(kind, tmp_path) == []


def test_every_type_belongs_to_one_family():
    kinds = [kind for family in known_families().values() for kind in family.types]
    assert len(kinds) == len(set(kinds))


def test_page_of_families_has_every_recipe():
    rows = re.findall(r"^\| `([^`]+)` \| (?:\w*) \| ([\w ]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert {kind for kind, _ in rows} >= set(RECIPES), "run scripts/make_families_page.py"
    assert not [row for row in rows if row[1] in ("differs", "crashed")]
