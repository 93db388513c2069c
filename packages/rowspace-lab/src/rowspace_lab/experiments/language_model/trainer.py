"""`Trainer`: the steps of a training, its checkpoints and measurements.

The batch of a step depends on the seed and the step only, so the order of the text needs no state. On a CPU,
the same number of threads gives the same bits.
"""

import dataclasses
import math
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from tokenizers import Tokenizer
from torch import Tensor
from torch.nn.utils import parametrize

from rowspace.errors import TrainingDiverged
from rowspace.layers import MaxNorm, UnitNorm, constrain
from rowspace.table import Table
from rowspace.text.tokenizers.huggingface_library import tokens_by_id
from rowspace_lab.experiments.language_model.data import Corpora
from rowspace_lab.experiments.language_model.divergence import concerned
from rowspace_lab.experiments.language_model.evaluate import bits_per_byte, bits_per_byte_by_length
from rowspace_lab.experiments.language_model.model.model import LanguageModel
from rowspace_lab.experiments.language_model.rows import prepare_rows, weights_of
from rowspace_lab.experiments.language_model.run_folder.checkpoint import RunRecord, save_checkpoint
from rowspace_lab.experiments.language_model.schedule import Batch, draw_batch, learning_rate
from rowspace_lab.experiments.language_model.telemetry import events
from rowspace_lab.experiments.language_model.telemetry.recorder import Telemetry, sampled_ids, watched_ids

__all__ = ["TrainProgress", "Trainer", "make_model"]

BETA1 = 0.9
CLIP_EPS = 1e-6  # of torch.nn.utils.clip_grad_norm_
HELD_OUT_ON_THE_WAY = 4096  # ids
NUM_FARTHEST = 10  # rows, of tokens that occur, that a summary may name


@dataclasses.dataclass(frozen=True)
class TrainProgress:
    """The progress of a training.

    Attributes:
        step: Steps done.
        steps: All steps.
        tokens: Tokens read.
        seconds: The time spent, including earlier parts of a resumed run.
        loss: The mean loss of the last step, nats per token.
        lr: The learning rate of the last step.
        bits_per_byte: The last measurement on held-out text.
    """

    step: int
    steps: int
    tokens: int
    seconds: float
    loss: float
    lr: float
    bits_per_byte: float


def make_model(record: RunRecord, num_embeddings: int) -> LanguageModel:
    """Return a model with the initial values of a run's seed."""
    constraint = {"none": None, "max": MaxNorm(1.0), "unit": UnitNorm()}[record.training.constraint]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(record.training.seed)
        return LanguageModel(num_embeddings, record.training.context, record.model, constraint=constraint)


class Trainer:
    """Trains a model on a corpus.

    Args:
        corpora: The text.
        record: The options and the progress of the run, which is updated.
        weights: Weights of the model at the start; by default random.
    """

    def __init__(self, corpora: Corpora, record: RunRecord, *, weights: dict[str, Tensor] | None = None) -> None:
        self.corpora, self.record = corpora, record
        self.vocabulary = tokens_by_id(Tokenizer.from_str(corpora.tokenizer))
        options = record.training
        self.model = make_model(record, corpora.num_embeddings)
        if weights is not None:
            self.model.load_state_dict(weights)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(options.seed)
            prepare_rows(self.model, options.rows, options.lora_rank)
        self.model.to(record.device)
        self._parameters = {name: part for name, part in self.model.named_parameters() if part.requires_grad}
        self._optimizer = self._make_optimizer()
        if options.constraint != "none":
            constrain(self._optimizer, self.model)
        watched = watched_ids(self.vocabulary, options.watch or ())
        sampled = sampled_ids(corpora.counts, watched, options.sample)
        self.telemetry = Telemetry(self.model, self._optimizer, watched=watched, sampled=sampled)
        self._part = corpora.part_of_held_out(HELD_OUT_ON_THE_WAY)
        self.events: events.EventWriter | None = None
        self.loss = self.lr = math.nan
        held_out = record.facts.get("held_out")
        self.held_out = math.nan if held_out is None else float(held_out)

    @property
    def progress(self) -> TrainProgress:
        """The progress so far."""
        record, options = self.record, self.record.training
        return TrainProgress(
            step=record.step,
            steps=options.steps,
            tokens=record.step * options.batch_size * options.context,
            seconds=record.seconds,
            loss=self.loss,
            lr=self.lr,
            bits_per_byte=self.held_out,
        )

    def begin(self) -> None:
        """Measure and record the model before the first step."""
        self._measure()
        self._writer.arrays(events.SNAPSHOT, 0, self.telemetry.snapshot())

    def run(self, run: Path, *, should_stop: Callable[[TrainProgress], bool]) -> bool:
        """Learn the remaining steps, with checkpoints; return whether the last one was done.

        Args:
            run: The folder of the run.
            should_stop: Called after each step; once it returns true, a checkpoint is saved.

        Raises:
            TrainingDiverged: A loss or a gradient is not finite; the last checkpoint is kept.
            RowspaceError: A checkpoint cannot be saved.
        """
        options, last_save = self.record.training, time.monotonic()
        before, saved = last_save, self.record.step
        while self.record.step < options.steps:
            self._step(run, saved)
            now = time.monotonic()
            self.record.seconds, before = self.record.seconds + now - before, now
            stop, step = should_stop(self.progress), self.record.step
            by_step = options.save_steps is not None and step % options.save_steps == 0
            if (stop or by_step or now - last_save > options.save_seconds) and step < options.steps:
                self.save(run, run)
                last_save, saved = time.monotonic(), step
            if stop and step < options.steps:
                return False
        if "bits_per_byte" not in self.record.facts:
            self._finish(run, saved)
            self.save(run, run)
        return True

    def save(self, run: Path, source: Path) -> None:
        """Save a checkpoint; `source` has the files that stay.

        Raises:
            RowspaceError: The system refuses.
            TrainingDiverged: A weight is not finite.
        """
        weights = weights_of(self.model)
        for name, tensor in weights.items():
            if not bool(torch.isfinite(tensor).all()):
                raise self._diverged(f"the weight {name!r} is not finite after", run)
        self.record.events = self._writer.close()
        self.record.facts["held_out"] = self.held_out if math.isfinite(self.held_out) else None
        save_checkpoint(run, source, self.record, self._tensors(), self.table(), weights)
        self.events = events.EventWriter(run / events.NAME)

    def close(self) -> None:
        """Close the events, and stop watching the rows."""
        self.telemetry.close()
        if self.events is not None:
            self.events.close()

    def restore(self, tensors: dict[str, Tensor], start: dict[str, Tensor]) -> None:
        """Continue from what `save` has written."""
        parts: dict[str, dict[str, Tensor]] = {"model": {}, "optimizer": {}, "telemetry": {}}
        for name, tensor in tensors.items():
            kind, _, rest = name.partition(".")
            parts[kind][rest] = tensor
        self.model.load_state_dict(parts["model"])
        for name, tensor in parts["optimizer"].items():
            parameter, _, key = name.rpartition(".")
            place = "cpu" if key == "step" and self.record.device == "cpu" else self.record.device
            self._optimizer.state[self._parameters[parameter]][key] = tensor.to(place)
        for name, tensor in parts["telemetry"].items():
            self.telemetry.tensors[name].copy_(tensor)
        self.telemetry.start = {name: tensor.to(self.record.device) for name, tensor in start.items()}

    def table(self) -> Table:
        """Return the input rows with the settings of the run."""
        rows = self.model.input.tokens.weight.detach().float().cpu().numpy()
        return Table(
            self.vocabulary,
            rows.copy(),
            self.corpora.counts,
            tokenizer=self.corpora.tokenizer,
            settings=self._settings(),
        )

    def _settings(self) -> dict[str, object]:
        """The options and the measurements of the run; those that are mappings are in run.json only."""
        record = dataclasses.asdict(self.record)
        options = {name: value for part in ("tokens", "training", "model") for name, value in record.pop(part).items()}
        facts = {name: value for name, value in record.pop("facts").items() if not isinstance(value, dict)}
        return {"learned_by": "rowspace train", **options, **record, **facts}

    def distances(self) -> NDArray[np.float32]:
        """Return how far each input row is from its start: float32 (V,)."""
        moved = self.model.input.tokens.weight.detach() - self.telemetry.start["input"]
        distances: NDArray[np.float32] = torch.linalg.vector_norm(moved, dim=1).cpu().numpy()
        return distances

    @property
    def _writer(self) -> events.EventWriter:
        assert self.events is not None, "the events are opened before the first step"  # noqa: S101  # our own order
        return self.events

    def _step(self, run: Path, saved: int) -> None:
        """Learn from one batch."""
        options, step = self.record.training, self.record.step + 1
        batch = draw_batch(self.corpora.train, options, step, self.record.device)
        ids, targets = batch.ids, batch.targets
        self.lr = learning_rate(options, step)
        for group in self._optimizer.param_groups:
            group["lr"] = self.lr
        self._optimizer.zero_grad()
        with parametrize.cached():
            loss = self.model.loss(ids, targets)
            self.loss = float(loss.detach())
            if not math.isfinite(self.loss):
                raise self._diverged(f"the loss is {self.loss} at", run, saved, batch)
            loss.backward()
        touched = self.telemetry.after_backward(ids, targets)
        is_recorded = step % options.record_steps == 0 or step == options.steps
        recorded = self.telemetry.before_step(ids) if is_recorded else {}
        norm = float(torch.nn.utils.clip_grad_norm_(self._parameters.values(), options.clip or math.inf))
        if not math.isfinite(norm):
            raise self._diverged(f"the gradient is {norm} at", run, saved, batch)
        self.telemetry.after_clip(min(1.0, options.clip / (norm + CLIP_EPS)) if options.clip else 1.0)
        self._optimizer.step()
        self.record.step = step
        self._writer.step(step, self.loss, self.lr, norm, touched, ids.numel())
        if is_recorded:
            self._writer.arrays(events.ROWS, step, recorded | self.telemetry.after_step())
            self._writer.arrays(events.SNAPSHOT, step, self.telemetry.snapshot())
        if step % options.evaluate_steps == 0 or step == options.steps:
            self._measure()

    def _measure(self) -> None:
        """Measure a part of the held-out text."""
        self.held_out = bits_per_byte(self.model, self._part, self.record.training.context)
        self._writer.held_out(self.record.step, self.held_out)

    def _finish(self, run: Path, saved: int) -> None:
        """Measure all of the held-out text, at several lengths, and how far rows moved."""
        corpora, context = self.corpora, self.record.training.context
        by_length = bits_per_byte_by_length(self.model, corpora.part_of_held_out(len(corpora.held_out)), context)
        if not all(value is None or math.isfinite(value) for value in by_length.values()):
            raise self._diverged("the loss of the held-out text is not finite after", run, saved)
        distances = self.distances()
        farthest = np.argsort(np.where(corpora.counts > 0, -distances, 0.0), kind="stable")[:NUM_FARTHEST]
        self.record.facts |= {
            "bits_per_byte": by_length[context],
            "bits_per_byte_by_length": {str(length): value for length, value in by_length.items()},
            "unigram_bits_per_byte": corpora.unigram_bits_per_byte,
            "unknown_share": corpora.held_out_unknown / (len(corpora.held_out) - 1),
            "mean_distance": float(distances.mean()),
            "farthest": {self.vocabulary[number]: float(distances[number]) for number in farthest},
        }

    def _make_optimizer(self) -> torch.optim.AdamW:
        """AdamW with weight decay for rows and matrices only."""
        options, parameters = self.record.training, self._parameters.values()
        groups = [
            {"params": [part for part in parameters if part.ndim >= 2], "weight_decay": options.weight_decay},
            {"params": [part for part in parameters if part.ndim < 2], "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=options.lr, betas=(BETA1, options.beta2), fused=True)

    def _tensors(self) -> dict[str, Tensor]:
        """All that a resumed run needs, by name."""
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for name, parameter in self._parameters.items():
            for key, tensor in self._optimizer.state.get(parameter, {}).items():
                tensors[f"optimizer.{name}.{key}"] = tensor
        return tensors | {f"telemetry.{name}": tensor for name, tensor in self.telemetry.tensors.items()}

    def _diverged(self, what: str, run: Path, saved: int | None = None, batch: Batch | None = None) -> TrainingDiverged:
        """Return the error; `saved` is the step of the last checkpoint, if it is known."""
        kept = "the last checkpoint" if saved is None else f"the checkpoint of step {saved:,}"
        options, step = self.record.training, self.record.step + (batch is not None)
        return TrainingDiverged(
            f"{what} step {step:,} of {options.steps:,}{concerned(self.model, self.vocabulary, batch)}; {kept} is kept "
            f"in {str(run)!r}; train again with a lower lr than {options.lr:g}, or a longer warmup"
        )
