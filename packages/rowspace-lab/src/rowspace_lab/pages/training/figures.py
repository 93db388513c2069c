"""The figures of the Training page, of the events of a run. They do not need PyTorch."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.store import load
from rowspace.table import Table
from rowspace_lab.experiments import Events, read_events
from rowspace_lab.pages.training.replies import Curves, Moved, Snapshots, TrainedRow, Updates
from rowspace_lab.tables.small_world import WORD_KINDS

Array = NDArray[Any]

UNREAD = "not in the text"
FORMS = ["begins a word", "continues a word", "digits", "signs and blanks", UNREAD]
KINDS = [*WORD_KINDS, "other words", UNREAD]
MOMENTS = ("first_moment", "second_moment", "step")
RECORDED = ("input_gradient", "head_gradient", *MOMENTS, *(f"head_{name}" for name in MOMENTS))
BLANK = "␣"
BLANKS = "␣↵⇥"
BANDS = (1, 10, 100, 1000)


def curves_figure(*, run: str, points: int) -> Curves:
    """The loss of each step, held-out bits per byte, and the norms of the rows."""
    with read_events(run) as events:
        taken = events.steps()
        parts = np.array_split(np.arange(len(taken)), min(points, len(taken)) or 1)
        held = events.held_out()
        norms = [events.rows(step)["norm"] for step in events.row_steps()]
        size = events.header["num_embeddings"]
        return {
            "step": int(taken["step"].max(initial=0)),
            "steps": events.header["training"]["steps"],
            "num_embeddings": size,
            "dim": events.header["model"]["dim"],
            "loss_steps": np.array([taken["step"][part[-1]] for part in parts if len(part)], np.int64),
            "loss": np.array([taken["loss"][part].mean() for part in parts if len(part)], np.float64),
            "held_steps": np.array([step for step, _ in held], np.int64),
            "held": np.array([bits for _, bits in held], np.float64),
            "norm_steps": np.array(events.row_steps(), np.int64),
            "mean_norm": np.array([each.mean() for each in norms], np.float64),
            "largest_norm": np.array([each.max() for each in norms], np.float64),
            "loss_at_start": float(taken["loss"][0]) if len(taken) else None,
            "uniform": float(np.log(size)),
            "tied": events.header["model"]["tied"],
        }


def snapshots_figure(*, run: str, shown: int, by_kind: bool) -> Snapshots:
    """The sampled rows at each recorded step: PCA of each, rotated to fit the one before."""
    rows = load(run)
    with read_events(run) as events:
        steps = events.snapshot_steps()
        ids, frames = sampled_rows(events, steps)
        order = np.argsort(-counts_of(rows)[ids], kind="stable")[:shown]
        return {
            "steps": np.array(steps),
            "ids": ids,
            "groups": groups_of(rows, by_kind=by_kind)[ids],
            "positions": aligned_maps(frames),
            "table": frames[:, order],
            "tokens": [readable(rows, rows.vocabulary[id]) for id in ids],
            "counts": counts_of(rows)[ids].tolist(),
            "group_names": KINDS if by_kind else FORMS,
            "watched": ids[: len(events.header["watched"])].tolist(),
        }


def sampled_rows(events: Events, steps: Sequence[int]) -> tuple[Array, Array]:
    """The ids of the snapshots (n,), and their rows at each step (k, n, d)."""
    found = [events.snapshot(step) for step in steps]
    return found[0]["ids"], np.stack([each["rows"].astype(np.float32) for each in found])


def aligned_maps(frames: Array) -> Array:
    """Rows at each step (k, n, d) → positions (k, n, 2): two principal components, turned to fit the step before."""
    maps = np.zeros((*frames.shape[:2], 2), np.float32)
    for place, frame in enumerate(frames):
        found = space.pca(frame, min(2, frame.shape[1])).positions
        maps[place, :, : found.shape[1]] = found
        if place:
            both = np.isfinite(maps[place] + maps[place - 1]).all(1)
            # the orthogonal Procrustes problem (Schönemann 1966): a rotation or reflection, which changes no distance
            left, _, right = np.linalg.svd(maps[place][both].T @ maps[place - 1][both])
            maps[place] = maps[place] @ (left @ right)
    return maps


def readable(rows: Table, token: str) -> str:
    """What is shown of a token, with one sign for blanks, which SentencePiece writes in its own way."""
    return rows.shown(token).replace("▁", BLANK)


def counts_of(rows: Table) -> Array:
    """How often each token is in the text, (V,)."""
    return np.array(rows.counts)


def groups_of(rows: Table, *, by_kind: bool) -> Array:
    """The group of each token, a place in `KINDS` or in `FORMS`, (V,)."""
    places = np.array([kind_of(token) if by_kind else form_of(readable(rows, token)) for token in rows.vocabulary])
    return np.where(counts_of(rows) > 0, places, len(KINDS if by_kind else FORMS) - 1)


def kind_of(word: str) -> int:
    """Which kind of thing a word of Small world means."""
    return next((place for place, words in enumerate(WORD_KINDS.values()) if word in words.split()), len(WORD_KINDS))


def form_of(token: str) -> int:
    """Whether a token begins a word, continues one, or is made of digits or signs."""
    bare = token.strip(BLANKS)
    if not bare or not any(sign.isalnum() for sign in bare):
        return 3
    if bare.isdigit():
        return 2
    return 0 if token.startswith(BLANK) else 1


def updates_figure(*, run: str, step: int, by_kind: bool) -> Updates:
    """How often each row was looked up and how far it is from its start, all rows and rare against frequent."""
    rows = load(run)
    with read_events(run) as events:
        found = events.rows(step)
        updates, distances = found["input_updates"].astype(np.int64), found["distance"]
        band = np.searchsorted(BANDS, updates, side="right")
        inside = [distances[band == place] for place in range(1, len(BANDS) + 1)]
        untouched = distances[band == 0]
        return {
            "step": step,
            "updates": updates,
            "targets": found["head_targets"].astype(np.int64),
            "distances": distances,
            "groups": groups_of(rows, by_kind=by_kind),
            "tokens": [readable(rows, token) for token in rows.vocabulary],
            "group_names": KINDS if by_kind else FORMS,
            "untouched": len(untouched),
            "untouched_distance": float(np.median(untouched)) if len(untouched) else None,
            "bands": [
                f"{low:,} to {high - 1:,}" if high else f"{low:,} or more"
                for low, high in zip(BANDS, (*BANDS[1:], 0), strict=True)
            ],
            "band_rows": [len(each) for each in inside],
            "band_distances": [float(np.median(each)) if len(each) else None for each in inside],
        }


def row_figure(*, run: str, id: int, step: int, k: int) -> TrainedRow:
    """A sampled row at the start and at a step, its nearest tokens then, and the norms of its two gradients."""
    rows = load(run)
    with read_events(run) as events:
        ids, (start, now) = sampled_rows(events, [0, step])
        place = int(np.flatnonzero(ids == id)[0])
        scores = space.score(now[place : place + 1], now, metric="cosine")[0]
        near = [other for other in np.argsort(-scores, kind="stable") if other != place][:k]
        steps = [each for each in events.row_steps() if each <= step]
        records = [events.rows(each) for each in steps]
        history = {name: [each[name][id] if name in each else np.nan for each in records] for name in RECORDED}
        return {
            "id": id,
            "step": step,
            "token": readable(rows, rows.vocabulary[id]),
            "count": int(counts_of(rows)[id]),
            "updates": int(records[-1]["input_updates"][id]) if records else 0,
            "distance": float(np.linalg.norm(now[place] - start[place])),
            "start": start[place],
            "now": now[place],
            "neighbors": [readable(rows, rows.vocabulary[ids[other]]) for other in near],
            "scores": scores[near],
            "gradient_steps": np.array(steps, np.int64),
            "input_gradient": np.array(history["input_gradient"], np.float64),
            "head_gradient": np.array(history["head_gradient"], np.float64),
            "first_moment": np.array(history["first_moment"], np.float64),
            "second_moment": np.sqrt(now.shape[1] * np.array(history["second_moment"], np.float64)),
            "moved": np.array(history["step"], np.float64),
            "head_first_moment": np.array(history["head_first_moment"], np.float64),
            "head_second_moment": np.sqrt(now.shape[1] * np.array(history["head_second_moment"], np.float64)),
            "head_moved": np.array(history["head_step"], np.float64),
            "tied": events.header["model"]["tied"],
        }


def moved_figure(*, run: str, other: str, k: int) -> Moved:
    """The sampled rows that differ most between two runs at their last common snapshot."""
    rows = load(run)
    with read_events(run) as events, read_events(other) as others:
        step = max(set(events.snapshot_steps()) & set(others.snapshot_steps()))
        (ids, (first_rows,)), (other_ids, (second_rows,)) = (sampled_rows(each, [step]) for each in (events, others))
        both, first_places, second_places = np.intersect1d(ids, other_ids, return_indices=True)
        distances = np.linalg.norm(first_rows[first_places] - second_rows[second_places], axis=1)
        most = np.argsort(-distances, kind="stable")[:k]
        return {
            "tokens": [readable(rows, rows.vocabulary[both[place]]) for place in most],
            "distances": distances[most],
            "median": float(np.median(distances)),
        }
