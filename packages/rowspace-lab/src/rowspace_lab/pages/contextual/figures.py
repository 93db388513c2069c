"""The figures of the Contextual page. They need PyTorch, and transformers for models other than our runs."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.contextual import ContextualRows, LoadedEncoder, contextual_rows, load_encoder
from rowspace.errors import UsageError
from rowspace.space import unit_rows
from rowspace_lab.experiments import LoadedRun, load_run
from rowspace_lab.pages.contextual.replies import Layers

MARKS = "Ġ▁# "  # with which tokenizers mark the beginning or the inside of a word


def open_run(*, folder: str) -> LoadedRun:
    """Open a run of `rowspace train`."""
    return load_run(folder)


def open_encoder(*, folder: str) -> LoadedEncoder:
    """Open an encoder of transformers."""
    return load_encoder(folder)


def read_texts(model: LoadedRun | LoadedEncoder, *, texts: Sequence[str]) -> ContextualRows:
    """Compute the vectors of all tokens in each layer."""
    return contextual_rows(model, texts)


def find_token(tokens: Sequence[Sequence[str]], word: str) -> str:
    """Return the first token of the texts that is the word, apart from case and from the tokenizer's marks."""
    for token in (token for text in tokens for token in text):
        if token.strip(MARKS).lower() == word.strip().lower():
            return token
    pieces = " ".join(tokens[0])
    raise UsageError(f"no token of the texts is {word[:40]!r}; the tokens of the first text are: {pieces[:200]}")


def layers_figure(read: ContextualRows, *, word: str) -> Layers:
    """Compare the vectors of a word in its texts with each other and with its row, in each layer."""
    token = find_token(read.tokens, word)
    vectors = read.occurrences(token).swapaxes(0, 1)  # (layers, k, d)
    row = np.broadcast_to(read.static_row(token), (len(vectors), 1, vectors.shape[2]))
    points = unit_rows(np.concatenate([vectors, row], axis=1))  # (layers, k + 1, d)
    cosines = points @ points.swapaxes(1, 2)
    maps = [plane(layer) for layer in points]
    measures = read.measures()
    return {
        "token": token,
        "xy": aligned([xy for xy, _ in maps]),
        "share": np.array([share for _, share in maps]),
        "to_row": cosines[:, :-1, -1],
        "between": cosines[:, :-1, :-1],
        "own": read.self_similarity(token),
        "chance": measures.anisotropy,
        "inside": measures.intra_sentence_similarity,
        "pooled": pooled_similarity(read.states),
        "tokens": read.tokens,
        "places": [
            (text, place)
            for text, tokens in enumerate(read.tokens)
            for place, found in enumerate(tokens)
            if found == token
        ],
    }


def pooled_similarity(states: Sequence[NDArray[np.floating[Any]]]) -> NDArray[np.float64]:
    """Return the mean cosine of two texts' means over their tokens, (layers,); NaN for a single text.

    `states` has (layers, n, d) for each text.
    """
    units = unit_rows(np.stack([each.mean(axis=1) for each in states], axis=1))  # (layers, texts, d)
    pairs = np.triu_indices(len(states), 1)
    cosines: NDArray[np.float64] = (units @ units.swapaxes(1, 2))[:, *pairs]
    return cosines.mean(axis=1) if len(states) > 1 else np.full(len(units), np.nan)


def plane(points: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Project uses and, last, the row (k + 1, d) onto the first two principal components of the uses, (k + 1, 2).

    Also return the share of the uses' variance that these have.
    """
    centered = points - points[:-1].mean(axis=0)
    _, s, axes = np.linalg.svd(centered[:-1], full_matrices=False)
    xy = np.zeros((len(points), 2))
    xy[:, : min(2, len(s))] = centered @ axes[:2].T
    total = float((s**2).sum())
    return xy, float((s[:2] ** 2).sum()) / total if total else 1.0


def aligned(maps: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Turn and mirror each map (k, 2) towards the one before it (Procrustes), (layers, k, 2)."""
    turned = [maps[0]]
    for xy in maps[1:]:
        u, _, v = np.linalg.svd(xy.T @ turned[-1])
        turned.append(xy @ u @ v)
    return np.stack(turned)
