"""The numbers of lesson 10: logits of four words, and the sizes of tied and untied heads."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rowspace.table import Table
from rowspace_lab.lessons.computed.written import picked, vector_text
from rowspace_lab.lessons.question import Question, choice, number
from rowspace_lab.page import needs_torch
from rowspace_lab.tables.examples import FOUR_WORDS

__all__ = ["four", "gradients", "head_parameters", "longer", "models", "opened", "winner"]

HIDDEN = (0.6, 0.1, 0.3)
MODELS = {
    "llama1": ("Llama 7B", "llama-7b"),
    "llama2": ("Llama 2 7B", "Llama-2-7b-hf"),
    "llama3": ("Llama 3 8B", "Meta-Llama-3-8B"),
    "llama3_70b": ("Llama 3 70B", "Meta-Llama-3-70B"),
    "llama32_1b": ("Llama 3.2 1B", "Llama-3.2-1B"),
    "llama32_3b": ("Llama 3.2 3B", "Llama-3.2-3B"),
    "gemma": ("Gemma 7B", "gemma-7b"),
}
"""The names of models in the text and in the catalogue."""


@needs_torch
def four() -> Mapping[str, Any]:
    """Return the logits and probabilities of the four words, and the terms of the logit of *cat*."""
    from rowspace_lab.lessons.computed.figures.head import four_logits

    found = four_logits(hidden=HIDDEN)
    return {
        **found,
        "hidden": vector_text(HIDDEN, 1),
        "rows": len(FOUR_WORDS),
        "logits": vector_text(found["logits"]),
        "probabilities": vector_text(found["probabilities"], 3),
        "first": found["terms"][0],
        "second": vector_text([abs(found["terms"][1])]).strip("()"),
        "third": found["terms"][2],
    }


@needs_torch
def models() -> Mapping[str, Mapping[str, Any]]:
    """Return the names of published models, the size of their head's matrix, and whether it is the token table."""
    from rowspace.layers import CATALOGUE, cost
    from rowspace_lab.pages.cost.figures import GPT3

    found: dict[str, Mapping[str, Any]] = {}
    for key, (name, model) in MODELS.items():
        matrix, parameters = CATALOGUE[model].cost.head_matrix, CATALOGUE[model].parameters
        found[key] = {
            "name": name,
            "rows": CATALOGUE[model].num_embeddings,
            "matrix": matrix,
            "both": 2 * matrix,
            "mib": 2 * matrix / 2**20,
            "both_mib": 4 * matrix / 2**20,
            "share": matrix / parameters,
            "tied": "the table" if CATALOGUE[model].tied else "its own",
        }
    return {**found, "gpt3": {"name": "GPT-3", "matrix": cost(GPT3).tokens}}


@needs_torch
def gradients() -> Mapping[str, Any]:
    """Return how many rows get a gradient as inputs and how many as outputs, and both gradients of one row."""
    from rowspace_lab.lessons.computed.figures.head import two_gradients

    found = two_gradients()
    return {
        "inputs": found["inputs"],
        "outputs": found["outputs"],
        "rows": len(FOUR_WORDS),
        "cat_in": vector_text(found["cat_in"]),
        "cat_out": vector_text(found["cat_out"]),
    }


def opened(table: Table) -> Mapping[str, int]:
    """Return the number of rows of the open table."""
    return {"rows": len(table)}


@needs_torch
def winner(table: Table, seed: int) -> Question:
    """Ask which token has the largest logit for a hidden state."""
    from rowspace_lab.lessons.computed.figures.head import winner_figure

    hidden = picked(seed, (HIDDEN, (0.1, 0.5, -0.2), (-0.4, 0.2, 0.5), (0.5, 0.6, -0.3), (-0.2, -0.1, 0.8)))
    rows = ", ".join(f"{word} = {vector_text(table[word], 1)}" for word in table.vocabulary)
    figure = partial(winner_figure, hidden=hidden)
    return choice(list(table.vocabulary), figure, hidden=vector_text(hidden, 1), rows=rows)


@needs_torch
def longer(table: Table, seed: int) -> Question:
    """Ask which token has the largest logit after a row is multiplied by a factor."""
    from rowspace_lab.lessons.computed.figures.head import longer_figure

    word, factor = picked(seed, (("on", 2), ("sat", 3), ("the", 2), ("sat", 2), ("on", 15)))
    figure = partial(longer_figure, hidden=HIDDEN, word=word, factor=factor)
    named = {"hidden": vector_text(HIDDEN, 1), "word": word, "factor": factor}
    return choice(list(table.vocabulary), figure, **named, row=table.id(word))


@needs_torch
def head_parameters(table: Table, seed: int) -> Question:
    """Ask how many parameters an untied head adds to the table, or with other seeds to a table of another size."""
    from rowspace_lab.lessons.computed.figures.head import head_parameters_figure

    others = ((len(table), table.dim), (50_257, 768), (32_000, 4096), (30_522, 384), (128_256, 2048))
    rows, dim = picked(seed, others)
    bias = bool(seed % 2)
    figure = partial(head_parameters_figure, rows=rows, dim=dim, bias=bias)
    written = "with a bias for each token" if bias else "without a bias"
    return number(figure, relative=True, tolerance=0.0005, rows=f"{rows:,}", dim=f"{dim:,}", bias=written)
