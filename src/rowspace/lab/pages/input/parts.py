"""The Input page: what each part of a known model's input adds to a token, part by part, on the table's own rows.

Only the token rows are learned ones: position and segment tables are drawn from a seed, as where a training begins.
"""

from collections.abc import Mapping
from functools import reduce
from operator import add
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, needs_torch
from rowspace.lab.pages.input.concatenation import concatenation
from rowspace.lab.pages.input.scale import scale
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.position_modules import check_width
from rowspace.lab.shared.sentence import known_sentence

if TYPE_CHECKING:
    from torch import Tensor

    from rowspace.layers import InputEmbedding

__all__ = ["ROUTES"]

# The recipes of `rowspace.layers` that take text.
RECIPES = (
    *("bert", "roberta", "albert", "modernbert", "gpt2", "opt", "clip_text", "siglip_text"),
    *("transformer", "gemma", "llama", "mistral", "qwen", "t5", "bloom", "mpt"),
)
_WIDTH = {"albert": "inner_dim"}  # where the table's width is not called embedding_dim
_BESIDE = {"modernbert": {"padding_idx": 0}}  # its own is an id that a small table does not have
_FIRST = 2  # ids below are left to the recipe, for padding
_FARTHEST = 1984  # with 64 tokens more the 2048 positions of the longest table


@needs_torch
def parts(lab: Lab, query: Query) -> Reply:
    """`text`, `recipe`, `start`, `second`, and which parts are on → what each adds, their sum, and its norm.

    All are (n, d). `rows` are the table's, `tokens` the same as the recipe scales them, `positions` and `segments` what
    it adds, if it does; `total` sums those that are on, `output` is its norm in a recipe that has one. The first token
    stands at position `start`; from number `second` on tokens belong to the second segment.
    """
    sentence = known_sentence(lab, query)
    rows, count = lab.table[sentence.ids], len(sentence.ids)
    name = query.choice("recipe", RECIPES, "bert" if lab.table.dim % 2 else "transformer")
    start = query.integer("start", 0, low=0, high=_FARTHEST)
    second = query.integer("second", count // 2, low=0, high=64)
    check_width(lab.table.dim)
    embed = _filled(name, rows)
    found = _contributions(embed, count, start, second)
    on = [part for part in found if query.flag(part, True)]
    if not on:
        raise UsageError(f"nothing is left to add up; switch one of {', '.join(found)} on")
    total = reduce(add, (found[part] for part in on))
    arrays = {**found, "total": total}
    if embed.norm is not None:
        arrays["output"] = embed.norm(total).detach()
    facts = {
        "recipe": name,
        "recipes": RECIPES,
        "parts": list(found),
        "on": on,
        "start": start,
        "second": second,
        "steps": _steps(embed),
        "scaled": embed.tokens.scale is not None,
        "two_segments": _two_segments(embed),
        "drawn": _drawn(embed),
        "max_positions": getattr(getattr(embed, "positions", None), "max_positions", None),
        "code": _code(sentence.code, name, embed, start=start, second=second, on=on),
    }
    return Reply(sentence.meta | facts, rows=rows, **{part: array.numpy() for part, array in arrays.items()})


def _filled(name: str, rows: NDArray[Any]) -> "InputEmbedding":
    """The recipe with `rows` (n, d) as its ids 2 … n + 1, and its other tables drawn from a seed."""
    import torch

    from rowspace import layers

    width = {_WIDTH.get(name, "embedding_dim"): rows.shape[1]}
    embed: InputEmbedding = getattr(layers, name)(len(rows) + _FIRST, **width, **_BESIDE.get(name, {})).eval()
    drawn = torch.Generator().manual_seed(0)
    with torch.no_grad():
        embed.tokens.weight[_FIRST:] = torch.from_numpy(rows)
        for part in _drawn(embed):
            torch.nn.init.normal_(getattr(embed, part).weight, std=0.02, generator=drawn)
    return embed


def _drawn(embed: "InputEmbedding") -> list[str]:
    """The parts that have a table which is not the opened one."""
    return [part for part in ("segments", "positions") if hasattr(getattr(embed, part, None), "weight")]


def _contributions(embed: "InputEmbedding", count: int, start: int, second: int) -> "dict[str, Tensor]":
    """What each part adds to the n tokens, (n, d)."""
    import torch

    segments = (torch.arange(count) >= second).long()[None] if _two_segments(embed) else None
    found = embed.contributions(torch.arange(_FIRST, count + _FIRST)[None], segments, start=start)
    return {part: rows[0].detach() for part, rows in found.items()}


def _two_segments(embed: "InputEmbedding") -> bool:
    return hasattr(embed, "segments") and embed.segments.num_embeddings > 1


def _steps(embed: "InputEmbedding") -> list[str]:
    """What the recipe does, in words, in its order."""
    d = embed.tokens.embedding_dim
    scales = {"sqrt": f" × √d = {d**0.5:.2f}", "rounded_sqrt": f" × √d = {d**0.5:.2f}, rounded as the rows are"}
    steps = ["the token's row" + scales.get(embed.tokens.scale, "")]
    if hasattr(embed, "segments"):
        number = embed.segments.num_embeddings
        steps.append("+ the row of its segment, one of two" if number > 1 else "+ the row of the only segment")
    if hasattr(embed, "positions"):
        steps.append(_position_step(embed.positions))
    for attention, words in _ATTENTION.items():
        if hasattr(embed, attention):
            steps.append(f"no position here: {words}")
    if embed.norm is not None:
        steps.append(f"LayerNorm, ε = {embed.norm.eps:g}")
    if embed.dropout.p:
        steps.append(f"dropout of {embed.dropout.p:g}, in training only")
    if embed.projection is not None:
        steps.append(f"a learned map to {embed.projection.out_features} dimensions, not drawn here")
    return steps


_ATTENTION = {
    "rotary": "attention turns queries and keys by it",
    "alibi": "attention lowers each score by the distance",
    "relative_bias": "attention adds a learned number for each distance to its scores",
}


def _position_step(positions: Any) -> str:
    if not hasattr(positions, "weight"):
        return "+ sines and cosines of its position, exact"
    first = f", the first {positions.offset} of them for padding" if positions.offset else ""
    return f"+ the row of its position, one of {len(positions.weight)}{first}"


def _code(setup: str, name: str, embed: "InputEmbedding", *, start: int, second: int, on: list[str]) -> str:
    """The lines that make `parts`' arrays."""
    drawn = "".join(
        f"    torch.nn.init.normal_(embed.{part}.weight, std=0.02, generator=drawn)  # not learned\n"
        for part in _drawn(embed)
    )
    beside = "".join(f", {key}={value}" for key, value in _BESIDE.get(name, {}).items())
    segments = (f"second = (torch.arange(len(ids)) >= {second}).long()[None]\n", ", second")
    if not _two_segments(embed):
        segments = ("", "")
    names = [part for part in ("tokens", "segments", "positions") if hasattr(embed, part)]
    return (
        f"{setup}\nrows = table[ids]\n\nimport torch\nfrom rowspace.layers import {name}\n\n"
        f"embed = {name}(len(ids) + 2, {_WIDTH.get(name, 'embedding_dim')}=table.dim{beside}).eval()\n"
        + ("drawn = torch.Generator().manual_seed(0)\n" if drawn else "")
        + "with torch.no_grad():\n"
        f"    embed.tokens.weight[2:] = torch.from_numpy(rows)  # ids 0 and 1 are for padding\n{drawn}"
        f"places = torch.arange(2, len(ids) + 2)[None]\n{segments[0]}"
        f"parts = embed.contributions(places{segments[1]}, start={start})\n"
        f"{', '.join(names)}{',' if len(names) == 1 else ''} = (part[0].detach() for part in parts.values())\n"
        f"total = {' + '.join(on)}" + ("\noutput = embed.norm(total).detach()" if embed.norm is not None else "")
    )


ROUTES: Mapping[str, Answer] = {
    "input/parts": parts,
    "input/concatenation": concatenation,
    "input/scale": scale,
}
