"""The Pipeline page, backward: chosen gradients come back to the tokens, and each row gets the sum of its tokens'.

From scratch it is in `layers/tables/reference.py`, for training in `layers/tables/lookup.py`.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import MissingExtraError, UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.sentence import read_sentence

__all__ = ["backward"]

_LARGEST = 100.0
Array = NDArray[Any]


@np.errstate(invalid="ignore", over="ignore")  # rows that are no finite numbers have gradients that are none either
def backward(lab: Lab, query: Query) -> Reply:
    """`text`, `g` (a number for each token), `upstream` → what each row of the table gets.

    Row i of `upstream` (n, d) holds the number g[i], or with "rows" g[i] times the token's row: the gradient of
    g·‖row‖²/2. `gradient` (u, d) falls on the rows `touched` (u,), and on all others none. `checks` compares it with
    the same gradient computed in other ways.
    """
    sentence = read_sentence(lab, query)
    rows = lab.table[sentence.ids]
    g, kind = _numbers(query, len(rows)), query.choice("upstream", tuple(_KINDS))
    upstream = g[:, np.newaxis] * (rows if kind == "rows" else np.ones_like(rows))
    touched, which = np.unique(sentence.ids, return_inverse=True)
    gradient = np.zeros((len(touched), lab.table.dim), upstream.dtype)
    np.add.at(gradient, which, upstream)
    ways = {"one_hot": _by_one_hot(which, upstream, len(touched))}
    try:
        ways |= _by_layers(which, upstream, len(touched))
        missing = None
    except MissingExtraError as error:
        missing = str(error)
    facts = {
        "vocabulary": len(lab.table),
        "rows": [lab.table.vocabulary[number] for number in touched.tolist()],
        "from": [np.flatnonzero(which == row).tolist() for row in range(len(touched))],
        "kind": kind,
        "checks": [{"way": way, **_compared(other, gradient)} for way, other in ways.items()],
        "missing": missing,
        "code": _code(sentence.code, g, _KINDS[kind], with_layers=missing is None),
    }
    return Reply(sentence.meta | facts, g=g, upstream=upstream, touched=touched, gradient=gradient)


def _numbers(query: Query, count: int) -> NDArray[np.float32]:
    """`g`, one for each token: those given, and after them 1, 2, 3, … by place, so that a text may grow."""
    given = query.numbers("g", [1.0], most=64)
    if (largest := max(given, key=abs)) and abs(largest) > _LARGEST:
        raise UsageError(f"g must be numbers from -{_LARGEST:g} to {_LARGEST:g}, not {largest:g}")
    return np.array([*given, *range(len(given) + 1, count + 1)][:count], np.float32)


def _by_one_hot(which: Array, upstream: Array, count: int) -> Array:
    """Hᵀ G, of the columns of H that hold a one."""
    one_hot = (which[:, np.newaxis] == np.arange(count)).astype(upstream.dtype)
    product: Array = one_hot.T @ upstream
    return product


def _by_layers(which: Array, upstream: Array, count: int) -> dict[str, Array]:
    """The reference's loop, and what autograd sums in a `lookup`; raises `MissingExtraError` without torch."""
    from rowspace.layers import lookup
    from rowspace.layers.tables.reference import lookup_backward

    loop = lookup_backward(which, upstream, count)

    import torch  # after the line that says which extra it is

    weight = torch.zeros(loop.shape, dtype=torch.from_numpy(loop).dtype, requires_grad=True)
    rows = lookup(torch.from_numpy(which), weight)
    (gradient,) = torch.autograd.grad(rows, weight, torch.from_numpy(upstream))
    return {"loop": loop, "autograd": gradient.numpy()}


def _compared(other: Array, gradient: Array) -> dict[str, object]:
    """Whether the two are equal to the last bit, and how far they are apart."""
    apart = np.abs(other - gradient).max(initial=0.0)
    return {"equal": bool(np.array_equal(other, gradient, equal_nan=True)), "difference": float(apart)}


_KINDS = {"ones": "np.ones_like(rows)", "rows": "rows"}


def _code(setup: str, g: NDArray[np.float32], kind: str, *, with_layers: bool) -> str:
    code = (
        f"{setup}\nrows = table[ids]\n\nimport numpy as np\n\n"
        f"g = np.array({[float(str(number)) for number in g]}, np.float32)\n"
        f"upstream = g[:, np.newaxis] * {kind}\n\n"
        "# A row gets the sum of what comes back to its tokens; rows that are not `touched` get nothing.\n"
        "touched, which = np.unique(ids, return_inverse=True)\n"
        "gradient = np.zeros((len(touched), table.dim), upstream.dtype)\n"
        "np.add.at(gradient, which, upstream)\n"
        "vocabulary = len(table)\n\n"
        "# The same in other ways.\n"
        "one_hot = (which[:, np.newaxis] == np.arange(len(touched))).astype(upstream.dtype)\n"
        "ways = {'one_hot': one_hot.T @ upstream}"
    )
    return f"{code}{_LAYERS * with_layers}{_CHECKS}"


_LAYERS = """
import torch
from rowspace.layers import lookup
from rowspace.layers.tables.reference import lookup_backward

ways["loop"] = lookup_backward(which, upstream, len(touched))
weight = torch.zeros(gradient.shape, dtype=torch.from_numpy(gradient).dtype, requires_grad=True)
(autograd,) = torch.autograd.grad(lookup(torch.tensor(which), weight), weight, torch.tensor(upstream))
ways["autograd"] = autograd.numpy()"""
_CHECKS = """
apart = {way: float(np.abs(other - gradient).max(initial=0)) for way, other in ways.items()}
same = {way: np.array_equal(other, gradient, equal_nan=True) for way, other in ways.items()}
checks = [{"way": way, "equal": same[way], "difference": apart[way]} for way in ways]"""
