"""Claims about a trained encoder: its positions beside its tokens, and its vectors layer by layer.

They need PyTorch and the wheel of the encoder, and the second one also transformers.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.contextual import contextual_rows, load_encoder
from rowspace.layers import SinusoidPosition, from_checkpoint
from rowspace.learn.default_table import encoder_folder
from rowspace_lab.lessons.computed.claims.verdict import Verdict

__all__ = ["contextual_soon", "orthogonal"]

Array = NDArray[Any]

SENTENCES = {
    "bank": "the bank of the river, the bank lends money, the bank was robbed, the bank is steep and wet",
    "light": "the light is too bright, the light suitcase fell, the light of the moon, the light rain stopped",
    "match": "the match ended in a draw, the match burned his finger, the match was lost, the match lit the candle",
    "table": "the table is made of wood, the table lists all results, the table has four legs, the table of contents",
}
"""Sentences of a word in several meanings, in which it always has the same place."""


def orthogonal_figure(*, tokens: int, places: int, seed: int) -> Mapping[str, Any]:
    """Compare rows of tokens with the trained positions of an encoder, and with sinusoids of the same width."""
    inputs: Any = from_checkpoint(str(encoder_folder()))
    rows = inputs.tokens.weight.detach().numpy().astype(np.float64)
    learned = inputs.positions.weight.detach().numpy().astype(np.float64)[:places]
    dim = rows.shape[1]
    sinusoids = SinusoidPosition(dim)(inputs.tokens.weight.new_zeros(1, places)).numpy().reshape(places, dim)
    sample = rows[np.sort(np.random.default_rng(seed).permutation(len(rows))[:tokens])]
    found = {name: mean_size(sample, each) for name, each in (("learned", learned), ("sinusoid", sinusoids))}
    chance = (2 / (np.pi * dim)) ** 0.5
    return {
        **found,
        "chance": chance,
        "dim": dim,
        "places": places,
        "tokens": tokens,
        "token_norm": float(np.linalg.norm(sample, axis=1).mean()),
        "place_norm": float(np.linalg.norm(learned, axis=1).mean()),
        "verdict": orthogonal_verdict(sizes=list(found.values())),
        "bars": {"|cosine|, trained positions": found["learned"], "sinusoids": found["sinusoid"], "by chance": chance},
    }


def mean_size(tokens: Array, places: Array) -> float:
    """Return the mean absolute cosine of a token and a position."""
    return float(np.abs(space.cosine(tokens, places)).mean())


def orthogonal_verdict(*, sizes: Sequence[float]) -> Verdict:
    """True if the mean absolute cosine of a token and a position is below 0.1 for both kinds, false if for none.

    It depends otherwise. An absolute cosine of 0.1 is an angle of 84 degrees.
    """
    small = [size < 0.1 for size in sizes]
    return "it depends" if any(small) and not all(small) else "true" if any(small) else "false"


def contextual_soon_figure(*, sentences: Mapping[str, str]) -> Mapping[str, Any]:
    """Compare the vectors of a word in several sentences, at the same place, layer by layer."""
    encoder = load_encoder(encoder_folder())
    found = []
    for word, texts in sentences.items():
        rows = contextual_rows(encoder, [text.strip() for text in texts.split(",")])
        found.append(rows.self_similarity(word))
    similar = np.mean(found, axis=0)  # (layers,): the first is the input of the first block
    first, last = float(similar[1]), float(similar.min())
    share = (1 - first) / (1 - last)
    return {
        "words": len(sentences),
        "sentences": sum(len(texts.split(",")) for texts in sentences.values()),
        "layers": len(similar) - 1,
        "input": float(similar[0]),
        "first": first,
        "last": float(similar[-1]),
        "lowest": last,
        "at": int(similar.argmin()),
        "share": share,
        "verdict": contextual_soon_verdict(first=first, share=share),
        "bars": {f"cosine, layer {layer}": float(each) for layer, each in enumerate(similar)},
    }


def contextual_soon_verdict(*, first: float, share: float) -> Verdict:
    """True if the first layer makes at least half of the largest difference between contexts that a layer shows.

    False if after it a word still has one vector in all contexts, with a cosine of 0.999; it depends otherwise.
    """
    if first >= 0.999:
        return "false"
    return "true" if share >= 0.5 else "it depends"


orthogonal = partial(orthogonal_figure, tokens=2000, places=512, seed=0)
contextual_soon = partial(contextual_soon_figure, sentences=SENTENCES)
