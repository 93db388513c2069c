"""The numbers of lesson 2: a row as the product of a one-hot vector and the table, and what the product costs."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number
from rowspace_lab.lessons.source.values import quantity
from rowspace_lab.tables.examples import FIVE_ITEMS

__all__ = ["changed", "gpt2", "one_hots", "ones", "operations", "product"]

SIZES = {"GPT-2": (50_257, 768), "BERT": (30_522, 768), "Llama 2 7B": (32_000, 4096), "Llama 3 8B": (128_256, 4096)}
"""Rows and numbers per row of published tables."""
ITEM = 3
POWERS = {6: "10⁶, a million", 7: "10⁷", 8: "10⁸", 9: "10⁹, a billion", 10: "10¹⁰", 11: "10¹¹", 12: "10¹²"}


def product() -> Mapping[str, object]:
    """Multiply the one-hot vector of an item and the table of five items, and compare with the row."""
    table = np.array(list(FIVE_ITEMS.values()))
    one_hot = np.eye(len(table))[ITEM]
    found = one_hot @ table
    return {
        "id": ITEM,
        "rows": len(table),
        "dims": table.shape[1],
        "one_hot": " ".join(f"{value:.0f}" for value in one_hot),
        "row": ", ".join(f"{value:g}" for value in found).replace("-", "−"),
        "difference": float(np.abs(found - table[ITEM]).max()),
    }


def gpt2() -> Mapping[str, object]:
    """Return what it costs to multiply one or three one-hot vectors and the table of GPT-2, and what a lookup reads."""
    rows, dims = SIZES["GPT-2"]
    tokens = 3
    return {
        "name": "GPT-2",
        "rows": rows,
        "dims": dims,
        "tokens": tokens,
        "one": 2 * rows * dims,
        "all": 2 * tokens * rows * dims,
        "one_hot_numbers": tokens * rows,
        "read": tokens * dims,
    }


def one_hots() -> Mapping[str, float]:
    """Compare the one-hot vectors of three words with one another."""
    cat, kitten, parliament = np.eye(3)
    return {
        "dot": float(cat @ kitten),
        "near": float(np.linalg.norm(cat - kitten)),
        "far": float(np.linalg.norm(cat - parliament)),
    }


def ones(table: Table, seed: int) -> Question:
    """Ask how many ones the one-hot matrix of a text has."""
    items = [table.vocabulary[id] for id in np.random.default_rng(seed).integers(0, len(table), 3 + seed % 3)]
    text = "item3 item1 item3" if seed == 0 else " ".join([*items, items[0]])
    return number(partial(ones_figure, text=text), text=text, rows=len(table))


def ones_figure(table: Table, *, text: str) -> Mapping[str, object]:
    """Count the ones and the zeros of the one-hot matrix H, (n, V)."""
    one_hot = np.eye(len(table))[table.ids(text.split())]
    return {
        "answer": int((one_hot == 1).sum()),
        "zeros": int((one_hot == 0).sum()),
        "distinct": len(set(text.split())),
    }


def operations(table: Table, seed: int) -> Question:
    """Ask for the power of ten of the operations of the product with a published table."""
    name = picked(seed, list(SIZES))
    rows, dims = SIZES[name]
    tokens = 3 if seed == 0 else int(np.random.default_rng(seed).integers(2, 100))
    answer = partial(operations_figure, tokens=tokens, rows=rows, dims=dims, lowest=min(POWERS))
    written = {"rows": f"{rows:,}", "dims": f"{dims:,}"}
    return choice(list(POWERS.values()), answer, name=name, tokens=tokens, **written, V=rows, d=dims)


def operations_figure(*, tokens: int, rows: int, dims: int, lowest: int) -> Mapping[str, object]:
    """Count the multiplications and additions of the product H E; the answer is the power of ten above the lowest."""
    count = 2 * tokens * rows * dims
    return {
        "answer": round(float(np.log10(count))) - lowest,
        "count": quantity(count),
        "zeros": f"{tokens * (rows - 1):,}",
        "read": f"{tokens * dims:,}",
    }


def changed(table: Table, seed: int) -> Question:
    """Ask how many numbers of X change with one number of a word's row."""
    if "cat" not in table:
        raise UsageError("this table has no row for cat; choose Six words")
    draw = np.random.default_rng(seed)
    words = ["the", "cat", "sat", "on", "the", "cat"]
    if seed:
        words = [*draw.choice(list(table), 4).tolist(), *["cat"] * int(draw.integers(1, 4))]
    text = " ".join(words)
    return number(partial(changed_figure, text=text, word="cat"), text=text, word="cat", numbers=len(words) * table.dim)


def changed_figure(table: Table, *, text: str, word: str) -> Mapping[str, int]:
    """Compute X twice, the second time with 1 added to the first number of the word's row, and compare."""
    ids, before = table.ids(text.split()), np.array(table.rows)
    after = before.copy()
    after[table.id(word), 0] += 1
    differs = before[ids] != after[ids]
    return {"answer": int(differs.sum())}
