"""The Pipeline page, forward: text → tokens → ids → rows → + position → X, and the lookup as a product."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.pages.pipeline.backward import backward
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply
from rowspace.lab.shared.position_modules import CLASSES, KINDS, default_kind, position_code, position_module
from rowspace.lab.shared.sentence import read_sentence

__all__ = ["ROUTES"]


def forward(lab: Lab, query: Query) -> Reply:
    """`text` → its ids (n,), their rows (n, d), and the same rows as the product of the one-hot matrix and the table.

    Of the one-hot matrix only `columns` are sent, those of the ids that occur: all others hold zeros alone.
    """
    sentence = read_sentence(lab, query)
    ids = sentence.ids
    rows, columns = lab.table[ids], np.unique(ids)
    one_hot = (ids[:, np.newaxis] == columns).astype(rows.dtype)
    with np.errstate(invalid="ignore"):  # zero times infinity, of which the page tells
        product = one_hot @ lab.table[columns]
    code = (
        f"{sentence.code}\nrows = table[ids]\n\nimport numpy as np\n\n"
        "# The one-hot matrix, but for its columns of zeros alone.\n"
        "columns = np.unique(ids)\n"
        "one_hot = (ids[:, np.newaxis] == columns).astype(rows.dtype)\n"
        "product = one_hot @ table[columns]\n"
        "equal, finite = np.array_equal(product, rows), np.isfinite(rows).all()\n"
        "vocabulary = len(table)"
    )
    facts = {
        "vocabulary": len(lab.table),
        "columns": [lab.table.vocabulary[number] for number in columns.tolist()],
        "equal": bool(np.array_equal(product, rows)),
        "finite": bool(np.isfinite(rows).all()),
        "code": code,
    }
    return Reply(sentence.meta | facts, ids=ids, rows=rows, one_hot=one_hot, product=product)


def matrix(lab: Lab, query: Query) -> Reply:
    """`text`, `position` → the rows of positions 0 … n - 1 (n, d), and X (n, d), which is rows + positions."""
    sentence = read_sentence(lab, query)
    kind = query.choice("position", (*KINDS, "none"), default_kind(lab.table.dim))
    rows = lab.table[sentence.ids]
    positions = _positions(kind, rows)
    facts = {"position": kind, "code": _matrix_code(sentence.code, kind)}
    return Reply(sentence.meta | facts, positions=positions, X=rows + positions)


def _positions(kind: str, rows: NDArray[Any]) -> NDArray[Any]:
    """The rows of positions 0 … n - 1, (n, d)."""
    if kind == "none":
        return np.zeros_like(rows)
    positions = position_module(kind, rows.shape[1])

    import torch  # an extra, which is there by now

    added: NDArray[Any] = positions(torch.zeros(1, len(rows))).detach().numpy()
    return added


def _matrix_code(setup: str, kind: str) -> str:
    if kind == "none":
        body = "import numpy as np\n\npositions = np.zeros_like(rows)\nX = rows + positions"
        return f"{setup}\nrows = table[ids]\n\n{body}"
    return (
        f"{setup}\nrows = table[ids]\n\nimport torch\nfrom rowspace.layers import {CLASSES[kind]}\n\n"
        f"{position_code(kind, 'position', 'table.dim')}\n"
        "positions = position(torch.zeros(1, len(ids))).detach().numpy()\n"
        "X = rows + positions"
    )


ROUTES: Mapping[str, Answer] = {
    "pipeline/forward": forward,
    "pipeline/matrix": matrix,
    "pipeline/backward": backward,
}
