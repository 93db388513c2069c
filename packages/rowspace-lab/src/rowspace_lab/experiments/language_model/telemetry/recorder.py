"""What a training does to the rows: counts, distances, gradients of both sides, moments and steps, as arrays.

A row of a tied table gets two gradients: from the input, where its token is read, and from the head, where it competes
in the softmax of every position. The first is measured at the output of the lookup, the second is what is left.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rowspace.errors import UsageError
from rowspace.layers.tables.lookup import row_sums
from rowspace_lab.experiments.language_model.model.model import LanguageModel
from rowspace_lab.experiments.language_model.telemetry.two_sides import TwoSides

__all__ = ["Telemetry", "sampled_ids", "watched_ids"]

Arrays = dict[str, NDArray[Any]]


class Telemetry:
    """Watches the rows of a model while it learns.

    Args:
        model: The model, on its device.
        optimizer: The AdamW that changes it.
        watched: Ids whose gradients are summed, (w,).
        sampled: Ids of a snapshot, (n,), the watched ones first.
        start: The rows at the start by name, where a run is continued; by default those of the model now.
    """

    def __init__(
        self,
        model: LanguageModel,
        optimizer: torch.optim.Optimizer,
        *,
        watched: NDArray[np.int64],
        sampled: NDArray[np.int64],
        start: Mapping[str, Tensor] | None = None,
    ) -> None:
        self._model, self._optimizer = model, optimizer
        device = model.head.weight.device
        self._watched = torch.from_numpy(watched).to(device)
        self._sampled = torch.from_numpy(sampled).to(device)
        size, dim = model.head.weight.shape
        if start is None:
            start = {name: rows.detach().clone() for name, rows in self._tables().items()}
        self.start = {name: rows.to(device) for name, rows in start.items()}
        self._place = torch.full((size,), -1, device=device)
        self._place[self._watched] = torch.arange(len(watched), device=device)
        self.tensors = {
            "input_updates": torch.zeros(size, dtype=torch.int64, device=device),
            "head_targets": torch.zeros(size, dtype=torch.int64, device=device),
        }
        self._sides = TwoSides(self._watched, dim)
        self.tensors |= self._sides.tensors
        self._before = dict[str, Tensor]()
        self._output: Tensor | None = None
        self._hook = model.input.tokens.register_forward_hook(self._keep_output)

    def close(self) -> None:
        """Stop watching."""
        self._hook.remove()

    def after_backward(self, ids: Tensor, targets: Tensor) -> int:
        """Count a step and sum the gradients of watched rows; return how many rows the input has touched."""
        touched, predicted = torch.unique(ids), torch.unique(targets)
        self.tensors["input_updates"][touched] += 1
        self.tensors["head_targets"][predicted] += 1
        if len(self._watched):
            self._sides.add(self._watched_gradients(ids))
        return len(touched)

    def after_clip(self, factor: float) -> None:
        """Follow the moments of watched rows; `factor` is what clipping has multiplied all gradients by."""
        self._sides.clipped(factor, self._optimizer.param_groups[0]["betas"][0])

    def before_step(self, ids: Tensor) -> Arrays:
        """Return the norms of the gradients of all rows, and keep the rows to measure the step."""
        self._before = {name: rows.detach().clone() for name, rows in self._tables().items()}
        from_input, from_head = self._gradients(ids)
        norms = {"input_gradient": from_input, "head_gradient": from_head}
        return {name: _norms(rows) for name, rows in norms.items() if rows is not None}

    def after_step(self) -> Arrays:
        """Return counts, distances, moments, steps and norms of all rows, of an untied head's rows too."""
        arrays = {name: self.tensors[name].cpu().numpy().astype("<u4") for name in ("input_updates", "head_targets")}
        for name, rows in self._tables().items():
            prefix = "head_" if name == "head" else ""
            now = rows.detach()
            arrays[f"{prefix}distance"] = _norms(now - self.start[name])
            arrays[f"{prefix}step"] = _norms(now - self._before[name])
            arrays[f"{prefix}norm"] = _norms(now)
            state = self._optimizer.state.get(rows, {})
            if "exp_avg_sq" in state:
                arrays[f"{prefix}first_moment"] = _norms(state["exp_avg"])
                arrays[f"{prefix}second_moment"] = state["exp_avg_sq"].mean(dim=1).cpu().numpy().astype("<f4")
        return arrays

    def snapshot(self) -> Arrays:
        """Return the sampled ids with their rows, and the gradients, moments and steps of the watched ones by side."""
        arrays = {"ids": self._sampled.cpu().numpy().astype("<i4")}
        for name, rows in self._tables().items():
            with np.errstate(over="ignore"):  # beyond 65,504 they are infinite
                half = rows.detach()[self._sampled].cpu().numpy().astype("<f2")
            arrays["head_rows" if name == "head" else "rows"] = half
        for name, tensor in self._sides.tensors.items():
            arrays[name] = tensor.cpu().numpy().astype("<f4")
        tables = self._tables()
        states = {side: self._optimizer.state.get(tables.get(side, tables["input"]), {}) for side in ("input", "head")}
        return arrays | self._sides.steps(states, self._optimizer.param_groups[0])

    def _tables(self) -> dict[str, Tensor]:
        """The rows of the input, and those of an untied head."""
        tables: dict[str, Tensor] = {"input": self._model.input.tokens.weight}
        return tables if self._model.options.tied else tables | {"head": self._model.head.weight}

    def _keep_output(self, _module: object, _inputs: object, output: Tensor) -> None:
        """Keep the rows that the lookup returned, with their gradient."""
        self._output = None
        if output.requires_grad:
            output.retain_grad()
            self._output = output

    def _gradients(self, ids: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """The gradients of all rows from the input and from the head (V, d); None for rows that do not learn."""
        size = self._model.head.weight.shape[0]
        from_input = None
        if self._output is not None and self._output.grad is not None:
            from_input = row_sums(ids, self._scaled(self._output.grad), size)
        whole = self._model.head.weight.grad if self._model.head.weight.is_leaf else None
        if whole is None or not self._model.options.tied:
            return from_input, whole
        return from_input, whole if from_input is None else whole - from_input

    def _watched_gradients(self, ids: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """The gradients of watched rows from the input and from the head (w, d); None for rows that do not learn."""
        place = self._place[ids]
        chosen = place >= 0
        if self._output is None or self._output.grad is None:
            return None, None
        from_input = row_sums(place[chosen], self._scaled(self._output.grad)[chosen], len(self._watched))
        weight = self._model.head.weight
        if not weight.is_leaf or weight.grad is None:
            return from_input, None
        own = weight.grad[self._watched]
        return from_input, own - from_input if self._model.options.tied else own

    def _scaled(self, grad: Tensor) -> Tensor:
        """The gradient of rows from that of scaled rows."""
        return grad * grad.shape[-1] ** 0.5 if self._model.options.scaled else grad


def watched_ids(vocabulary: Sequence[str], tokens: Iterable[str]) -> NDArray[np.int64]:
    """Return the ids of the tokens to watch; raises `UsageError` for one that is not in the vocabulary."""
    ids = {token: number for number, token in enumerate(vocabulary)}
    distinct = list(dict.fromkeys(tokens))
    for token in distinct:
        if token not in ids:
            raise UsageError(
                f"watch has {token!r}, which is not a token of the vocabulary; rowspace split shows a text's tokens"
            )
    return np.array([ids[token] for token in distinct], np.int64)


def sampled_ids(counts: NDArray[np.int64], watched: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Return the watched ids, and at most `limit` others at even distances in the order of falling counts."""
    order = np.argsort(-counts, kind="stable")
    order = order[~np.isin(order, watched)]
    places = np.linspace(0, len(order) - 1, min(limit, len(order))).astype(np.int64)
    return np.concatenate([watched, order[places]])


def _norms(rows: Tensor) -> NDArray[Any]:
    """The norms of rows (V, d), as float32 (V,)."""
    norms: NDArray[Any] = torch.linalg.vector_norm(rows, dim=1).cpu().numpy().astype("<f4")
    return norms
