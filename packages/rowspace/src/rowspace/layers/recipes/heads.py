"""The head of a published model: `head_from_checkpoint`, and with the input `tied_from_checkpoint`."""

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from rowspace.errors import FileFormatError, UsageError
from rowspace.layers.recipes.checkpoint import Checkpoint
from rowspace.layers.recipes.families import Config, part_of
from rowspace.layers.recipes.from_pretrained import RECIPES, from_checkpoint, similar_names
from rowspace.layers.recipes.published_heads import PublishedHead, PublishedTiedHead, TransformedHead

__all__ = ["head_from_checkpoint", "head_types", "tied_from_checkpoint"]

TABLE = Path(__file__).with_name("heads.toml")
MATRIX, BIAS = ("lm_head.weight",), ("lm_head.bias",)


@dataclass(frozen=True)
class HeadFamily:
    """Model types with the same head.

    - `matrix`, `bias`, `table`: endings of the names of tensors: the matrix of an untied head, the bias, and the table
      of a tied head if it is not that of the recipe.
    - `scale`, `softcap`, `temperature`, `multiplier`, `divisor`: entries of config.json, of which the first existing
      one is used; `scale` names a flag.
    - `separate_bias`: whether the bias is added after the product.
    - `dense`, `norm`: the modules before the head (BERT), with `activation` and `eps`, each an entry of config.json or
      a constant.
    """

    types: tuple[str, ...]
    matrix: tuple[str, ...] = MATRIX
    bias: tuple[str, ...] = BIAS
    table: tuple[str, ...] = ()
    scale: tuple[str, ...] = ()
    softcap: tuple[str, ...] = ()
    temperature: tuple[str, ...] = ()
    multiplier: tuple[str, ...] = ()
    divisor: tuple[str, ...] = ()
    separate_bias: bool = False
    dense: tuple[str, ...] = ()
    norm: tuple[str, ...] = ()
    activation: str = "hidden_act"
    eps: str | float = "layer_norm_eps"
    defaults: Mapping[str, Any] = field(default_factory=dict)


@functools.cache
def _families() -> Mapping[str, HeadFamily]:
    """The family of each model type."""
    found = tomllib.loads(TABLE.read_text(encoding="utf-8")).values()
    return {kind: HeadFamily(**facts) for facts in found for kind in facts["types"]}


def head_types() -> list[str]:
    """Return the model types whose head opens.

    >>> "llama" in head_types(), "bert" in head_types()
    (True, True)
    """
    return sorted(_families())


def head_from_checkpoint(path: str | PathLike[str]) -> nn.Module:
    """Load the head of a published model from a folder: last hidden states (..., d) → logits (..., V).

    A head that is tied to the token table has a copy of it; `tied_from_checkpoint` shares it with the input. The hidden
    states are those which the model's body returns, after its last norm. Only the tensors of the head are read.

    Args:
        path: As in `from_checkpoint`; for a model of text and images, its text model.

    Returns:
        An `UntiedHead`, or a `TransformedHead` for a head with a layer of its own (BERT), on the CPU in eval mode.

    Raises:
        FileFormatError: If the folder is damaged, or has neither a matrix of the head nor a table.
        UsageError: If `path` is not a folder, or for a model without a recipe for its head.

    >>> head_from_checkpoint("no such folder")
    Traceback (most recent call last):
    rowspace.errors.UsageError: no such folder is not a folder; pass a local copy of the model's repository
    """
    checkpoint = Checkpoint(path)
    config, family = _family_of(checkpoint.config)
    name = _own_matrix(checkpoint, config, family) or checkpoint.find(_table_names(config, family))
    weight = _checked(checkpoint, config, name)
    bias = _optional(checkpoint, family.bias)
    with torch.device("meta"):
        head = PublishedHead(weight.shape[1], len(weight), bias=bias is not None, **_options(config, family))
    head.weight = nn.Parameter(weight)
    return _finished(checkpoint, config, family, head, bias)


def tied_from_checkpoint(path: str | PathLike[str]) -> tuple[nn.Module, nn.Module]:
    """Load the input of a published model and the head that is tied to its token table.

    Args:
        path: As in `head_from_checkpoint`.

    Returns:
        The input, as `from_checkpoint` returns it, and a head like that of `head_from_checkpoint`, whose table is that
        of the input: a `TiedHead`.

    Raises:
        FileFormatError: As in `head_from_checkpoint`.
        UsageError: For a model whose head has a matrix of its own, and as in `head_from_checkpoint`.

    >>> tied_from_checkpoint("no such folder")
    Traceback (most recent call last):
    rowspace.errors.UsageError: no such folder is not a folder; pass a local copy of the model's repository
    """
    checkpoint = Checkpoint(path)
    config, family = _family_of(checkpoint.config)
    own = _own_matrix(checkpoint, config, family)
    if own is not None:
        raise UsageError(f"{path}: the head has a matrix of its own, {own!r}; use head_from_checkpoint")
    embed = cast(Any, from_checkpoint(path, part=None if config is checkpoint.config else "text"))
    bias = _optional(checkpoint, family.bias)
    tokens = getattr(embed.tokens, "table", embed.tokens)
    head = PublishedTiedHead(tokens, bias=bias is not None, **_options(config, family))
    return embed, _finished(checkpoint, config, family, head, bias)


def _family_of(config: Config) -> tuple[Config, HeadFamily]:
    """The config of the text model, and the family of its head."""
    kind = str(config.get("model_type"))
    if kind in _families():
        return config, _families()[kind]
    inner = config.get("text_config")
    if isinstance(inner, Mapping) and inner.get("model_type") in _families():
        return {**config, **inner}, _families()[str(inner["model_type"])]
    raise UsageError(
        f"model_type is {kind!r}, whose head has no recipe ({similar_names(kind, head_types())}head_types() has all "
        f"names); construct an UntiedHead or TiedHead"
    )


def _own_matrix(checkpoint: Checkpoint, config: Config, family: HeadFamily) -> str | None:
    """The name of the matrix of an untied head; None for a tied one, also if the checkpoint repeats its table.

    As in transformers, a matrix that differs from the table is used, whatever config.json says.
    """
    is_tied = config.get("tie_word_embeddings")
    if is_tied is False and family.matrix:
        return checkpoint.find(family.matrix)
    name = _existing(checkpoint, family.matrix)
    if is_tied is True and name is not None:
        table = checkpoint.read(checkpoint.find(_table_names(config, family)))
        return None if torch.equal(checkpoint.read(name), table) else name
    return name


def _checked(checkpoint: Checkpoint, config: Config, name: str) -> torch.Tensor:
    """The matrix of a head; its sizes must be those of the config, where this has them."""
    weight = checkpoint.read(name)
    rows, width = config.get("vocab_size", len(weight)), config.get("hidden_size", weight.shape[1])
    widths = {width, *(size for size in config.values() if type(size) is int)}  # some heads have a width of their own
    if type(rows) is not int or type(width) is not int or rows != len(weight) or weight.shape[1] not in widths:
        raise FileFormatError(
            f"{checkpoint.folder}: {name!r} has {len(weight):,} rows of {weight.shape[1]:,} numbers, but config.json "
            f"has vocab_size {rows!r} and hidden_size {width!r}; restore one of the two files"
        )
    return weight


def _table_names(config: Config, family: HeadFamily) -> tuple[str, ...]:
    """The endings of the name of the table that a tied head uses."""
    if family.table:
        return tuple(family.table)
    recipe = RECIPES[str(config["model_type"])]
    for parameter in ("tokens.weight", "tokens.table.weight"):
        try:
            return recipe.endings(parameter)
        except KeyError:
            continue
    raise UsageError(f"the recipe of a {config['model_type']!r} has no token table; construct a TiedHead")


def _existing(checkpoint: Checkpoint, endings: tuple[str, ...]) -> str | None:
    """The name of the first tensor with one of these endings, or None."""
    exists = any(f".{name}".endswith(f".{ending}") for name in checkpoint.names for ending in endings)
    return checkpoint.find(endings) if exists else None


def _optional(checkpoint: Checkpoint, endings: tuple[str, ...]) -> torch.Tensor | None:
    name = _existing(checkpoint, endings)
    return None if name is None else checkpoint.read(name).flatten()


def _entry(config: Config, family: HeadFamily, names: tuple[str, ...], default: Any) -> Any:
    """The value of the first entry that the config has, or that its class has by default."""
    for name in names:
        part, entry = part_of(config, name)
        if part.get(entry) is not None:
            return part[entry]
    return next((family.defaults[name] for name in names if name in family.defaults), default)


def _options(config: Config, family: HeadFamily) -> dict[str, Any]:
    """The arguments of the head."""
    return {
        "scale": "rsqrt" if family.scale and _entry(config, family, family.scale, True) else None,
        "softcap": _entry(config, family, family.softcap, None) if family.softcap else None,
        "temperature": _entry(config, family, family.temperature, 1.0) if family.temperature else 1.0,
    }


def _finished(
    checkpoint: Checkpoint, config: Config, family: HeadFamily, head: Any, bias: torch.Tensor | None
) -> nn.Module:
    """The head with its numbers, its bias, and the modules before it, in eval mode."""
    head.multiplier = float(_entry(config, family, family.multiplier, 1.0))
    head.divisor = float(_entry(config, family, family.divisor, 1.0))
    head.separate_bias = family.separate_bias
    if bias is not None:
        head.bias = nn.Parameter(bias)
    if not family.dense:
        return cast(nn.Module, head.eval())
    eps = family.eps if isinstance(family.eps, float) else _entry(config, family, (family.eps,), 1e-12)
    activation = _entry(config, family, (family.activation,), family.activation)
    dense, norm = (_layer(checkpoint, names) for names in (family.dense, family.norm))
    linear = nn.Linear(dense["weight"].shape[1], len(dense["weight"]), bias="bias" in dense, device="meta")
    layer_norm = nn.LayerNorm(len(norm["weight"]), eps=eps, bias="bias" in norm, device="meta")
    linear.load_state_dict(dense, assign=True)
    layer_norm.load_state_dict(norm, assign=True)
    return TransformedHead(linear, activation, layer_norm, head).requires_grad_().eval()


def _layer(checkpoint: Checkpoint, names: tuple[str, ...]) -> dict[str, torch.Tensor]:
    """The weight and bias of a module of the checkpoint."""
    old = {"weight": "gamma", "bias": "beta"}
    found = {
        "weight": checkpoint.read(checkpoint.find([f"{name}.{leaf}" for name in names for leaf in ("weight", "gamma")]))
    }
    bias = _existing(checkpoint, tuple(f"{name}.{leaf}" for name in names for leaf in ("bias", old["bias"])))
    return found if bias is None else {**found, "bias": checkpoint.read(bias)}
