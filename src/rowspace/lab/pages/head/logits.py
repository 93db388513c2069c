"""The Head page: a hidden state, changed by hand, against every row: logits and probabilities, tied or untied.

No model stands behind it: the hidden state is a row of the table, or the lesson's.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.default_words import default_words
from rowspace.table import Table

__all__ = ["ROUTES", "SOURCES", "source_table"]

SOURCES = ("table", "lesson")
# The page opens with one of these, if the table has it.
WORDS = ("typeerror", "king", "read", "list", "the")
SLIDERS = 6
LESSON_HIDDEN = (0.6, 0.1, 0.3)
LESSON_ROWS = [[0.5, 0.3, -0.1], [0.8, -0.2, 0.4], [0.1, 0.9, 0.3], [-0.3, 0.5, 0.6]]
LESSON = Table([f"row{n}" for n in range(4)], np.array(LESSON_ROWS, np.float32))


def source_table(lab: Lab, source: str) -> tuple[Table, str]:
    """The table that is asked about, the lab's or the lesson's, and the lines that open it."""
    if source == "table":
        return lab.table, lab.load_code
    rows = f"np.array({LESSON_ROWS}, np.float32)"
    return LESSON, f"import numpy as np\nimport rowspace as rs\n\ntable = rs.Table({LESSON.vocabulary}, {rows})"


def logits(lab: Lab, query: Query) -> Reply:
    """`source`, `word`, `dims`, `values`, `head`, `softcap`, `temperature`, `k` → the k likeliest rows and the whole.

    `hidden` (d,) is the word's row with `values` put in at `dims`. Of the k likeliest: `ids`, `products` with the
    hidden state, `logits` after cap and temperature, `probabilities`, and where they are short the head's `vectors`
    (k, d). `mass` (n,) is what the first `ranks` rows hold.
    """
    from rowspace.lab.pages.head.probabilities import row_probabilities, tied, untied  # PyTorch, which may not be there

    table, setup = source_table(lab, source := query.choice("source", SOURCES))
    word, hidden = _start(table, query)
    dims, values = _moved(query, hidden)
    kind = query.choice("head", ("tied", "untied"))
    softcap = query.number("softcap", 0, low=0, high=1000) or None
    temperature = query.number("temperature", 1, low=0.01, high=100)
    k = query.integer("k", 10, low=1, high=100)

    bound = max(2 * float(np.abs(hidden).max()), *map(abs, values)) or 1.0
    changes = {dim: value for dim, value in zip(dims, values, strict=True) if value != hidden[dim]}
    hidden[dims] = values
    head = lab.cached(("head", source, kind), lambda: (tied if kind == "tied" else untied)(table))
    found = row_probabilities(head, hidden, softcap=softcap, temperature=temperature, k=k)
    tokens = [table.vocabulary[row] for row in found.arrays["ids"]]
    meta = {"word": word, "dims": dims, "bound": bound, "rows": len(table), "dim": table.dim, "tokens": tokens}
    settings = f"softcap={softcap}, temperature={temperature}"
    code = _code(setup, _hidden_code(word, changes, values), HEADS[kind].format(settings), k, table.dim)
    return Reply({**meta, **found.summary, "code": code}, hidden=hidden, **found.arrays)


def _start(table: Table, query: Query) -> tuple[str, NDArray[np.float32]]:
    """The word whose row the hidden state begins as, "" for the lesson's own, and a copy of the row."""
    if table is LESSON:
        return "", np.array(LESSON_HIDDEN, np.float32)
    (usual,) = default_words(table, 1, WORDS)
    word = query.text("word", usual)
    with np.errstate(over="ignore"):
        row = np.array(table.rows[table.id(word)], np.float32)
    if not np.isfinite(row).all():
        raise UsageError(f"the row of {word[:40]!r} has a value that is not a finite float32: begin with another")
    return word, row


def _moved(query: Query, hidden: NDArray[np.float32]) -> tuple[list[int], list[float]]:
    """Which numbers of the hidden state have sliders, and where these stand; the largest where none are named."""
    usual = sorted(np.argsort(-np.abs(hidden), kind="stable")[:SLIDERS].tolist())
    dims = query.integers("dims", usual, low=0, high=len(hidden) - 1, most=16)
    if len(set(dims)) < len(dims):
        raise UsageError(f"dims must be whole numbers from 0 to {len(hidden) - 1}, each once, not {dims}")
    values = query.numbers("values", hidden[dims].tolist(), most=16)
    if len(values) != len(dims):
        raise UsageError(f"values must be as many as dims, {len(dims)}, not {len(values)}")
    return dims, values


HEADS = {
    "tied": """from rowspace.layers import TiedHead

weight = torch.tensor(table.rows, dtype=torch.float32)
head = TiedHead(torch.nn.Embedding.from_pretrained(weight), {})""",
    "untied": """from rowspace.layers import UntiedHead

head = UntiedHead(table.dim, len(table), {})
head.reset_parameters(torch.Generator().manual_seed(0))""",
}


def _hidden_code(word: str, changes: Mapping[int, float], values: list[float]) -> str:
    begun = f"hidden = torch.tensor({f'table[{word!r}]' if word else list(LESSON_HIDDEN)}, dtype=torch.float32)"
    bound = f"\nbound = max(2 * float(hidden.abs().max()), *map(abs, {values})) or 1.0  # of the sliders"
    moved = f"\nhidden[{list(changes)}] = torch.tensor({list(changes.values())})"
    return begun + bound + (moved if changes else "")


def _code(setup: str, hidden: str, head: str, k: int, dim: int) -> str:
    """The same again, for the reader."""
    from rowspace.lab.pages.head.probabilities import CURVE_POINTS, SHORT

    return f"""{setup}
import math
import numpy as np
import torch
{head}
{hidden}
with torch.no_grad():
    every, products = head(hidden).double(), torch.nn.functional.linear(hidden, head.weight)
lost = int((~every.isfinite()).sum())
every[~every.isfinite()] = -torch.inf
shares, order = every.softmax(0), every.argsort(descending=True, stable=True)
ids = order[every[order].isfinite()][:{k}]
logits, probabilities, products = every[ids], shares[ids], products[ids]  # products: before cap and temperature
{"vectors = head.weight.detach()[ids]" if dim <= SHORT else ""}
entropy, beyond = torch.special.entr(shares).sum() / math.log(2), max(0.0, 1 - float(probabilities.sum()))  # bits
held, rows = shares[order].cumsum(0), len(table)
half = int((held < 0.5).sum()) + 1  # so many rows hold half of the probability
ranks = torch.from_numpy(np.unique(np.geomspace(1, len(order), {CURVE_POINTS}).round().astype(np.int64)))
mass = held[ranks - 1]"""


ROUTES: Mapping[str, Answer] = {"head/logits": logits}
