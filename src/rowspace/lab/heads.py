"""The Head page: a hidden state, changed by hand, against every row: logits and probabilities, tied or untied.

No model stands behind it: the hidden state is a row of the table, or the lesson's. Left out: what tying saves
(`tying.py`, which to read next).
"""

import math
from collections.abc import Mapping
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.lab.query import Query
from rowspace.lab.reply import Reply
from rowspace.lab.state import Answer, Lab
from rowspace.table import Table

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["ROUTES", "SOURCES", "opened"]

SOURCES = ("table", "lesson")
HEADS = ("tied", "untied")
WORDS = ("typeerror", "read", "list", "king", "the")
"""Begun with one of these, if the table has it."""
SLIDERS = 6
LESSON_HIDDEN = (0.6, 0.1, 0.3)
LESSON_ROWS = [[0.5, 0.3, -0.1], [0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [-0.3, 0.5, 0.6]]
LESSON = Table([f"row {n}" for n in range(4)], np.array(LESSON_ROWS, np.float32))


def opened(lab: Lab, source: str) -> tuple[Table, str]:
    """The table that is asked about, the lab's or the lesson's, and the lines that open it."""
    if source == "table":
        return lab.table, lab.opening
    rows = f"np.array({LESSON_ROWS}, np.float32)"
    return LESSON, f"import numpy as np\nimport rowspace as rs\n\ntable = rs.Table({LESSON.vocabulary}, {rows})"


def logits(lab: Lab, query: Query) -> Reply:
    """`source`, `word`, `dims`, `values`, `head`, `softcap`, `temperature`, `k` → the k likeliest rows and the whole.

    `hidden` (d,) is the word's row with `values` put in at `dims`. Of the k likeliest: `ids`, `products` with the
    hidden state, `logits` after cap and temperature, `probabilities`. `mass` (n,) is what the first `ranks` rows hold.
    """
    from rowspace.layers import TiedHead, UntiedHead  # noqa: F401, PLC0415  # its error names the extra

    table, opening = opened(lab, source := query.choice("source", SOURCES))
    word, hidden = _start(table, query)
    dims, values = _moved(query, hidden)
    kind = query.choice("head", HEADS)
    softcap = query.number("softcap", 0, low=0, high=1000) or None
    temperature = query.number("temperature", 1, low=0.01, high=100)
    k = query.integer("k", 10, low=1, high=100)

    bound = max(2 * float(np.abs(hidden).max()), *map(abs, values)) or 1.0
    hidden[dims] = values
    products, every = _every_logit(lab, source, kind, hidden, softcap, temperature)
    facts, arrays = _likeliest(products, every, k)
    meta = {
        "word": word, "dims": dims, "bound": bound, "rows": len(table), "dim": table.dim,
        "tokens": [table.vocabulary[row] for row in arrays["ids"]], **facts,
    }  # fmt: skip
    settings = f"softcap={softcap}, temperature={temperature}"
    code = _code(opening, word, dims, values, kind, settings, k)
    return Reply({**meta, "code": code}, hidden=hidden, **arrays)


def _start(table: Table, query: Query) -> tuple[str, NDArray[np.float32]]:
    """The word whose row the hidden state begins as, "" for the lesson's own, and a copy of the row."""
    if table is LESSON:
        return "", np.array(LESSON_HIDDEN, np.float32)
    finite = np.isfinite(table.norms)
    usual = next((word for word in WORDS if word in table and finite[table.id(word)]), None)
    word = query.text("word", usual or table.vocabulary[int(finite.argmax())])
    with np.errstate(over="ignore"):
        row = np.array(table.rows[table.id(word)], np.float32)
    if not np.isfinite(row).all():
        raise UsageError(f"the row of {word[:40]!r} has a value that is not a finite float32: begin with another")
    return word, row


def _moved(query: Query, hidden: NDArray[np.float32]) -> tuple[list[int], list[float]]:
    """Which numbers of the hidden state have sliders, and where these stand; the largest where none are named."""
    usual = np.argsort(-np.abs(hidden), kind="stable")[:SLIDERS]
    dims = query.numbers("dims", usual.tolist(), most=16)
    if len(set(dims)) < len(dims) or any(dim not in range(len(hidden)) for dim in dims):
        raise UsageError(f"dims must be whole numbers from 0 to {len(hidden) - 1}, each once, not {dims}")
    places = [int(dim) for dim in dims]
    values = query.numbers("values", hidden[places].tolist(), most=16)
    if len(values) != len(places):
        raise UsageError(f"values must be as many as dims, {len(places)}, not {len(values)}")
    return places, values


def _every_logit(
    lab: Lab, source: str, kind: str, hidden: NDArray[np.float32], softcap: float | None, temperature: float
) -> "tuple[Tensor, Tensor]":
    """The products (V,) of the hidden state with every row of the head, and their logits."""
    import torch  # noqa: PLC0415

    from rowspace.layers import TiedHead  # noqa: PLC0415

    table, _ = opened(lab, source)
    with torch.no_grad():
        if kind == "untied":
            head: Any = copy(lab.once(("heads", source, kind), lambda: _untied(table)))
        else:
            head = TiedHead(lab.once(("heads", source, kind), lambda: _embedding(table)))
        state = torch.from_numpy(hidden)
        products = head(state)
        head.softcap, head.temperature = softcap, temperature
        return products, head(state)


def _embedding(table: Table) -> Any:
    """The table as PyTorch has it: a copy in float32."""
    import torch  # noqa: PLC0415

    rows = torch.tensor(table.rows, dtype=torch.float32)
    return torch.nn.Embedding.from_pretrained(rows)  # type: ignore[no-untyped-call]


def _untied(table: Table) -> Any:
    """A head of its own, as training would begin with it; drawn without a touch on PyTorch's own generator."""
    import torch  # noqa: PLC0415

    from rowspace.layers import UntiedHead  # noqa: PLC0415

    with torch.device("meta"):
        head = UntiedHead(table.dim, len(table))
    head.to_empty(device="cpu").reset_parameters(torch.Generator().manual_seed(0))
    return head


def _likeliest(products: "Tensor", every: "Tensor", k: int) -> tuple[dict[str, float], dict[str, Any]]:
    """The first k rows by logit, and what can be said of all of them."""
    import torch  # noqa: PLC0415

    every = every.double()
    lost = ~every.isfinite()
    if lost.all():
        raise UsageError("no row has a finite logit: make the values smaller")
    every[lost] = -math.inf
    chances, order = every.softmax(0), every.argsort(descending=True, stable=True)
    first = order[: min(k, len(every) - int(lost.sum()))]
    ranks = torch.from_numpy(np.unique(np.geomspace(1, len(every), 60).round().astype(np.int64)))
    held = chances[order].cumsum(0)
    facts = {
        "entropy": float(torch.special.entr(chances).sum() / math.log(2)),
        "beyond": max(0.0, 1 - float(chances[first].sum())),
        "half": int((held < 0.5).sum()) + 1,
        "lost": int(lost.sum()),
    }
    shown = {"ids": first, "products": products[first], "logits": every[first], "probabilities": chances[first]}
    return facts, {name: tensor.numpy() for name, tensor in {**shown, "ranks": ranks, "mass": held[ranks - 1]}.items()}


def _code(opening: str, word: str, dims: list[int], values: list[float], kind: str, settings: str, k: int) -> str:
    """The same again, for the reader."""
    tied = f"""rows = torch.tensor(table.rows, dtype=torch.float32)
head = TiedHead(torch.nn.Embedding.from_pretrained(rows), {settings})"""
    untied = f"""head = UntiedHead(table.dim, len(table), {settings})
head.reset_parameters(torch.Generator().manual_seed(0))"""
    return f"""{opening}
import torch
from rowspace.layers import {"TiedHead" if kind == "tied" else "UntiedHead"}

hidden = torch.tensor({f"table[{word!r}]" if word else list(LESSON_HIDDEN)}, dtype=torch.float32)
hidden[{dims}] = torch.tensor({values})
{tied if kind == "tied" else untied}
with torch.no_grad():
    every = head(hidden).double()
every[~every.isfinite()] = -torch.inf
logits, ids = (best[:{k}] for best in every.sort(descending=True, stable=True))
ids, logits = ids[logits.isfinite()], logits[logits.isfinite()]
probabilities = every.softmax(0)[ids]
entropy = torch.special.entr(every.softmax(0)).sum() / torch.tensor(2).log()  # bits"""


ROUTES: Mapping[str, Answer] = {"head/logits": logits}
