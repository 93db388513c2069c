"""The Positions page: what each scheme puts at a position, and what it does to the score of two tokens."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, needs_torch
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

if TYPE_CHECKING:
    from torch import Tensor

    from rowspace.layers import PositionScheme

__all__ = ["ROUTES"]

_SCHEMES = ("sinusoid", "learned", "rotary", "alibi", "t5")


@needs_torch
def rows(_: Lab, query: Query) -> Reply:
    """`length`, `dim`, `base`, `seed` → five maps of position by dimension, (length, dim) float32.

    Two layouts of sinusoid, a learned table as training begins, and the two layouts of rotary: ones, turned.
    """
    import torch

    from rowspace.layers import LearnedPosition, RotaryPosition, SinusoidPosition

    length, dim, base, seed = _sizes(query)
    learned = LearnedPosition(length, dim)
    learned.reset_parameters(torch.Generator().manual_seed(seed))
    ids, ones = torch.zeros(length), torch.ones(1, length, dim)
    code = f"""\
import torch
from rowspace.layers import LearnedPosition, RotaryPosition, SinusoidPosition

ids = torch.zeros({length})  # only how many there are counts
sinusoid_interleaved = SinusoidPosition({dim}, base={base})(ids)
sinusoid_concatenated = SinusoidPosition({dim}, base={base}, layout="concatenated")(ids)

begun = LearnedPosition({length}, {dim})
begun.reset_parameters(torch.Generator().manual_seed({seed}))  # as training begins
learned = begun.weight.detach()

ones = torch.ones(1, {length}, {dim})  # one head, and at every position the same query
rotary_half = RotaryPosition({dim}, base={base})(ones, ones)[0][0]
rotary_interleaved = RotaryPosition({dim}, base={base}, layout="interleaved")(ones, ones)[0][0]"""
    return Reply(
        {"length": length, "dim": dim, "base": base, "seed": seed, "code": code},
        sinusoid_interleaved=SinusoidPosition(dim, base=base)(ids),
        sinusoid_concatenated=SinusoidPosition(dim, base=base, layout="concatenated")(ids),
        learned=learned.weight.detach(),
        rotary_half=RotaryPosition(dim, base=base)(ones, ones)[0][0],
        rotary_interleaved=RotaryPosition(dim, base=base, layout="interleaved")(ones, ones)[0][0],
    )


@needs_torch
def scores(lab: Lab, query: Query) -> Reply:
    """The sizes of `rows`, `heads`, `head`, `causal`, two tokens `query` and `key` → scores of each scheme.

    `pairs` (5, length, length) of one head, query by key; `scores` (5, heads, 2 · length - 1) by offset; of ALiBi the
    `slopes` (heads,), of T5's bias the `buckets` (2 · length - 1,). Without tokens only positions speak.
    """
    import torch

    from rowspace.layers import alibi_slopes, relative_buckets, relative_scores

    length, dim, base, seed = _sizes(query)
    heads = query.integer("heads", 8, low=1, high=16)
    head = query.integer("head", 0, low=0, high=heads - 1)
    causal = query.flag("causal", False)
    dim, contents, setup = _contents(lab, query, heads, dim)
    schemes, schemes_code = _schemes(length, dim, base, seed, heads, causal)
    found = [
        relative_scores(scheme, *content, length=length) for scheme, content in zip(schemes, contents, strict=True)
    ]
    code = f"""\
{setup}
{schemes_code}
found = [relative_scores(scheme, *content, length={length}) for scheme, content in zip(schemes, contents)]
offsets = found[0].offsets
scores = torch.stack([each.scores for each in found])
pairs = torch.stack([each.pairs[{head}] for each in found])
slopes, buckets = alibi_slopes({heads}), relative_buckets(offsets, bidirectional={not causal})
deviations = [each.largest_deviation for each in found]
parameters = [sum(parameter.numel() for parameter in scheme.parameters()) for scheme in schemes]"""
    meta = {
        "schemes": _SCHEMES,
        "deviations": [each.largest_deviation for each in found],
        "parameters": [sum(parameter.numel() for parameter in scheme.parameters()) for scheme in schemes],
        **{"length": length, "dim": dim, "heads": heads, "head": head, "causal": causal, "code": code},
    }
    return Reply(
        meta,
        offsets=found[0].offsets,
        scores=torch.stack([each.scores for each in found]),
        pairs=torch.stack([each.pairs[head] for each in found]),
        slopes=alibi_slopes(heads),
        buckets=relative_buckets(found[0].offsets, bidirectional=not causal),
    )


def _sizes(query: Query) -> tuple[int, int, float, int]:
    """Positions, an even dimension, the base of the frequencies, and the seed of what is learned."""
    length = query.integer("length", 64, low=2, high=256)
    dim = query.integer("dim", 64, low=2, high=256)
    if dim % 2:
        raise UsageError(f"dim is {dim}, but sines and cosines come in pairs; make it {dim - 1} or {dim + 1}")
    base = query.number("base", 10000.0, low=2, high=1e9)
    return length, dim, base, query.integer("seed", 0, low=0, high=2**31 - 1)


def _schemes(
    length: int, dim: int, base: float, seed: int, heads: int, causal: bool
) -> tuple[tuple["PositionScheme", ...], str]:
    """The five schemes, what is learned drawn from the seed, and the code that makes them."""
    import torch

    from rowspace.layers import Alibi, LearnedPosition, RelativeBias, RotaryPosition, SinusoidPosition

    added, bias = LearnedPosition(length, dim), RelativeBias(heads, bidirectional=not causal)
    for drawn in (added, bias):
        drawn.reset_parameters(torch.Generator().manual_seed(seed))
    alibi, rotary = Alibi(heads, symmetric=not causal), RotaryPosition(dim, base=base)
    code = f"""\
added, bias = LearnedPosition({length}, {dim}), RelativeBias({heads}, bidirectional={not causal})
for drawn in (added, bias):
    drawn.reset_parameters(torch.Generator().manual_seed({seed}))  # as training begins
alibi, rotary = Alibi({heads}, symmetric={not causal}), RotaryPosition({dim}, base={base})
schemes = (SinusoidPosition({dim}, base={base}), added, rotary, alibi, bias)
"""
    return (SinusoidPosition(dim, base=base), added, rotary, alibi, bias), code


def _contents(lab: Lab, query: Query, heads: int, dim: int) -> tuple[int, list[tuple["Tensor", "Tensor"]], str]:
    """The dimension that is used, query and key (heads, dim) of each scheme, and the code that makes them."""
    import torch

    imports = """\
import torch
from rowspace.layers import Alibi, LearnedPosition, RelativeBias, RotaryPosition, SinusoidPosition
from rowspace.layers import alibi_slopes, relative_buckets, relative_scores
"""
    asked = query.text("query", "")
    if not asked:
        nothing, unit = torch.zeros(heads, dim), torch.full((heads, dim), dim**-0.5)
        code = f"""{imports}
nothing, unit = torch.zeros({heads}, {dim}), torch.full(({heads}, {dim}), {dim}**-0.5)  # rotary turns the latter
contents = [(nothing, nothing)] * 2 + [(unit, unit)] + [(nothing, nothing)] * 2"""
        return dim, [(nothing, nothing)] * 2 + [(unit, unit)] + [(nothing, nothing)] * 2, code
    key = query.text("key", asked)
    dim = min(dim, lab.table.dim // 2 * 2)
    if not dim:
        raise UsageError("a row of one number has no pair for a rotation to turn; leave query and key empty")
    pair = [torch.tensor(lab.table[token][:dim]).expand(heads, -1) for token in (asked, key)]
    code = f"""\
{lab.load_code}

{imports}
query, key = (torch.tensor(table[token][:{dim}]).expand({heads}, -1) for token in ({asked!r}, {key!r}))
contents = [(query, key)] * 5  # unscaled"""
    return dim, [(pair[0], pair[1])] * len(_SCHEMES), code


ROUTES: Mapping[str, Answer] = {"positions/rows": rows, "positions/scores": scores}
