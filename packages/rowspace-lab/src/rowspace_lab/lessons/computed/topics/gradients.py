"""The numbers of lesson 3: which rows get a gradient from a text, and which ones an optimizer moves."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rowspace.table import Table
from rowspace_lab.lessons.computed.tables import six_words
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, number
from rowspace_lab.tables.small_world import small_world_sentences

__all__ = ["adamw", "example", "gpt2", "moved_distance", "pushes", "tied_head", "touched"]

GPT2_ROWS = 50_257
TEXTS = (
    "the cat sat on the cat",
    "the dog the cat the house",
    "on the house sat the dog",
    "house on house on the house",
    "dog cat dog cat dog",
)
HEADS = ((TEXTS[4], True), (TEXTS[3], False), (TEXTS[0], True), (TEXTS[2], False), (TEXTS[1], False))
"""A text, and whether the head is tied. A tied head reaches every row, so a question that returns may ask about a
separate head, where the answer depends on the text."""
RATE, DECAY, BETAS = 0.1, 0.01, (0.9, 0.999)
DIM, STD, DRAWS = 16, 0.02, 5


def gpt2() -> Mapping[str, object]:
    """Return the name of GPT-2 and the number of rows of its table."""
    return {"name": "GPT-2", "rows": GPT2_ROWS}


def example() -> Mapping[str, object]:
    """Compute HᵀG for ids 1 and 2 of six rows of three numbers, where the loss is the sum of all numbers of X."""
    one_hot = np.eye(6)[[1, 2]]
    gradient = one_hot.T @ np.ones((2, 3))  # (6, 3): the loss grows by one for each unit of a number of X
    read = np.flatnonzero(gradient.any(1))
    return {"rows": 6, "dims": 3, "first": int(read[0]), "second": int(read[1]), "each": gradient[read].max()}


def adamw() -> Mapping[str, float]:
    """Take two steps of dense AdamW on the table of six words: the first reads ids 1 and 2, the second id 4 only.

    Returns:
        How far the rows move in the second step: one that only the first step has read, the one that it reads itself,
        and one that neither has read.
    """
    rows = six_words().rows.astype(float)
    first, second = np.zeros_like(rows), np.zeros_like(rows)
    for step, ids in enumerate(([1, 2], [4]), 1):
        gradient, before = np.zeros_like(rows), rows.copy()
        np.add.at(gradient, ids, 1.0)
        first = BETAS[0] * first + (1 - BETAS[0]) * gradient
        second = BETAS[1] * second + (1 - BETAS[1]) * gradient**2
        corrected = first / (1 - BETAS[0] ** step), second / (1 - BETAS[1] ** step)
        rows = rows * (1 - RATE * DECAY) - RATE * corrected[0] / (np.sqrt(corrected[1]) + 1e-8)
    moved = np.linalg.norm(rows - before, axis=1)
    return {"rate": RATE, "read_before": moved[1], "read_now": moved[4], "never_read": moved[0]}


def pushes() -> Mapping[str, float]:
    """Return the lowest cosine of the summed gradients of *cat* and *dog*, and the range for *cat* and *house*.

    Several tables of random rows predict the next word of the small world's sentences, before training.
    """
    sentences = [sentence.split() for sentence in small_world_sentences()]
    ids = {word: id for id, word in enumerate(dict.fromkeys(word for sentence in sentences for word in sentence))}
    found = [summed_gradients(sentences, ids, seed) for seed in range(DRAWS)]
    houses = [cosine(each["cat"], each["house"]) for each in found]
    return {
        "draws": DRAWS,
        "cat_dog_lowest": min(cosine(each["cat"], each["dog"]) for each in found),
        "cat_house_lowest": min(houses),
        "cat_house_highest": max(houses),
    }


def summed_gradients(
    sentences: list[list[str]], ids: Mapping[str, int], seed: int
) -> Mapping[str, NDArray[np.float64]]:
    """Sum the gradients of three words' rows over the places where they predict the next word."""
    draw = np.random.default_rng(seed)
    rows, head = (draw.normal(0, STD, (len(ids), DIM)) for _ in range(2))
    sums = {word: np.zeros(DIM) for word in ("cat", "dog", "house")}
    for sentence in sentences:
        for word, following in pairwise(sentence):
            if word in sums:
                chances = np.exp(head @ rows[ids[word]])
                sums[word] += chances @ head / chances.sum() - head[ids[following]]
    return sums


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the cosine of the angle between two vectors."""
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def touched(table: Table, seed: int) -> Question:
    """Ask how many rows get a gradient from a text with repeated words."""
    text = picked(seed, TEXTS)
    return number(partial(touched_figure, text=text), text=text, tokens=len(text.split()), rows=len(table))


def touched_figure(table: Table, *, text: str) -> Mapping[str, object]:
    """Return how many rows of HᵀG are not zero, where all gradients of tokens are ones."""
    ids = table.ids(text.split())
    one_hot = np.eye(len(table))[ids]
    gradient = one_hot.T @ np.ones((len(ids), table.dim))
    return {"answer": int(gradient.any(1).sum()), "others": int((~gradient.any(1)).sum())}


def moved_distance(table: Table, seed: int) -> Question:
    """Ask how far a row moves whose token occurs twice, with two gradients."""
    drawn = np.random.default_rng(seed).integers(-3, 4, (2, 3)).tolist()
    gradients = drawn if seed else [[1, 0, 0], [-1, 0, 0]]
    answer = partial(moved_distance_figure, gradients=gradients, rate=RATE)
    first, second = (", ".join(map(str, each)).replace("-", "−") for each in gradients)
    return number(answer, tolerance=0.01, first=first, second=second, rate=RATE)


def moved_distance_figure(*, gradients: Sequence[Sequence[float]], rate: float) -> Mapping[str, object]:
    """Return how far a step of plain SGD moves the row of two tokens with the same id, and the sum of gradients."""
    one_hot = np.ones((len(gradients), 1))  # both tokens read the only row
    gradient = (one_hot.T @ np.array(gradients))[0]
    written = ", ".join(f"{value:g}" for value in gradient).replace("-", "−")
    return {"answer": round(float(np.linalg.norm(rate * gradient)), 3), "sum": written}


def tied_head(table: Table, seed: int) -> Question:
    """Ask how many rows get a gradient from a text if the head is tied, or if it is not."""
    text, tied = picked(seed, HEADS)
    head = "is tied" if tied else "has its own matrix"
    return number(partial(tied_head_figure, text=text, tied=tied), text=text, head=head, rows=len(table))


def tied_head_figure(table: Table, *, text: str, tied: bool) -> Mapping[str, object]:
    """Return how many rows have a nonzero gradient if each token predicts the next one, the last one the first.

    The logits are X Eᵀ, so the cross-entropy reaches each row from two sides: as an input, and as a target to score.
    """
    ids, rows = table.ids(text.split()), np.array(table.rows, float)
    logits = rows[ids] @ rows.T
    chances = np.exp(logits - logits.max(1, keepdims=True))
    errors = chances / chances.sum(1, keepdims=True) - np.eye(len(table))[np.roll(ids, -1)]
    from_head = errors.T @ rows[ids]
    from_input = np.zeros_like(rows)
    np.add.at(from_input, ids, errors @ rows)
    sides = {"both": from_head + from_input, "input": from_input}
    nonzero = {name: int(gradient.any(1).sum()) for name, gradient in sides.items()}
    return {"answer": nonzero["both" if tied else "input"], "tied": nonzero["both"], "untied": nonzero["input"]}
