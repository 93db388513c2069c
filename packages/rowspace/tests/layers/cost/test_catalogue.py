"""The file `catalogue.toml`; `test_from_config.py` compares its sizes with transformers."""

import tomllib

from rowspace.layers import CATALOGUE
from rowspace.layers.cost import catalogue
from rowspace.layers.cost.catalogue import FAMILIES


def test_models_are_unique():
    families = tomllib.loads(catalogue.TABLE.read_text(encoding="utf-8"))["family"]
    assert len(CATALOGUE) == sum(len(family["models"]) for family in families)
    assert {family["model_type"] for family in families} <= FAMILIES.keys()
    for family in families:
        assert family.get("config", {}).keys().isdisjoint(family["columns"]), family["model_type"]


def test_entry_has_its_sizes_and_those_of_its_family():
    model = CATALOGUE["clip-vit-base-patch32/text"]
    assert model.repository == "openai/clip-vit-base-patch32"
    assert (model.parameters, model.paper) == (63_165_952, "Radford et al. 2021, arXiv:2103.00020")
    assert model.config == {
        "model_type": "clip_text_model",
        "hidden_size": 512,
        "intermediate_size": 2048,
        "vocab_size": 49408,
        "num_hidden_layers": 12,
        "max_position_embeddings": 77,
    }
