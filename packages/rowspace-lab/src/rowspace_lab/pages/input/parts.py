"""The routes of the Input page: the token, position and segment embeddings of known models, for the table's rows.

Only the token rows are learned: position and segment tables are initialized randomly from a fixed seed.
"""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from rowspace.errors import RowspaceError, UsageError
from rowspace_lab.lab import Lab
from rowspace_lab.page import Handler, needs_torch
from rowspace_lab.pages.input.replies import ConcatenatedReply, OwnTablesReply, PartsReply
from rowspace_lab.pages.input.scale_routes import RECIPES, initial, recipes, scale
from rowspace_lab.server.query import Query
from rowspace_lab.shared.checkpoint_folder import checkpoint_folder, model_type
from rowspace_lab.shared.figure import shown
from rowspace_lab.shared.position_kinds import KINDS, MAX_POSITION_DIM, check_width, default_kind
from rowspace_lab.shared.sentence import known_sentence

if TYPE_CHECKING:
    from rowspace.layers import InputEmbedding

__all__ = ["ROUTES"]

OWN = "checkpoint"
"""The recipe of the opened checkpoint."""
_MAX_START = 1984  # plus 64 tokens: the 2,048 positions of the longest table
_MAX_SEED = 9999


@needs_torch
def parts(lab: Lab, query: Query) -> PartsReply:
    """Return what each part of `recipe` adds to the tokens of `text`, and the sum of the parts that are on."""
    from rowspace_lab.pages.input import figures
    from rowspace_lab.pages.input.own import own_input

    sentence = known_sentence(lab, query)
    path = lab.cached("checkpoint's input", lambda: _checkpoint(lab))
    offered = (OWN, *RECIPES) if path else RECIPES
    name = query.choice("recipe", offered, OWN if path else "bert" if lab.table.dim % 2 else "transformer")
    start = query.integer("start", 0, low=0, high=_MAX_START)
    second = query.integer("second", len(sentence.ids) // 2, low=0, high=64)
    check_width(lab.table.dim)
    filled: partial[Any] = partial(own_input, path=path) if name == OWN else partial(figures.fill_recipe, recipe=name)
    embed = lab.cached("own input", filled) if name == OWN else filled(lab.table, sentence.ids)
    found = figures.part_names(embed)
    on = [part for part in found if query.flag(part, True)]
    if not on:
        raise UsageError(f"all parts are off; switch on at least one of {', '.join(found)}")
    seed = query.integer("seed", 0, low=0, high=_MAX_SEED)
    figure = partial(
        figures.parts_figure,
        own=name == OWN,
        start=start,
        second=second,
        on=[*on, "norm"] if query.flag("norm", True) else on,
        dropout=seed if query.flag("dropout", False) else None,
    )
    return {
        **figure(lab.table, sentence.ids, embed),
        **sentence.fields,
        "recipe": name,
        "recipes": list(offered),
        "on": on,
        "start": start,
        "second": second,
        "steps": _steps(embed),
        "scaled": embed.tokens.scale is not None,
        "two_segments": figures.has_two_segments(embed),
        "drawn": [] if name == OWN else figures.parts_with_weights(embed),
        "has_norm": embed.norm is not None,
        "dropout": embed.dropout.p,
        "seed": seed,
        "max_positions": getattr(getattr(embed, "positions", None), "max_positions", None),
        "code": shown(lab, figure, ids=sentence.call, embed=filled),
    }


def _checkpoint(lab: Lab) -> str:
    """Return the folder of the checkpoint, or "" if its input cannot be read."""
    from rowspace_lab.pages.input.own import own_input

    path = checkpoint_folder(lab)
    try:
        embed: Any = own_input(path=path) if path else None
    except RowspaceError:
        return ""
    fits = embed is not None and getattr(embed.tokens, "embedding_dim", 0) == lab.table.dim
    return path if path and fits else ""


@needs_torch
def own_tables(lab: Lab, query: Query) -> OwnTablesReply:
    """Return the tables of the opened checkpoint; raise `UsageError` if there is none."""
    from rowspace_lab.pages.input.own import own_tables_figure

    path = lab.cached("checkpoint's input", lambda: _checkpoint(lab))
    if not path:
        raise UsageError("the table does not come from a checkpoint whose input is known; open a transformers folder")
    figure = partial(own_tables_figure, path=path)
    return {**lab.cached("own tables", figure), "model": model_type(path), "code": shown(lab, figure)}


def _steps(embed: "InputEmbedding") -> list[str]:
    """Describe the steps of the recipe, in order."""
    d = embed.tokens.embedding_dim
    scales = {"sqrt": f" × √d = {d**0.5:.2f}", "rounded_sqrt": f" × √d = {d**0.5:.2f}, rounded as the rows are"}
    steps = ["the token's row" + scales.get(embed.tokens.scale, "")]
    if hasattr(embed, "segments"):
        number = embed.segments.num_embeddings
        steps.append("+ the row of its segment, one of 2" if number > 1 else "+ the row of the only segment")
    if hasattr(embed, "positions"):
        steps.append(_position_step(embed.positions))
    for attention, words in _ATTENTION.items():
        if hasattr(embed, attention):
            steps.append(f"no position embedding: {words}")
    if embed.norm is not None:
        steps.append(f"LayerNorm, ε = {embed.norm.eps:g}")
    if embed.dropout.p:
        steps.append(f"dropout of {embed.dropout.p:g}, during training only")
    if embed.projection is not None:
        steps.append(f"a learned projection to {embed.projection.out_features} dimensions, not shown here")
    return steps


_ATTENTION = {
    "rotary": "attention rotates queries and keys by their positions",
    "alibi": "attention subtracts a penalty for the distance from each score",
    "relative_bias": "attention adds a learned bias for the distance to each score",
}


def _position_step(positions: Any) -> str:
    if not hasattr(positions, "weight"):
        return "+ sines and cosines of its position (fixed)"
    first = f", of which the first {positions.offset} are for padding" if positions.offset else ""
    return f"+ the row of its position, one of {len(positions.weight)}{first}"


@needs_torch
def concatenation(lab: Lab, query: Query) -> ConcatenatedReply:
    """Return positions added to the rows of `text`, positions of `width` concatenated with them, and the costs."""
    from rowspace_lab.pages.input.figures import concatenated_figure

    sentence, dim = known_sentence(lab, query), lab.table.dim
    kind = query.choice("position", KINDS, default_kind(dim))
    width = query.integer("width", min(16, dim), low=1, high=MAX_POSITION_DIM)
    check_width(dim)
    figure = partial(concatenated_figure, position=kind, width=width)
    found, code = figure(lab.table, sentence.ids), shown(lab, figure, ids=sentence.call)
    return {**found, **sentence.fields, "position": kind, "width": width, "code": code}


ROUTES: Mapping[str, Handler] = {
    "input/parts": parts,
    "input/concatenation": concatenation,
    "input/scale": scale,
    "input/initial": initial,
    "input/recipes": recipes,
    "input/own": own_tables,
}
