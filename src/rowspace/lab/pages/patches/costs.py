"""What patches of every size that fits a picture cost: tokens, scores, operations."""

from collections.abc import Mapping

from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, needs_torch
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

__all__ = ["ROUTES"]

_LARGEST = 64


@needs_torch
def costs(_: Lab, query: Query) -> Reply:
    """`height`, `width`, `channels`, `dim` → counts (n,) for each of the `sizes` that fit, or with `pad` for all.

    `patches`; `tokens`, a class token with them; `numbers` of one patch; `parameters` of the projection; `scores` of
    one head; `attention_flops` of one layer, and `projection_flops` of all patches.
    """
    from rowspace.layers import patch_cost

    height, width = (query.integer(name, 224, low=1, high=512) for name in ("height", "width"))
    channels, dim = query.integer("channels", 3, low=1, high=3), query.integer("dim", 768, low=1, high=16384)
    pad = query.flag("pad", False)
    sizes = [size for size in range(1, _LARGEST + 1) if pad or not (height % size or width % size)]
    counted = [patch_cost((height, width), size, channels=channels, embedding_dim=dim, pad=pad) for size in sizes]
    fits = "True" if pad else f"not ({height} % size or {width} % size)"
    code = f"""\
from rowspace.layers import patch_cost

sizes = [size for size in range(1, {_LARGEST + 1}) if {fits}]
costs = [patch_cost(({height}, {width}), size, channels={channels}, embedding_dim={dim}, pad={pad}) for size in sizes]
patches, tokens = [cost.patches for cost in costs], [cost.tokens for cost in costs]
numbers, parameters = [cost.numbers for cost in costs], [cost.parameters for cost in costs]
scores, attention_flops = [cost.scores for cost in costs], [cost.attention_flops for cost in costs]
projection_flops = [cost.projection_flops for cost in costs]"""
    return Reply(
        {"height": height, "width": width, "channels": channels, "dim": dim, "pad": pad, "code": code},
        sizes=sizes,
        **{name: [getattr(cost, name) for cost in counted] for name in _COUNTS},
    )


_COUNTS = ("patches", "tokens", "numbers", "parameters", "scores", "attention_flops", "projection_flops")

ROUTES: Mapping[str, Answer] = {"patches/costs": costs}
