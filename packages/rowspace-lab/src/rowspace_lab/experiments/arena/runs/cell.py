"""A cell of the result: one strategy on one task with one seed, as plain values that JSON holds."""

import dataclasses
import heapq
import math
from typing import Any, TypedDict, cast

import numpy as np
import torch

from rowspace_lab.experiments.arena.model.batches import Batches
from rowspace_lab.experiments.arena.model.forms import UNKNOWN, Form
from rowspace_lab.experiments.arena.model.model import NO_BYTE, ArenaModel, Batch, ByteDecoder, Shape
from rowspace_lab.experiments.arena.model.train import Diverged, Measured, learn, measure
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.strategies import Strategy
from rowspace_lab.experiments.arena.tasks.images import pixel_bytes
from rowspace_lab.experiments.arena.tasks.samples import Task, Unit

__all__ = ["Cell", "Wrong", "run_cell"]

_WRONG = 3
_FEW = 10  # a row that was seen less often has hardly moved


class Wrong(TypedDict):
    """A held-out input that was answered wrong.

    Attributes:
        text: Its chunks of text; for next bytes, those before the predicted chunk.
        image: Its image as rows of letters, A for black to f for white, or None.
        expected, answer: The label or the chunk that was right, and the answer.
        bits: Bits of the expected chunk; None for classes.
    """

    text: str
    image: list[str] | None
    expected: str
    answer: str
    bits: float | None


class Cell(TypedDict):
    """The result of one run.

    Attributes:
        quality: Bits per byte (less is better), or the share of right classes.
        error: Its standard error over the held-out inputs.
        parameters, table_parameters: Number of parameters of the model; of its input and its own head.
        tokens_per_input: Mean over the held-out inputs.
        steps, inputs, passes: Updates, inputs read, and inputs read divided by the number of training inputs.
        cpu_seconds, seconds: Training, by the process's clock and on the wall.
        input_milliseconds: CPU time per held-out input.
        state_bytes, activation_bytes: Weights, gradients and optimizer; what a step keeps for the backward pass.
        unknown: Share of held-out tokens without a row.
        median_count, rare_rows, unused_rows: Of the rows that training uses, the median number of occurrences, and the
            share seen less than 10 times; of all rows, the share that training never uses. None for patches.
        curve: CPU seconds, inputs read, and mean training loss in bits.
        wrong: Three inputs that were answered wrong; for next bytes, the three chunks with the most bits.
    """

    quality: float
    error: float
    parameters: int
    table_parameters: int
    tokens_per_input: float
    steps: int
    inputs: int
    passes: float
    cpu_seconds: float
    seconds: float
    input_milliseconds: float
    state_bytes: int
    activation_bytes: int
    unknown: float
    median_count: float | None
    rare_rows: float | None
    unused_rows: float | None
    curve: list[tuple[float, int, float]]
    wrong: list[Wrong]


def run_cell(task: Task, form: Form, strategy: Strategy, options: ArenaOptions, seed: int) -> Cell:
    """Train and measure a strategy on a task.

    Args:
        task: The samples.
        form: Their units in the strategy's form.
        strategy: The strategy.
        options: The budget and the sizes.
        seed: Seed of initial values and order.

    Raises:
        Diverged: The loss or the result is not finite.
    """
    torch.manual_seed(seed)
    batches = Batches(task, form)
    size = round(form.size**0.5) if form.is_patches else form.size
    model = ArenaModel(
        Shape(
            size,
            form.is_patches,
            strategy.tied,
            batches.longest,
            len(task.classes),
            dim=options.dim,
            layers=options.layers,
        )
    )
    learned = learn(model, batches, budget=options.budget, seed=seed)
    measured = measure(model, batches)
    if not math.isfinite(measured.quality):
        raise Diverged(f"the held-out result is {measured.quality} after {learned.steps} steps")
    inputs: list[torch.nn.Module] = [model.input] if model.own_head is None else [model.input, model.own_head]
    table = {parameter for module in inputs for parameter in module.parameters()}
    values = {
        "quality": measured.quality,
        "error": measured.error,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "table_parameters": sum(parameter.numel() for parameter in table),
        "tokens_per_input": batches.mean_tokens,
        "input_milliseconds": 1000 * measured.cpu_seconds,
        "passes": learned.inputs / len(task.train),
        "wrong": _wrong_classes(task, measured) if task.classes else _wrong_chunks(task, model, batches, measured),
    }
    return cast(Cell, values | dataclasses.asdict(learned) | _row_counts(task, form))


def _row_counts(task: Task, form: Form) -> dict[str, float | None]:
    """How often training uses the rows of a table, and how many held-out tokens have none."""
    if form.is_patches:
        return {"unknown": 0.0, "median_count": None, "rare_rows": None, "unused_rows": None}
    owner = np.repeat(np.arange(len(task.units)), form.lengths)  # the unit of each token

    def counted(units: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        uses = np.bincount(units.ravel(), minlength=len(task.units))
        return np.bincount(form.tokens, weights=uses[owner], minlength=form.size)

    train, test = counted(task.train.units), counted(task.test.units)
    used = train[train > 0]
    return {
        "unknown": float(test[UNKNOWN] / test.sum()) if form.has_unknown else 0.0,
        "median_count": float(np.median(used)),
        "rare_rows": float((used < _FEW).mean()),
        "unused_rows": float((train == 0).mean()),
    }


def _wrong_classes(task: Task, measured: Measured) -> list[Wrong]:
    rows = [row for row, outcome in enumerate(measured.outcomes) if not outcome][:_WRONG]
    return [
        Wrong(
            **_shown([task.units[unit] for unit in task.test.units[row]]),  # type: ignore[typeddict-item]  # mypy cannot check **
            expected=task.classes[task.test.labels[row]],
            answer=task.classes[measured.answers[row]],
            bits=None,
        )
        for row in rows
    ]


def _wrong_chunks(task: Task, model: ArenaModel, batches: Batches, measured: Measured) -> list[Wrong]:
    """The chunks with the most bits, and what the model would have written instead."""
    every = ((bits, row, place) for row, chunks in enumerate(measured.chunk_bits) for place, bits in enumerate(chunks))
    worst = heapq.nlargest(_WRONG, every)
    wrong, first = dict[tuple[int, int], Wrong](), 0
    with torch.no_grad():
        for batch in batches.held_out():
            for bits, row, place in worst:
                if 0 <= row - first < len(batch.tokens):
                    units = [task.units[unit] for unit in task.test.units[row]]
                    wrong[row, place] = Wrong(
                        **_shown(units[: place + 1]),  # type: ignore[typeddict-item]  # mypy cannot check **
                        expected=bytes(units[place + 1]).decode(),
                        answer=_written(model, batch, row - first, place),
                        bits=bits,
                    )
            first += len(batch.tokens)
    return [wrong[row, place] for _, row, place in worst]


def _written(model: ArenaModel, batch: Batch, row: int, place: int) -> str:
    """The likeliest chunk of the same length at a place."""
    decoder: ByteDecoder = model.answer  # type: ignore[assignment]  # of a task of bytes
    before = model.states(batch)[row, batch.ends[row, place]][None]
    length = int((batch.following[row, place] != NO_BYTE).sum())
    return bytes(decoder.most_likely(before, length)[0].tolist()).decode("utf-8", "replace")


def _shown(units: list[Unit]) -> dict[str, Any]:
    text = b"".join(unit for unit in units if isinstance(unit, bytes)).decode()
    images = [[row.decode() for row in pixel_bytes(unit)] for unit in units if not isinstance(unit, bytes)]
    return {"text": text, "image": images[0] if images else None}
