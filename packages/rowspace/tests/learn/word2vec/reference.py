"""A slow, exact NumPy implementation of the kernels, with which the tests compare them.

Formulas: Mikolov et al. 2013 (negative sampling); koan (Irsoy et al. 2020) for the exact gradient of an average.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["cbow_step", "skipgram_step"]

Rows = NDArray[np.floating]


def skipgram_step(inputs: Rows, outputs: Rows, context: list[int], targets: list[int], alpha: float) -> float:
    """Update the rows of one window in place; return the summed loss of its pairs.

    `inputs: (V, d)` and `outputs: (V, d)`; `context` lists the neighbors' ids, `targets` the word's id and then its
    distinct negatives. Each pair's loss is -log σ(x·t₀) - Σ log σ(-x·tⱼ), with all scores computed before any update.

    >>> inputs, outputs = np.ones((2, 3)), np.zeros((2, 3))
    >>> round(skipgram_step(inputs, outputs, [0], [1, 0], alpha=0.1), 3)
    1.386
    >>> outputs[1], outputs[0]
    (array([0.05, 0.05, 0.05]), array([-0.05, -0.05, -0.05]))
    """
    labels = np.array([1.0] + [0.0] * (len(targets) - 1))
    targets_before = outputs[targets].copy()
    probabilities = 1 / (1 + np.exp(-(inputs[context] @ targets_before.T)))
    steps = alpha * (labels - probabilities)
    for i, word in enumerate(context):
        outputs[targets] += np.outer(steps[i], inputs[word])
        inputs[word] += steps[i] @ targets_before
    return float(-np.log(np.abs(1 - labels - probabilities)).sum())


def cbow_step(
    inputs: Rows,
    outputs: Rows,
    windows: list[tuple[list[int], int]],
    negatives: list[int],
    alpha: float,
    *,
    mean: bool,
    exact: bool,
) -> float:
    """Update the rows of windows that share their negatives in place; return their summed loss.

    A window is its neighbors' ids and its word's id. The neighbors' average (`mean`) or sum is scored against the word
    and the negatives; all averages and scores are computed before any update. The gradient of an average is added to
    each neighbor: divided by their number (`exact`), or undivided as in word2vec.c and gensim.

    >>> inputs, outputs = np.ones((2, 3)), np.eye(2, 3)
    >>> round(cbow_step(inputs, outputs, [([0, 1], 1)], [0], alpha=0.1, mean=True, exact=True), 3)
    1.627
    """
    hidden = np.stack([inputs[context].sum(axis=0) / (len(context) if mean else 1) for context, _ in windows])
    own = 1 / (1 + np.exp(-np.einsum("wd,wd->w", hidden, outputs[[word for _, word in windows]])))
    drawn = outputs[negatives].copy()
    probabilities = 1 / (1 + np.exp(-(hidden @ drawn.T)))
    moved = hidden - alpha * probabilities @ drawn
    outputs[negatives] -= alpha * probabilities.T @ hidden
    loss = -np.log(1 - probabilities).sum() - np.log(own).sum()
    for w, (context, word) in enumerate(windows):
        moved[w] += alpha * (1 - own[w]) * outputs[word]
        outputs[word] += alpha * (1 - own[w]) * hidden[w]
        for neighbor in context:
            inputs[neighbor] += (moved[w] - hidden[w]) / (len(context) if mean and exact else 1)
    return float(loss)
