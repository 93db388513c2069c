"""The claim that a bigger d is better: held-out loss and neighbors against d, over seeds, on the small world."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.learn import FitOptions
from rowspace.learn.word2vec.state import FitState
from rowspace.learn.word2vec.trainer import Trainer
from rowspace.table import Table
from rowspace.text import TextOptions, encode_corpus
from rowspace_lab.lessons.computed.claims.verdict import Verdict
from rowspace_lab.tables.small_world import small_world_sentences
from rowspace_lab.tables.world import OPTIONS

__all__ = ["Learned", "cut_figure", "held_out_loss", "learn_both", "learned_tables", "wider", "wider_numbers"]

Array = NDArray[Any]

FOLD = 5  # every fifth sentence is held out
NEIGHBORS = 10
MIN_ROWS = 20  # rows of a table that is cut
MAX_DIM = 1024  # numbers of its rows


class Learned(TypedDict):
    """Both matrices of a fit: `inputs`, the rows of its table, and `outputs`, each (V, d)."""

    dim: int
    seed: int
    words: list[str]
    counts: Array
    inputs: Array
    outputs: Array


def learn_both(sentences: Sequence[str], *, dim: int, seed: int) -> Learned:
    """Learn as `fit` does with the options of the small world, and keep the output rows, which a table has not."""
    options = {name: value for name, value in OPTIONS.items() if name != "min_count"}
    with tempfile.TemporaryDirectory() as folder:
        text = TextOptions(min_count=OPTIONS["min_count"], workers=1)
        ids = encode_corpus(iter(sentences), Path(folder), options=text)
        state = FitState.start(ids, FitOptions(dim=dim, seed=seed, **options), {})
        trainer = Trainer(ids, state)
        while state.epoch < state.options.epochs:
            trainer.run_epoch(lambda _: False)
        used = np.s_[: len(ids.vocabulary), :dim]  # the matrices are padded for the kernels
        inputs, outputs = state.weights.inputs[used].copy(), state.weights.outputs[used].copy()
        words = list(ids.vocabulary)
        return {"dim": dim, "seed": seed, "words": words, "counts": ids.counts, "inputs": inputs, "outputs": outputs}


def held_out_loss(learned: Learned, sentences: Sequence[str], *, window: int, negatives: int) -> float:
    """Return the mean expected loss of skip-gram with negative sampling over the pairs of new sentences.

    Pairs at distance δ have weight (window - δ + 1) / window, the share of the drawn windows that contain them. The
    loss of a pair is -log σ(v·u) - negatives · E[log σ(-v·u')], with u' drawn in proportion to count ** 0.75.
    """
    place = {word: id for id, word in enumerate(learned["words"])}
    weights = np.zeros((len(place), len(place)))  # of each word next to each word
    for sentence in sentences:
        ids = [place[word] for word in sentence.split() if word in place]  # as a fit reads it
        for at, one in enumerate(ids):
            for away, other in enumerate(ids[at + 1 : at + 1 + window], 1):
                weights[one, other] += (window - away + 1) / window
                weights[other, one] += (window - away + 1) / window
    scores = learned["inputs"].astype(np.float64) @ learned["outputs"].T.astype(np.float64)
    noise = learned["counts"] ** 0.75 / (learned["counts"] ** 0.75).sum()
    losses = np.logaddexp(0, -scores) + negatives * (np.logaddexp(0, scores) @ noise)[:, np.newaxis]
    return float((weights * losses).sum() / weights.sum())


def learned_tables(*, dims: Sequence[int], seeds: Sequence[int]) -> Iterator[tuple[Learned, float]]:
    """Learn the small world at each width with each seed, and yield both matrices with the held-out loss.

    Seed s holds out every fifth sentence from the s-th on, so that the seeds are the folds of a cross-validation.
    """
    sentences = small_world_sentences()
    for seed in seeds:
        held_out = sentences[seed % FOLD :: FOLD]
        known = [sentence for at, sentence in enumerate(sentences) if at % FOLD != seed % FOLD]
        for dim in dims:
            learned = learn_both(known, dim=dim, seed=seed)
            yield learned, held_out_loss(learned, held_out, window=OPTIONS["window"], negatives=5)


def shared_neighbors(one: Learned, other: Learned, *, k: int) -> float:
    """Return the share of the words' k nearest neighbors that two tables have in common, over their common words."""
    words = sorted(set(one["words"]) & set(other["words"]))
    found = []
    for learned in (one, other):
        place = {word: id for id, word in enumerate(learned["words"])}
        rows = learned["inputs"][[place[word] for word in words]]
        found.append(space.nearest(rows, rows, k, exclude=np.arange(len(words))[:, np.newaxis])[0])
    return float((found[0][:, :, np.newaxis] == found[1][:, np.newaxis]).any(2).mean())


def wider_figure(*, dims: Sequence[int], seeds: Sequence[int]) -> Mapping[str, Any]:
    """Measure held-out loss and stability of neighbors for each d and seed."""
    return wider_numbers(list(learned_tables(dims=dims, seeds=seeds)), dims=dims, seeds=seeds)


def wider_numbers(
    found: Sequence[tuple[Learned, float]], *, dims: Sequence[int], seeds: Sequence[int]
) -> Mapping[str, Any]:
    """Compare widths: the losses (seeds, dims), and the neighbors shared with the widest table of the next seed.

    Args:
        found: Both matrices and the held-out loss of each seed at each width.
        dims: Two or more widths, ascending.
        seeds: Two or more seeds.
    """
    losses = np.array([loss for _, loss in found]).reshape(len(seeds), len(dims))
    tables = [[found[seed * len(dims) + at][0] for at in range(len(dims))] for seed in range(len(seeds))]
    kept = np.array(
        [
            [shared_neighbors(each, tables[(seed + 1) % len(seeds)][-1], k=NEIGHBORS) for each in row]
            for seed, row in enumerate(tables)
        ]
    )
    steps = np.diff(losses, axis=1) / losses[:, :-1]  # (seeds, dims - 1): relative, from each width to the next
    changes, noises = steps.mean(0), steps.std(0, ddof=1) / len(seeds) ** 0.5
    means = losses.mean(0)
    return {
        "dims": list(dims),
        "seeds": len(seeds),
        "losses": losses,
        "kept": kept,
        "narrowest": dims[0],
        "widest": dims[-1],
        "before": dims[-2],
        "first_loss": float(means[0]),
        "last_loss": float(means[-1]),
        "change": float(changes[-1]),
        "noise": float(noises[-1]),
        "memory": dims[-1] / dims[-2],
        "first_kept": float(kept[:, 0].mean()),
        "before_kept": float(kept[:, -2].mean()),
        "last_kept": float(kept[:, -1].mean()),
        "verdict": wider_verdict(changes=changes.tolist(), noises=noises.tolist()),
    }


def wider_verdict(*, changes: Sequence[float], noises: Sequence[float]) -> Verdict:
    """True if each step to a larger d lowers the held-out loss by 1% and by two standard errors over the folds.

    False if a step raises it by as much; it depends if a step changes less than that.
    """
    least = [max(0.01, 2 * noise) for noise in noises]
    if any(change >= step for change, step in zip(changes, least, strict=True)):
        return "false"
    lower = all(change <= -step for change, step in zip(changes, least, strict=True))
    return "true" if lower else "it depends"


def cut_figure(table: Table, *, limit: int, queries: int, seed: int) -> Mapping[str, Any]:
    """Keep the first principal components of the rows, and count how many of the nearest neighbors remain.

    The lists are empty for fewer than 20 rows, and for rows that are too wide for the components to be found soon.
    """
    ids = np.flatnonzero(np.isfinite(table.norms) & (table.norms > 0))[:limit]
    if len(ids) < MIN_ROWS or table.dim > MAX_DIM:
        return {"cut_dims": [], "cut_kept": np.array([]), "cut_chance": 0.0, "cut_words": len(ids)}
    rows = np.asarray(table.rows[ids], np.float32)
    components = space.pca(rows, table.dim).components  # (d, d)
    turned = rows @ components.T.astype(np.float32)  # not centered, so that all components keep all neighbors
    k = min(NEIGHBORS, len(ids) // 4)
    sample = np.sort(np.random.default_rng(seed).permutation(len(ids))[:queries])
    own = sample[:, np.newaxis]
    full, _ = space.nearest(rows[sample], rows, k, exclude=own)
    dims = sorted({*(2**power for power in range(1, 14) if 2**power < table.dim), table.dim})
    kept = []
    for dim in dims:
        cut = np.ascontiguousarray(turned[:, :dim])
        near, _ = space.nearest(cut[sample], cut, k, exclude=own)
        kept.append(float((full[:, :, np.newaxis] == near[:, np.newaxis]).any(2).mean()))
    return {"cut_dims": dims, "cut_kept": np.array(kept), "cut_chance": k / (len(ids) - 1), "cut_words": len(ids)}


wider = partial(wider_figure, dims=[2, 4, 8, 16, 32, 64], seeds=[0, 1, 2, 3, 4])
