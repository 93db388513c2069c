"""What V and d change: tokenizers of two sizes, co-occurrences of Small world, neighbors of the open table."""

from collections.abc import Mapping, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace.text import standard_library
from rowspace_lab.pages.tokens.tradeoff import bpe_by_size
from rowspace_lab.tables.small_world import small_world_sentences

SIZES = (512, 2048)
"""The two sizes of a vocabulary in the text."""
DIMS = (4, 32, 109)
"""The dimensions whose errors are compared; Small world has 109 words."""
SPLITS = 8
ROWS = 1000
NEIGHBORS = 10


def fewer_tokens_figure(*, before: int, after: int) -> Mapping[str, float]:
    """Train byte-level BPE on files of the standard library, and measure it at two sizes on files held out."""
    texts = list(islice(standard_library(), 0, 88, 8))
    corpus = [text for place, text in enumerate(texts) if place % 5], texts[::5]
    small, large = (found for found in bpe_by_size(corpus, (before, after)) if found is not None)
    fewer = 1 - large[0].tokens_per_word / small[0].tokens_per_word
    return {
        "answer": 100 * fewer,
        "small": small[0].tokens_per_word,
        "large": large[0].tokens_per_word,
        "seen": small[1],
        "seldom": large[1],
        "scores": (1 - fewer) ** 2,
    }


def held_out_errors(*, dims: Sequence[int]) -> list[float]:
    """Return how far rows of d numbers, computed from one half of Small world's sentences, miss the other half.

    The rows factor the positive pointwise mutual information of words at most two apart. An error is the squared
    distance from that of the other half, as a share of its squares, averaged over ways to halve the sentences.
    """
    sentences = [sentence.split() for sentence in small_world_sentences()]
    words = sorted({word for sentence in sentences for word in sentence})
    errors = np.zeros(len(dims))
    for seed in range(SPLITS):
        order = np.random.default_rng(seed).permutation(len(sentences))
        halves = (order[: len(order) // 2], order[len(order) // 2 :])
        known, held_out = (information([sentences[at] for at in half], words) for half in halves)
        left, values, right = np.linalg.svd(known)
        guesses = [(left[:, :dim] * values[:dim]) @ right[:dim] for dim in dims]
        errors += [((held_out - guess) ** 2).sum() / (held_out**2).sum() for guess in guesses]
    return [float(error) / SPLITS for error in errors]


def information(sentences: Sequence[Sequence[str]], words: Sequence[str]) -> NDArray[np.float64]:
    """Return the positive pointwise mutual information of words at most two apart, (V, V)."""
    ids, counts = {word: id for id, word in enumerate(words)}, np.zeros((len(words), len(words)))
    for sentence in sentences:
        for apart in (1, 2):
            for one, other in zip(sentence, sentence[apart:], strict=False):
                counts[ids[one], ids[other]] += 1
    counts += counts.T
    each = counts.sum(1)
    expected = np.outer(each, each) / max(counts.sum(), 1)
    ratio = np.divide(counts, expected, out=np.zeros_like(counts), where=counts > 0)
    return np.asarray(np.log(np.maximum(ratio, 1)))


def neighbors_kept(table: Table, *, part: int) -> float:
    """Return which share of each word's ten nearest neighbors a part of the principal components keeps.

    Up to 1,000 rows are compared, evenly spaced, by cosine.
    """
    used = np.flatnonzero(np.isfinite(table.norms) & (table.norms > 0))
    if len(used) < 100 or table.dim < 2 * part:
        raise UsageError("the table is too small to cut it: it needs 100 rows of at least 8 numbers")
    spaced = used[np.linspace(0, len(used) - 1, min(ROWS, len(used))).astype(np.int64)]
    rows = table[spaced] / table.norms[spaced, None]
    positions = space.pca(rows, table.dim // part).positions
    return space.neighborhood_preservation(rows, positions, NEIGHBORS, sample=200, metric="euclidean").share
