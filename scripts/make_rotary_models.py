"""Write `layers/rotary/models.toml` from the classes of transformers, and check each line against them.

    python scripts/make_rotary_models.py            write the table
    python scripts/make_rotary_models.py --check    only report what would change

A model type is omitted if no layout rotates queries as transformers does for every config tried.
"""

import argparse
import copy
import sys
import tomllib
from pathlib import Path
from unittest import mock

import torch
import transformers

sys.path.insert(0, str(Path(__file__).parents[1] / "packages/rowspace"))
from tests.layers.rotary.published import agrees, rotary_configs, rotary_module_of

from rowspace.errors import UsageError
from rowspace.layers.rotary import models as rotary_models

HEADER = """# Defaults and layouts of rotary positions by model type of transformers {version}: see models.py.
# Written by scripts/make_rotary_models.py. rotary_from_config refuses model types that are not listed here.

"""
OTHER_THETA = 54321.0
# Written by hand in the table: types whose layers differ by more than a layer type, that rotate other components than
# the first or in the other direction, or have no rotary module of their own. `test_every_family.py` compares these.
BY_HAND = {
    "axk2",
    "deepseek_v32",
    "deepseek_v4",
    "embedding_gemma2_text",
    "esm",
    "gemma4_text",
    "gemma4_unified_text",
    "granite_swa",
    "granitemoe_swa",
    "internlm3",
    "iquestcoder",
    "jetmoe",
    "laguna",
    "molmo2_text",
    "muse_glimmer_text",
    "muse_spark_text",
    "nanochat",
    "neomme",
    "zaya",
}
# The first release of Qwen2-VL wrote its text config at the top level, under the name of the full model.
SAME_AS = {"qwen2_vl": "qwen2_vl_text", "qwen2_5_vl": "qwen2_5_vl_text"}
# Entries of an old config.json with the bases of both kinds of layers; the last is for types without an old form.
OLD_BASES = (
    {"full_attention": "rope_theta", "sliding_attention": "rope_local_base_freq"},
    {"full_attention": "global_rope_theta", "sliding_attention": "local_rope_theta"},
    {"full_attention": "rope_theta", "sliding_attention": "rope_theta"},
    {},
)
# Changes for classes whose defaults contradict each other.
HALF = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.5}}
QUARTER = {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "partial_rotary_factor": 0.25}}
STARTS = {
    "glm4_moe": {"head_dim": 128},
    "glm4v_text": HALF,
    "glm4v_moe_text": HALF | {"head_dim": 128},
    "glm_image_text": HALF,
    "glm_ocr_text": {"head_dim": 64},
    "hunyuan_vl_text": {"rope_parameters": {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [16] * 4}},
    "qwen3_5_text": QUARTER,
    "qwen3_5_moe_text": QUARTER,
    "qwen3_omni_moe_text": {"head_dim": 128},
    "qwen3_omni_moe_talker_text": {"head_dim": 128},
    "qwen4_exp_text": QUARTER,
}
# GPT-J and CodeGen have no rotary module: `tests/layers/rotary/test_position.py` compares them.
BY_HAND |= {"codegen", "gptj"}


def main():
    """Write the table, or compare with it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = HEADER.format(version=transformers.__version__) + "".join(
        f"{line(name)} = {table(facts)}\n" for name, facts in sorted(found_models().items())
    )
    if arguments.check:
        raise SystemExit(int(text != rotary_models.TABLE.read_text(encoding="utf-8")))
    rotary_models.TABLE.write_text(text, encoding="utf-8")


def found_models():
    """Return the facts of each model type for which all configs agree."""
    written = tomllib.loads(rotary_models.TABLE.read_text(encoding="utf-8"))
    models = {name: written[name] for name in BY_HAND}
    for kind in rotary_configs():
        if kind.model_type in BY_HAND:
            continue
        try:
            facts = best(kind)
        except Exception as error:
            print(f"{kind.model_type}: omitted, {type(error).__name__}: {str(error).splitlines()[0][:90]}")
            continue
        if facts is None:
            print(f"{kind.model_type}: omitted, no layout agrees")
            continue
        models[kind.model_type] = facts
        if facts.get("unread"):
            print(f"{kind.model_type}: refused with {', '.join(facts['unread'])}")
    for name, part in SAME_AS.items():
        models[name] = models[part]
    return models


def best(kind):
    """Return the facts that hold for the type's own config and for as many changed configs as possible."""
    found = None
    for facts in candidates(kind):
        wrong = disagreements(kind, facts)
        if wrong is None:
            continue
        if not wrong:
            return facts
        if found is None or len(wrong) < len(found["unread"]):
            found = facts | {"unread": sorted(wrong)}
    if found is None or {"rope_parameters", "hidden_size"} & set(found["unread"]):
        return None
    own = written_by(kind)[0]
    found["unread"] = [name for name in found["unread"] if own.get(name) is None]
    return found


def start(kind):
    """Return the default config of a type, with contradictory defaults corrected."""
    config = kind(**copy.deepcopy(STARTS.get(kind.model_type, {})))
    config.allow_global_per_layer_attribute_access = True
    return config


def candidates(kind):
    """Yield possible facts of a type; the first that holds is used."""
    config = start(kind)
    for sizes in sizes_of(kind, config):
        yield from candidates_of_sizes(kind, config, sizes | rope_of(kind, config))


def candidates_of_sizes(kind, config, facts):
    """Yield possible facts of a type whose sizes and default parameters are known."""
    module = rotary_module_of(config)
    sections = getattr(module, "mrope_section", None)
    if kind.model_type.startswith("gpt_neox"):
        facts |= {"base_key": "rotary_emb_base", "share_key": "rotary_pct"}
    for mrope in ("blocks", "interleaved") if sections else (None,):
        shown = facts if mrope is None else facts | {"mrope": mrope, "mrope_section": list(sections)}
        for layout in (base | layout for layout in layouts(config) for base in bases_in(shown)):
            for share in shares(config):
                for bases in OLD_BASES if "layers" in facts else ({},):
                    for scaled in (["full_attention"], ["full_attention", "sliding_attention"]) if bases else ([],):
                        yield shown | layout | share | ({"old_bases": bases, "scaled_layers": scaled} if bases else {})


def bases_in(facts):
    """Return the default parameters without and with their base; with it, `rope_theta` alone cannot replace it."""
    rope = facts.get("rope_parameters")
    if rope is None:
        return ({},)
    return ({"rope_parameters": {key: value for key, value in rope.items() if key != "rope_theta"}}, {})


def layouts(config):
    """Return the possible layouts: half is the default, or a flag of the config decides."""
    flag = getattr(config, "rope_interleave", None)
    return ({}, {"layout": "interleaved"}) if flag is None else ({"rope_interleave": flag},)


def shares(config):
    """Return the possible facts about the rotated share of the head: whether the config has it, and its default."""
    rope = config.rope_parameters
    rope = next((part for part in rope.values() if isinstance(part, dict)), rope)
    return (
        {"partial_rotary_factor": rope.get("partial_rotary_factor", 1.0)},
        {},
        {"rotary_dim": 0, "partial_rotary_factor": 1.0},
    )


def sizes_of(kind, config):
    """Yield the sizes from which the width of a head follows: it may be in the config, or always be computed."""
    facts = {"hidden_size": config.hidden_size, "num_attention_heads": config.num_attention_heads}
    if getattr(config, "max_position_embeddings", None):
        facts["max_position_embeddings"] = config.max_position_embeddings
    if getattr(config, "original_max_position_embeddings", None):
        facts["original_max_position_embeddings"] = config.original_max_position_embeddings
    if getattr(config, "qk_rope_head_dim", None):
        yield {"head_dim_key": "qk_rope_head_dim", "head_dim": config.qk_rope_head_dim} | facts
        return
    head_dim = getattr(config, "head_dim", None)
    if head_dim and getattr(wider(kind, config), "head_dim", None) == head_dim:
        yield facts | {"head_dim": head_dim}
        return
    yield facts
    yield facts | {"head_dim_key": ""}


def wider(kind, config):
    """Return the config with twice the hidden size, or unchanged if that contradicts its other sizes."""
    try:
        return kind(hidden_size=2 * config.hidden_size)
    except Exception:
        return config


def rope_of(kind, config):
    """Return the default base, and the default parameters if they are more than a base and a share."""
    rope = config.rope_parameters
    layers = {name: part for name, part in rope.items() if isinstance(part, dict)}
    if layers:
        used = set(getattr(config, "layer_types", None) or layers)
        return {"layers": {name: part for name, part in sorted(layers.items()) if name in used}}
    try:
        plain = {"rope_theta": config.rope_parameters["rope_theta"]}
        plain |= kind(rope_parameters={"rope_type": "default"}).rope_parameters
    except Exception:
        plain = {"rope_theta": rope["rope_theta"], "rope_type": "default"}
    facts = {} if plain["rope_theta"] == 10000.0 else {"rope_theta": float(plain["rope_theta"])}
    extra = {key: value for key, value in rope.items() if plain.get(key) != value and key != "mrope_section"}
    return facts | (
        {"rope_parameters": {key: value for key, value in rope.items() if value is not None}} if extra else {}
    )


def disagreements(kind, facts):
    """Return the entries of a config.json whose rotation differs from transformers; None if the defaults differ."""
    model, wrong = rotary_models.Model(**facts), set()
    layers = facts.get("layers", [None])
    with mock.patch.object(rotary_models, "known_models", return_value={kind.model_type: model}):
        try:
            if not all(agrees(kind, written, layer) for written in written_by(kind) for layer in layers):
                return None
        except UsageError:
            return None
        short = written_by(kind)[1]
        for name, change in changed(kind):
            written = {
                key: value for key, value in short.items() if key not in ("rope_parameters", "head_dim")
            } | change
            if not wrong & change.keys() and not all(agrees_or_is_refused(kind, written, layer) for layer in layers):
                wrong.add(name)
    return wrong


def agrees_or_is_refused(kind, written, layer):
    """Whether rotations agree; also true if transformers cannot read the config or if it is refused with an error."""
    try:
        return agrees(kind, written, layer)
    except UsageError:
        return True
    except Exception:
        return True


def written_by(kind):
    """Return a config.json of the type, complete and without defaults."""
    config = start(kind)
    return config.to_dict(), config.to_diff_dict()


def changed(kind):
    """Yield changes to the short config, in the new and the old form, with the entry that each tests."""
    config = start(kind)
    layers = [name for name, part in config.rope_parameters.items() if isinstance(part, dict)]
    linear, plain = {"rope_type": "linear", "factor": 2.0}, {"rope_type": "default", "rope_theta": OTHER_THETA}
    for rope in (plain, linear, {**linear, "rope_theta": OTHER_THETA}):
        name = "rope_parameters" if rope is plain else "scaling"
        yield name, {"rope_parameters": {layer: dict(rope) for layer in layers} or dict(rope)}
    for share in (0.5, 0.25):
        shared = {**plain, "partial_rotary_factor": share}
        yield "share", {"rope_parameters": {layer: dict(shared) for layer in layers} or shared}
        yield "partial_rotary_factor", {"partial_rotary_factor": share}
    for name in ("rope_theta", "rotary_emb_base", "rope_local_base_freq", "local_rope_theta", "global_rope_theta"):
        yield name, {name: OTHER_THETA}
    yield "rope_scaling", {"rope_scaling": dict(linear)}
    yield "rope_scaling", {"rope_theta": OTHER_THETA, "rope_scaling": dict(linear)}
    yield "rope_scaling", {"rope_scaling": {"type": "linear", "factor": 2.0}}
    yield "hidden_size", {"hidden_size": 2 * config.hidden_size, "num_attention_heads": config.num_attention_heads}
    for name, value in (("partial_rotary_factor", None), ("rotary_pct", 0.5), ("rotary_dim", 8)):
        yield name, {name: value}
    if hasattr(config, "rope_interleave"):
        yield "rope_interleave", {"rope_interleave": not config.rope_interleave}
    if getattr(config, "qk_rope_head_dim", None):
        yield "qk_rope_head_dim", {"qk_rope_head_dim": 16}
    if getattr(config, "head_dim", None):
        yield "head_dim", {"head_dim": 2 * config.head_dim}


def line(name):
    """Return a TOML key, quoted if necessary."""
    return name if name.replace("_", "").replace("-", "").isalnum() else f'"{name}"'


def table(facts):
    """Return an inline TOML table."""
    return "{ " + ", ".join(f"{key} = {value_of(value)}" for key, value in facts.items()) + " }"


def value_of(value):
    """Return a TOML value."""
    if isinstance(value, dict):
        return table({key: part for key, part in value.items() if part is not None})
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(value_of, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else repr(value)


if __name__ == "__main__":
    torch.set_num_threads(1)
    transformers.logging.set_verbosity_error()
    main()
