"""One run: a strategy learns a task for a budget of CPU seconds, and is measured on the held-out inputs.

The budget is the CPU time of this process (`time.process_time`), in which PyTorch has one thread, over complete
training steps: batch, forward, backward, optimizer. Reading the text, making vocabularies and rendering come before and
are the same for all seeds; they are not counted.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch
from torch import Tensor

from rowspace_lab.experiments.arena.model.batches import Batches
from rowspace_lab.experiments.arena.model.model import NO_BYTE, ArenaModel, Batch

__all__ = ["Diverged", "Learned", "Measured", "learn", "measure"]

_LR = {True: 4e-3, False: 1e-2}  # the highest learning rate for classes and for next bytes
_MIN_LR = 0.05  # the last one divided by the highest
_WARMUP = 0.05  # of the budget
_CLIP = 1.0
_POINTS = 20  # of a learning curve


class Diverged(Exception):
    """The loss is not finite."""


@dataclass(frozen=True)
class Learned:
    """What training took.

    Attributes:
        steps, inputs: Updates, and inputs read by them.
        cpu_seconds, seconds: By the clock of the process, and by the clock on the wall.
        curve: (CPU seconds, inputs read, mean loss since the last point) of about 20 points; the loss in bits per byte,
            or per input for classes.
        activation_bytes: Bytes that a step keeps for its backward pass.
        state_bytes: Weights, gradients and the optimizer's state.
    """

    steps: int
    inputs: int
    cpu_seconds: float
    seconds: float
    curve: list[tuple[float, int, float]]
    activation_bytes: int
    state_bytes: int


@dataclass(frozen=True)
class Measured:
    """Results on the held-out inputs.

    Attributes:
        outcomes: Bits per byte of each input, or 1.0 for a right class and 0.0 for a wrong one.
        weights: The weight of each: its bytes, or 1.
        answers: The class that was chosen for each input; none for next bytes.
        cpu_seconds: Per input.
        chunk_bits: Bits of each predicted chunk of each input; none for classes.
    """

    outcomes: list[float]
    weights: list[int]
    answers: list[int]
    cpu_seconds: float
    chunk_bits: list[list[float]] = field(default_factory=list)

    @property
    def quality(self) -> float:
        """Bits per byte, or the share of right classes."""
        total = sum(outcome * weight for outcome, weight in zip(self.outcomes, self.weights, strict=True))
        return total / sum(self.weights)

    @property
    def error(self) -> float:
        """The standard error of `quality` over the inputs."""
        count, mean = len(self.outcomes), sum(self.outcomes) / len(self.outcomes)
        variance = sum((outcome - mean) ** 2 for outcome in self.outcomes) / max(1, count - 1)
        return math.sqrt(variance / count)


def learn(model: ArenaModel, batches: Batches, *, budget: float, seed: int) -> Learned:
    """Train for `budget` CPU seconds with AdamW; the learning rate rises, then falls as a cosine of the time used.

    Args:
        model: The model to train.
        batches: Batches of its task, in its form.
        budget: CPU seconds of this process.
        seed: Seed of the order of inputs.

    Raises:
        Diverged: The loss is not finite.
    """
    stream = batches.training(seed)
    optimizer = torch.optim.AdamW(model.parameters(), betas=(0.9, 0.98), weight_decay=0.05)
    activation_bytes = _activation_bytes(model, next(stream))
    lr = _LR[bool(model.shape.classes)]
    curve, steps, inputs = list[tuple[float, int, float]](), 0, 0
    began, start, used = time.monotonic(), time.process_time(), 0.0
    since = list[Tensor]()
    while used < budget:
        for group in optimizer.param_groups:
            group["lr"] = lr * _rate(used / budget)
        inputs += _step(model, optimizer, stream, since)
        steps += 1
        used = time.process_time() - start
        if used >= budget * (len(curve) + 1) / _POINTS:
            curve.append((used, inputs, _mean_bits(since, steps)))
            since.clear()
    trained = sum(parameter.nbytes for parameter in model.parameters())
    return Learned(steps, inputs, used, time.monotonic() - began, curve, activation_bytes, 4 * trained)


def _step(model: ArenaModel, optimizer: torch.optim.Optimizer, stream: Iterator[Batch], since: list[Tensor]) -> int:
    """Make one update, append its loss, and return the number of inputs."""
    batch = next(stream)
    loss, nats = model.loss(batch)
    optimizer.zero_grad()
    torch.autograd.backward(loss)
    torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP)
    optimizer.step()
    since.append(nats.detach())
    return len(batch.tokens)


def _mean_bits(nats: list[Tensor], step: int) -> float:
    mean = float(torch.stack(nats).mean()) / math.log(2)
    if not math.isfinite(mean):
        raise Diverged(f"the loss became {mean} before step {step}")
    return mean


def _rate(share: float) -> float:
    """The learning rate, as a share of the highest, when this share of the budget is used."""
    if share < _WARMUP:
        return (share + 0.1 * _WARMUP) / (1.1 * _WARMUP)
    cosine = 0.5 + 0.5 * math.cos(math.pi * min(1.0, (share - _WARMUP) / (1 - _WARMUP)))
    return _MIN_LR + (1 - _MIN_LR) * cosine


def _activation_bytes(model: ArenaModel, batch: Batch) -> int:
    """Return the bytes that a forward pass keeps for the backward pass, without parameters, each memory once."""
    parameters = {parameter.data_ptr() for parameter in model.parameters()}
    kept = dict[int, int]()

    def note(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in parameters:
            kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        loss, _ = model.loss(batch)
    total = sum(kept.values())
    torch.autograd.backward(loss)  # what a first call allocates is not part of the budget either
    return total


@torch.no_grad()
def measure(model: ArenaModel, batches: Batches) -> Measured:
    """Measure a model on the held-out inputs.

    Args:
        model: The trained model.
        batches: Batches of its task, in its form.
    """
    model.eval()
    outcomes, weights, answers, chunk_bits = list[float](), list[int](), list[int](), list[list[float]]()
    start = time.process_time()
    for batch in batches.held_out():
        if model.shape.classes:
            chosen = model.classify(batch)
            answers += chosen.tolist()
            outcomes += (chosen == batch.labels).double().tolist()
            weights += [1] * len(chosen)
        else:
            counts = (batch.following != NO_BYTE).sum((1, 2))
            bits = model.nats(batch).double() / math.log(2)
            outcomes += (bits.sum(1) / counts).tolist()
            weights += counts.tolist()
            chunk_bits += bits.tolist()
    return Measured(outcomes, weights, answers, (time.process_time() - start) / len(outcomes), chunk_bits)
