"""The jobs of the Claims page: the width d, texts longer than those of training, tied heads, and the stored results."""

import importlib.util
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from rowspace.errors import MissingExtraError, UsageError
from rowspace.table import Table
from rowspace_lab.jobs.callbacks import iterate_callbacks
from rowspace_lab.jobs.kinds import JobKind, Progress
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.claims.measured import chart_bars, evidence, not_measured
from rowspace_lab.lessons.claims.stored import stored
from rowspace_lab.lessons.computed.claims import JOBS, STORED, STORED_JOB, claim_function
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply
from rowspace_lab.shared.figure import Array, shown

__all__ = ["JOB_KINDS", "measure_longer_texts", "measure_stored", "measure_tying", "measure_wider"]

Updates = Iterator[Progress | Reply]

DIMS = (2, 4, 8, 16, 32, 64)
SEEDS = 5
MAX_ROWS = 20_000  # of the open table, whose neighbors are searched
CUT: Mapping[str, Any] = {"limit": MAX_ROWS, "queries": 300, "seed": 0}
STEPS = 300
TYING_SEEDS = 3


def measure_wider(*, rows: Array, dims: Sequence[int], seeds: int, code: str) -> Updates:
    """Cut the open table, then learn the small world at each width with each seed; a frame for each fit."""
    from rowspace_lab.lessons.computed.claims import width  # imports Numba

    yield Progress(0, "cutting the rows of the open table")
    names = [str(id) for id in range(len(rows))]
    cut = {**width.cut_figure(Table(names, rows), **CUT), "code": code}
    losses = np.full((seeds, len(dims)), np.nan)
    frame = {"dims": list(dims), **cut, **not_measured(), "finished": False}
    yield Reply({**frame, "losses": losses.copy()})
    found = []
    for learned, loss in width.learned_tables(dims=dims, seeds=range(seeds)):
        losses[learned["seed"], dims.index(learned["dim"])] = loss
        found.append((learned, loss))
        sentence = f"table {len(found)} of {losses.size}: d = {learned['dim']}, seed {learned['seed']}"
        yield Progress(len(found) / losses.size, sentence)
        yield Reply({**frame, "losses": losses.copy()})
    numbers = width.wider_numbers(found, dims=dims, seeds=range(seeds))
    measured = {"losses": losses, "kept": numbers["kept"], "finished": True}
    yield Reply({**frame, **evidence("wider", numbers), **measured})


def _read_wider(lab: Lab, query: Query) -> Mapping[str, Any]:
    """`dims`: two or more widths; `seeds`: their number."""
    dims = sorted(set(query.integers("dims", DIMS, low=2, high=128, limit=8)))
    if len(dims) < 2:
        raise UsageError("dims must have two or more different widths")
    seeds = query.integer("seeds", SEEDS, low=2, high=10)
    from rowspace_lab.lessons.computed.claims import width  # imports Numba

    figure = partial(width.wider_figure, dims=dims, seeds=list(range(seeds)))
    return {"dims": dims, "seeds": seeds, "code": shown(lab, figure, cut=partial(width.cut_figure, **CUT))}


def _rows(lab: Lab, **_: Any) -> Mapping[str, Array]:
    usable = np.flatnonzero(np.isfinite(lab.table.norms) & (lab.table.norms > 0))[:MAX_ROWS]
    return {"rows": np.asarray(lab.table.rows[usable], np.float32)}


def measure_longer_texts(*, steps: int, code: str) -> Updates:
    """Train a model with each scheme of positions, and read longer texts; a frame for each model."""
    from rowspace_lab.experiments import TrainProgress, TrainReports
    from rowspace_lab.lessons.computed.claims import lengths  # imports PyTorch

    found: dict[str, Mapping[int, float]] = {}
    for number, scheme in enumerate(lengths.SCHEMES):

        def work(report: Callable[[TrainProgress], None], scheme: str = scheme) -> None:
            found[scheme] = lengths.bits_by_length(scheme, steps=steps, reports=TrainReports(on_progress=report))

        for news in iterate_callbacks(work):
            fraction = (number + news.step / steps) / len(lengths.SCHEMES)
            sentence = f"{scheme}, model {number + 1} of {len(lengths.SCHEMES)}: step {news.step} of {steps}"
            yield Progress(fraction, sentence)
        yield Reply({**not_measured(), **_bits(found), "finished": False, "code": code})
    numbers = lengths.longer_texts_numbers(found, steps=steps)
    yield Reply({**evidence("longer_texts", numbers), **_bits(found), "finished": True, "code": code})


def _bits(found: Mapping[str, Mapping[int, float]]) -> dict[str, Any]:
    lengths = sorted(next(iter(found.values())))
    bits = [[each[length] for length in lengths] for each in found.values()]
    return {"schemes": list(found), "lengths": np.array(lengths), "bits": np.array(bits)}


def _read_longer_texts(lab: Lab, query: Query) -> Mapping[str, Any]:
    """`steps`: of the training of each model."""
    _require_torch()
    steps = query.integer("steps", STEPS, low=1, high=2000)
    from rowspace_lab.lessons.computed.claims import lengths  # imports PyTorch

    figure = partial(lengths.longer_texts_figure, schemes=lengths.SCHEMES, steps=steps)
    return {"steps": steps, "code": shown(lab, figure)}


def measure_tying(*, seeds: int, steps: int, code: str) -> Updates:
    """Train a model with a tied and one with an untied head for each seed; a frame for each model."""
    from rowspace_lab.experiments import TrainProgress, TrainReports
    from rowspace_lab.lessons.computed.claims import tying  # imports PyTorch

    numbers, found = range(1, seeds + 1), list[tying.HeadRun]()
    for seed, head in product(numbers, tying.HEADS):

        def work(report: Callable[[TrainProgress], None], seed: int = seed, head: str = head) -> None:
            reports = TrainReports(on_progress=report)
            found.append(tying.train_head(head, seed=seed, steps=steps, reports=reports))

        done = len(found)
        for news in iterate_callbacks(work):
            fraction = (done + news.step / steps) / (seeds * len(tying.HEADS))
            name = f"{head}, seed {seed}, model {done + 1} of {seeds * len(tying.HEADS)}"
            yield Progress(fraction, f"{name}: step {news.step} of {steps}")
        yield Reply({**not_measured(), **_bits_by_head(found, numbers), "finished": False, "code": code})
    measured = evidence("tying", tying.tying_numbers(found, steps=steps))
    yield Reply({**measured, **_bits_by_head(found, numbers), "finished": True, "code": code})


def _bits_by_head(found: Sequence[Any], seeds: Sequence[int]) -> dict[str, Any]:
    from rowspace_lab.lessons.computed.claims.tying import HEADS

    bits = np.full((len(HEADS), len(seeds)), np.nan)
    for run in found:
        bits[HEADS.index(run["head"]), run["seed"] - 1] = run["bits"]
    return {"heads": list(HEADS), "seeds": list(seeds), "bits": bits}


def _read_tying(lab: Lab, query: Query) -> Mapping[str, Any]:
    """`seeds`: their number; `steps`: of the training of each model."""
    _require_torch()
    seeds = query.integer("seeds", TYING_SEEDS, low=2, high=10)
    steps = query.integer("steps", STEPS, low=1, high=2000)
    from rowspace_lab.lessons.computed.claims import tying  # imports PyTorch

    figure = partial(tying.tying_figure, seeds=list(range(1, seeds + 1)), steps=steps)
    return {"seeds": seeds, "steps": steps, "code": shown(lab, figure)}


def measure_stored(*, name: str, code: str) -> Updates:
    """Measure a claim whose result is stored; its only frame is the last one."""
    yield Progress(0, f"measuring; the stored result took {stored(name)['seconds']} s")
    numbers = claim_function(name)()
    yield Reply({**evidence(name, numbers), "bars": chart_bars(numbers["bars"]), "finished": True, "code": code})


def _read_stored(lab: Lab, query: Query) -> Mapping[str, Any]:
    """`name`: one of `STORED`."""
    name = query.choice("name", STORED)
    return {"name": name, "code": shown(lab, claim_function(name))}


def _require_torch() -> None:
    if importlib.util.find_spec("torch") is None:
        raise MissingExtraError("a language model needs PyTorch: pip install 'rowspace[torch]'")


JOB_KINDS = {
    JOBS["wider"]: JobKind(run=measure_wider, read=_read_wider, arrays=_rows),
    JOBS["longer_texts"]: JobKind(run=measure_longer_texts, read=_read_longer_texts, arrays=lambda *_, **__: {}),
    STORED_JOB: JobKind(run=measure_stored, read=_read_stored, arrays=lambda *_, **__: {}),
    JOBS["tying"]: JobKind(run=measure_tying, read=_read_tying, arrays=lambda *_, **__: {}),
}
