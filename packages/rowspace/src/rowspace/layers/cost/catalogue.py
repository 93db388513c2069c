"""The cost of a model, from its config: `cost`; and published models with the sizes of their tables: `CATALOGUE`.

The file `catalogue.toml` has the sizes of each published config.json, the paper of the model, and its number of
parameters. Everything else is computed from the sizes; tests build each model with transformers on the meta device and
compare.
"""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rowspace.errors import UsageError
from rowspace.files.strict_json import read_object
from rowspace.layers.arguments import one_sentence, require_not_negative
from rowspace.layers.cost.counts import Cost
from rowspace.layers.cost.patches import IMAGES
from rowspace.layers.cost.text import TEXT

__all__ = ["CATALOGUE", "PublishedModel"]

TABLE = Path(__file__).with_name("catalogue.toml")


@dataclass(frozen=True)
class PublishedModel:
    """A published model.

    Attributes:
        repository: On the Hugging Face Hub.
        config: The sizes of its config.json.
        parameters: Parameters of the model, with a tied matrix counted once.
        paper: Authors, year and arXiv number.

    >>> CATALOGUE["gemma-2-2b"].num_embeddings, CATALOGUE["gemma-2-2b"].tied
    (256000, True)
    >>> CATALOGUE["gpt2"].source
    'https://huggingface.co/openai-community/gpt2/raw/main/config.json'
    """

    repository: str
    config: Mapping[str, Any]
    parameters: int
    paper: str

    @property
    def source(self) -> str:
        """The URL of the config.json."""
        return f"https://huggingface.co/{self.repository}/raw/main/config.json"

    @property
    def cost(self) -> Cost:
        """The cost of its input and head."""
        return config_cost(self.config)

    @property
    def num_embeddings(self) -> int:
        """Number of rows of its token table; 0 for an image model."""
        return self.cost.num_embeddings

    @property
    def hidden_dim(self) -> int:
        """Dimension of its hidden states."""
        return self.cost.hidden_dim

    @property
    def num_layers(self) -> int | None:
        """Number of its blocks, of encoder and decoder together."""
        return self.cost.num_layers

    @property
    def tied(self) -> bool:
        """Whether head and token table are one tensor."""
        return self.cost.tied

    @property
    def position_scheme(self) -> str:
        """Its position scheme: learned, rotary, alibi or relative."""
        return self.cost.position_scheme


def _catalogue() -> dict[str, PublishedModel]:
    """The models by the name of their repository, and of the tower if there are two."""
    models = {}
    for family in tomllib.loads(TABLE.read_text(encoding="utf-8"))["family"]:
        for address, sizes in family["models"].items():
            config = dict(zip(family["columns"], sizes, strict=True))
            parameters = config.pop("parameters")
            config = {"model_type": family["model_type"], **config, **family.get("config", {})}
            owner, name = address.split("/", 1)
            repository = f"{owner}/{name.split('/')[0]}"
            models[name] = PublishedModel(repository, config, parameters, family["paper"])
    return models


CATALOGUE: dict[str, PublishedModel] = _catalogue()
"""The sizes of published models, by the name of their repository, and of the tower if there are two."""


def cost(config: Mapping[str, Any] | str | os.PathLike[str], *, part: Literal["text", "vision"] | None = None) -> Cost:
    """Compute parameters, bytes and operations of a model's input and head, and their share of the model.

    Args:
        config: A config.json of transformers as a dict; or its path or that of its folder; or a name in `CATALOGUE`.
            Missing sizes have the default of the model type. A dict without `model_type` needs only `vocab_size` and
            `hidden_size`: its table and head are counted, tied unless `tie_word_embeddings` is false.
        part: "text" or "vision" for a model with both, as in `from_config`.

    Returns:
        The cost.

    Raises:
        UsageError: For an unknown model type or name, a missing or impossible size, or a missing file.
        FileFormatError: For a file that is not a JSON object.

    >>> bert = cost("bert-base-uncased")
    >>> bert.tables, f"{bert.tokens / bert.tables:.1%}", f"{bert.share:.1%}"
    (23835648, '98.3%', '22.2%')
    >>> bert.parameters
    {'tokens': 23440896, 'positions': 393216, 'segments': 1536, 'norm': 1536, 'head': 622650}
    >>> cost({"vocab_size": 10_000, "hidden_size": 512}).bytes["float32"]
    20480000
    """
    return config_cost(_select_part(_load(config), part))


def _load(config: Mapping[str, Any] | str | os.PathLike[str]) -> Mapping[str, Any]:
    """The config as a dict, from any of its forms."""
    if isinstance(config, Mapping):
        return config
    if isinstance(config, str) and config in CATALOGUE:
        return CATALOGUE[config].config
    path = Path(config)
    path = path / "config.json" if path.is_dir() else path
    if not path.is_file():
        raise UsageError(
            f"config {os.fspath(config)!r} is not a config.json, a folder with one, or a name in the catalogue; list "
            "the names with sorted(rowspace.layers.CATALOGUE)"
        )
    return read_object(path, remedy="pass the config.json of a model")


def _select_part(config: Mapping[str, Any], part: str | None) -> Mapping[str, Any]:
    """The config of one part, if the model has several."""
    parts = {name for name in ("text", "vision") if isinstance(config.get(f"{name}_config"), Mapping)}
    if not parts:
        return config
    if part not in parts:
        raise UsageError(f"part must be one of {', '.join(sorted(parts))} for this config, not {part!r}")
    kind = config.get("model_type", "")
    usual = "gemma3_text" if (kind, part) == ("gemma3", "text") else f"{kind}_{part}_model"
    return {"model_type": usual, **config[f"{part}_config"]}


@one_sentence("config has impossible sizes")
def config_cost(config: Mapping[str, Any]) -> Cost:
    """The cost of the config of one tower; raises `UsageError` for an unknown type, or a missing or impossible size."""
    model_type = config.get("model_type", "")
    if model_type not in FAMILIES:
        known = ", ".join(sorted(filter(None, FAMILIES)))
        raise UsageError(
            f"model_type must be one of {known}, not {model_type!r}; omit it to count only the token table and its head"
        )
    names = sorted(config.keys() & {"vocab_size", "hidden_size", *DEFAULTS.get(model_type, ())})
    require_not_negative(**{name: config[name] for name in names if type(config[name]) is int})
    try:
        return FAMILIES[model_type](_complete(config, DEFAULTS.get(model_type, {})))
    except KeyError as error:
        raise UsageError(f"config must have {error.args[0]!r}, but has {', '.join(config) or 'nothing'}") from None


def _complete(config: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The config with missing sizes, also of its parts."""
    complete = {**defaults, **config}
    for name, sizes in defaults.items():
        if isinstance(sizes, dict):
            complete[name] = sizes | dict(complete[name] or {})
    return complete


FAMILIES = TEXT | IMAGES
# The defaults of the config classes of transformers.
DEFAULTS: dict[str, dict[str, Any]] = {}


def _defaults(model_types: str, **sizes: Any) -> None:
    for model_type in model_types.split():
        DEFAULTS[model_type] = DEFAULTS.get(model_type, {}) | sizes


_BASE = {"hidden_size": 768, "num_hidden_layers": 12, "intermediate_size": 3072}
_TOKENS = {"max_position_embeddings": 512, "type_vocab_size": 2, "tie_word_embeddings": True}
_IMAGES = {"image_size": 224, "patch_size": 16, "num_channels": 3}
_7B = {"vocab_size": 32000, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "head_dim": None}

_defaults("bert", vocab_size=30522, **_BASE, **_TOKENS)
_defaults("roberta", vocab_size=50265, **_BASE, **_TOKENS)
_defaults("xlm-roberta", vocab_size=30522, **_BASE, **_TOKENS)
_defaults("albert", vocab_size=30000, embedding_size=128, hidden_size=4096, num_hidden_layers=12, **_TOKENS)
_defaults("albert", intermediate_size=16384, num_hidden_groups=1, inner_group_num=1)
_defaults("modernbert", vocab_size=50368, hidden_size=768, num_hidden_layers=22, intermediate_size=1152)
_defaults("modernbert", tie_word_embeddings=True)

_defaults("gpt2", vocab_size=50257, n_positions=1024, n_embd=768, n_layer=12, n_inner=None, tie_word_embeddings=True)
_defaults("opt", vocab_size=50272, max_position_embeddings=2048, tie_word_embeddings=True, word_embed_proj_dim=None)
_defaults("opt", hidden_size=768, num_hidden_layers=12, ffn_dim=3072)
_defaults("opt", do_layer_norm_before=True, _remove_final_layer_norm=False)
_defaults("bloom", vocab_size=250880, hidden_size=64, n_layer=2, tie_word_embeddings=True)
_defaults("mpt", vocab_size=50368, d_model=2048, n_layers=24, expansion_ratio=4, tie_word_embeddings=True)
_defaults("gpt_neox", vocab_size=50432, hidden_size=6144, num_hidden_layers=44, intermediate_size=24576)
_defaults("gpt_neox", tie_word_embeddings=False)
_defaults("phi", vocab_size=51200, hidden_size=2048, num_hidden_layers=24, intermediate_size=8192)
_defaults("phi", tie_word_embeddings=False, num_attention_heads=32, num_key_value_heads=None)

_defaults("llama", **_7B, num_key_value_heads=None, intermediate_size=11008, tie_word_embeddings=False)
_defaults("mistral mixtral", **_7B, num_key_value_heads=8, intermediate_size=14336, tie_word_embeddings=False)
_defaults("mixtral", num_local_experts=8)
_defaults("qwen2 qwen3", **_7B, num_key_value_heads=32, intermediate_size=22016, tie_word_embeddings=False)
_defaults("qwen2 qwen3", vocab_size=151936)
_defaults("qwen3", head_dim=128)
_defaults("phi3", **_7B, num_key_value_heads=None, intermediate_size=8192, tie_word_embeddings=False)
_defaults("phi3", vocab_size=32064, hidden_size=3072)
_defaults("gemma gemma2 gemma3_text", vocab_size=256000, head_dim=256, tie_word_embeddings=True)
_defaults("gemma", hidden_size=3072, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=16)
_defaults("gemma", intermediate_size=24576)
_defaults("gemma2 gemma3_text", hidden_size=2304, num_hidden_layers=26, num_attention_heads=8, num_key_value_heads=4)
_defaults("gemma2 gemma3_text", intermediate_size=9216)
_defaults("gemma3_text", vocab_size=262208)

_defaults("gemma3n_text gemma4_text", vocab_size_per_layer_input=262144, hidden_size_per_layer_input=256)
_defaults("gemma3n_text gemma4_text", tie_word_embeddings=True, num_attention_heads=8, head_dim=256)
_defaults("gemma3n_text", vocab_size=262400, hidden_size=2048, num_hidden_layers=35, intermediate_size=16384)
_defaults("gemma3n_text", num_key_value_heads=2, num_kv_shared_layers=15, altup_num_inputs=4, laurel_rank=64)
_defaults("gemma4_text", vocab_size=262144, hidden_size=2304, num_hidden_layers=30)
_defaults("qwen4_exp_text", vocab_size=248320, hidden_size=2048, num_hidden_layers=40, tie_word_embeddings=False)
_defaults("qwen4_exp_text", ple_layer_ids=None, ple_embed_dim=None, ngram_size=3, heads_per_ngram=8)
_defaults("qwen4_exp_text", ngram_vocab_size_base=20_000_000, make_ngram_vocab_size_divisible_by=128)

_BLOCKS = {"num_attention_heads": 16, "num_key_value_heads": None, "intermediate_size": None}
_ACROSS = _BLOCKS | {"hidden_size": 1024, "hidden_size_global": 2048, "cross_attn_k": 2}
_defaults("blt", vocab_size=260, cross_attn_k=2, patch_in_forward=True, tie_word_embeddings=False)
_defaults("blt", encoder_hash_byte_group_size=None, encoder_hash_byte_group_vocab=500002)
_defaults("blt", encoder_hash_byte_group_nb_functions=1)
_defaults("blt", encoder_config=_ACROSS | {"num_hidden_layers": 1, "cross_attn_all_layers": False})
_defaults("blt", decoder_config=_ACROSS | {"num_hidden_layers": 9, "cross_attn_all_layers": True})
_defaults("blt", global_config=_BLOCKS | {"hidden_size": 2048, "num_hidden_layers": 25, "intermediate_size": 5632})
_PATCHER = {"hidden_size": 768, "num_hidden_layers": 14, "num_attention_heads": 12, "intermediate_size": 2048}
_defaults("blt", patcher_config=_BLOCKS | _PATCHER | {"vocab_size": 260})
DEFAULTS["blt"]["decoder_config"]["intermediate_size"] = 2816

_defaults("t5", vocab_size=32128, d_model=512, d_kv=64, d_ff=2048, num_layers=6, num_decoder_layers=None, num_heads=8)
_defaults("t5", relative_attention_num_buckets=32, feed_forward_proj="relu", tie_word_embeddings=True)

_defaults("vit deit", **_BASE, **_IMAGES, qkv_bias=True)
_defaults("dinov2 dinov2_with_registers", **_IMAGES, qkv_bias=True)
_defaults("dinov2 dinov2_with_registers", hidden_size=768, num_hidden_layers=12, mlp_ratio=4)
_defaults("dinov2", patch_size=14, use_mask_token=True, use_swiglu_ffn=False)
_defaults("dinov2_with_registers", num_register_tokens=4, use_swiglu_ffn=False)
_defaults("clip_vision_model siglip_vision_model", **_BASE, **_IMAGES)
_defaults("clip_vision_model", patch_size=32)
_defaults("siglip_vision_model", vision_use_head=True)
_defaults("clip_text_model", vocab_size=49408, hidden_size=512, num_hidden_layers=12, intermediate_size=2048)
_defaults("clip_text_model", max_position_embeddings=77)
_defaults("siglip_text_model", vocab_size=32000, **_BASE, max_position_embeddings=64, projection_size=None)
