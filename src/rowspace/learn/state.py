"""Where a fit stands, and how that is kept on disk so that a stopped fit goes on to the same rows.

One file, `state.safetensors`: the rows as tensors, all else as JSON in its header. It is replaced whole, so a
process killed at any moment leaves an older state or this one. Left out: the ids beside it (`rowspace.text.IdCorpus`).
"""

import dataclasses
import json
from pathlib import Path
from typing import Any, cast

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from rowspace.atomic import atomic_file
from rowspace.errors import FileFormatError, UsageError
from rowspace.learn.allocation import empty_weights, list_used, make_weights
from rowspace.learn.arrays import Weights
from rowspace.learn.options import FitOptions
from rowspace.text import IdCorpus

__all__ = ["STATE_NAME", "FitState"]

STATE_NAME = "state.safetensors"
TENSORS = ("inputs", "outputs")


@dataclasses.dataclass
class FitState:
    """A fit between two stretches of text.

    `epoch` and `stretch` count finished ones, `stretch` within the epoch; `pairs` and `loss` are this epoch's sums,
    `losses` the mean loss of each finished epoch; `seconds` is the time spent learning. `text` says how the corpus was
    encoded.
    """

    weights: Weights
    options: FitOptions
    text: dict[str, Any]
    epoch: int = 0
    stretch: int = 0
    pairs: float = 0.0
    loss: float = 0.0
    losses: list[float] = dataclasses.field(default_factory=list)
    seconds: float = 0.0

    @classmethod
    def start(cls, corpus: IdCorpus, options: FitOptions, text: dict[str, Any]) -> "FitState":
        """The state of a fit that has not begun."""
        ngrams = list_used(corpus.vocabulary, corpus.counts, options)
        return cls(make_weights(len(corpus.vocabulary), options, ngrams), options, text)

    def end_epoch(self) -> None:
        """Count the epoch as finished and start its sums anew."""
        self.losses.append(self.loss / max(1.0, self.pairs))
        self.epoch, self.stretch, self.pairs, self.loss = self.epoch + 1, 0, 0.0, 0.0

    def release(self, name: str) -> None:
        """Give back the memory of "inputs" or "outputs", when nothing is left to learn or save."""
        self.weights = self.weights._replace(**{name: getattr(self.weights, name)[:0].copy()})

    def save(self, directory: Path) -> None:
        """Write the state into `directory`, whole or not at all."""
        place = {
            field.name: getattr(self, field.name)
            for field in dataclasses.fields(self)
            if field.name not in ("weights", "options")
        }
        header = {"place": json.dumps(place), "options": json.dumps(dataclasses.asdict(self.options))}
        tensors = {name: getattr(self.weights, name)[: self.weights.size] for name in TENSORS}
        tensors["ngrams"] = self.weights.ngrams.rows
        with atomic_file(directory / STATE_NAME) as file:
            file.write(save(tensors, header))

    @classmethod
    def load(cls, directory: Path, corpus: IdCorpus, **changes: Any) -> "FitState":
        """Read the state in `directory`; `changes` are options that are to be different from now on.

        Raises UsageError where there is none, and FileFormatError where it is damaged or of another vocabulary.
        """
        path = directory / STATE_NAME
        if not path.exists():
            raise UsageError(f"there is nothing to resume in {str(directory)!r}; start a fit without resume")
        try:
            return cls._read(path, corpus, changes)
        except (SafetensorError, ValueError, KeyError, TypeError) as error:
            raise FileFormatError(f"{str(path)!r} is damaged ({error}); start a fit without resume") from error

    @classmethod
    def _read(cls, path: Path, corpus: IdCorpus, changes: dict[str, Any]) -> "FitState":
        with safe_open(path, framework="numpy") as file:
            header = cast("dict[str, str]", file.metadata())
            options = FitOptions(**json.loads(header["options"]) | changes)
            place: dict[str, Any] = json.loads(header["place"])
            ngrams = list_used(corpus.vocabulary, corpus.counts, options)
            weights = empty_weights(len(corpus.vocabulary), options, ngrams)
            for name in TENSORS:
                np.copyto(getattr(weights, name)[: weights.size], file.get_tensor(name))
            np.copyto(weights.ngrams.rows, file.get_tensor("ngrams"))
        return cls(weights, options, **place)
