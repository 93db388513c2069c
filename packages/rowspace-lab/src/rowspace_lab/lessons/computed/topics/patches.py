"""The numbers of lesson 11: patches of a small picture, and the tokens and scores of a photograph."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rowspace.table import Table
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number
from rowspace_lab.page import needs_torch
from rowspace_lab.pages.patches.pictures import photograph

__all__ = ["convolution", "counts", "flattest", "scores", "small", "tokens", "vit"]

QUARTERS = ("top left", "top right", "bottom left", "bottom right")
VITS = {
    "base": "vit-base-patch16-224",
    "base32": "vit-base-patch32-384",
    "large": "vit-large-patch16-224",
}


@needs_torch
def small() -> Mapping[str, Any]:
    """Return the patches of the small picture as text, their variances, and the shape of the projection."""
    from rowspace_lab.lessons.computed.figures.patches import SMALL_DIM, SMALL_SIZE, small_patches

    found = small_patches()
    names = ("first", "second", "third", "fourth")
    written = [f"({' '.join(f'{value:.0f}' for value in patch)})" for patch in found["patches"]]
    return {
        **dict(zip(names, written, strict=True)),
        "side": found["side"],
        "patch": SMALL_SIZE,
        "variances": ", ".join(f"{variance:.2f}" for variance in found["variances"]),
        "largest": max(found["variances"]),
        "numbers": SMALL_SIZE**2,
        "dim": SMALL_DIM,
    }


@needs_torch
def counts() -> Mapping[str, Any]:
    """Return the tokens and scores of a photograph cut into patches of several sides, into pixels, and into values."""
    from rowspace_lab.pages.patches.sequence import token_counts_figure

    found = token_counts_figure(height=224, width=224, channels=3)
    names = ("side32", "side16", "side8", "side4", "pixel", "value")
    both = zip(found["tokens"].tolist(), found["scores"].tolist(), strict=True)
    rows = {name: {"tokens": tokens, "scores": scores} for name, (tokens, scores) in zip(names, both, strict=True)}
    sides = {f"length{side}": side for side in (32, 16, 8, 4)}
    return {**rows, **sides, "side": 224, "billions": {name: rows[name]["scores"] / 1e9 for name in ("pixel", "value")}}


@needs_torch
def vit() -> Mapping[str, Mapping[str, int]]:
    """Return the sizes of three published vision transformers."""
    from rowspace.layers import CATALOGUE, patch_cost

    found = {}
    for key, name in VITS.items():
        config, cost = CATALOGUE[name].config, CATALOGUE[name].cost
        side, patch = config["image_size"], config["patch_size"]
        sizes = patch_cost((side, side), patch, embedding_dim=cost.hidden_dim)
        found[key] = {
            "patch": patch,
            "patches": sizes.patches,
            "tokens": sizes.tokens,
            "numbers": sizes.numbers,
            "dim": cost.hidden_dim,
            "positions": cost.positions,
            "projection": cost.patches,
        }
    return found


@needs_torch
def convolution() -> Mapping[str, float]:
    """Return the largest difference between cutting and projecting a photograph, and a convolution of it."""
    from rowspace_lab.lessons.computed.figures.patches import convolution_difference

    photograph("china.jpg")  # raises MissingExtraError
    return convolution_difference()


@needs_torch
def flattest(table: Table, seed: int) -> Question:
    """Ask in which quarter of a photograph the patch with the least or the most variance is."""
    from rowspace_lab.lessons.computed.figures.patches import quarter_figure

    cases = (("china.jpg", 16, False), ("flower.jpg", 16, False), ("china.jpg", 16, True), ("flower.jpg", 56, True))
    name, size, most = picked(seed, cases)
    photograph(name)  # raises MissingExtraError
    figure = partial(quarter_figure, name=name, size=size, most=most)
    return choice(QUARTERS, figure, name=name, size=size, degree="most" if most else "least")


@needs_torch
def tokens(table: Table, seed: int) -> Question:
    """Ask for the number of tokens of a picture with a class token."""
    from rowspace_lab.lessons.computed.figures.patches import tokens_figure

    side, size = picked(seed, ((224, 14), (384, 32), (336, 14), (512, 16), (224, 28)))
    return number(partial(tokens_figure, side=side, size=size), side=side, size=size, along=side // size)


@needs_torch
def scores(table: Table, seed: int) -> Question:
    """Ask by which factor the scores grow when the side of the patches is divided."""
    from rowspace_lab.lessons.computed.figures.patches import scores_figure

    side, size, part = picked(seed, ((224, 16, 2), (224, 16, 4), (288, 24, 3), (224, 56, 2)))
    named = {2: "half", 3: "a third", 4: "a quarter"}[part]
    return number(partial(scores_figure, side=side, size=size, part=part), size=size, side=side, part=named)
