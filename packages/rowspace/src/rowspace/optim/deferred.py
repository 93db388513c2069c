"""What deferred optimizers share: `DeferredOptimizer`."""

import abc
import contextlib
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from rowspace.errors import UsageError
from rowspace.layers._torch_private import call_plainly
from rowspace.layers.tables.distributed_lookup import is_distributed
from rowspace.optim.clip import clip_grad_norm_
from rowspace.optim.rows import reader
from rowspace.optim.rows.history import BOUND
from rowspace.optim.rows.parameter import defer, resume
from rowspace.optim.rows.processes import groups_of
from rowspace.optim.rows.reader import Handle, Parameters, RowHook
from rowspace.optim.rows.slot import RowSlot
from rowspace.optim.rows.table import RowTable, rows_of

__all__ = ["DeferredOptimizer", "DenseGradientWarning", "Parameters"]

LOW_PRECISION = (torch.bfloat16, torch.float16)


class DenseGradientWarning(UserWarning):
    """A table with sparse gradients got a dense one, so that a step reads and writes all of its rows."""


class DeferredOptimizer(Optimizer, abc.ABC):
    """An optimizer whose steps update only the rows of a sparse gradient; others are caught up when they are read.

    Args:
        params: A model, or parameters or groups of parameters.
        defaults: The default hyperparameters of a group.
        modules: The modules that read the tables, if `params` is not a model.
        max_norm: Largest norm of all gradients together, to which a step clips them; None does not clip.

    Raises:
        UsageError: If there is no module with a sparse gradient, or its rows cannot be deferred.
    """

    moments: tuple[str, ...]  # names in the state of tensors of the size of the parameter
    rows_type: type[RowTable]
    history_bound = BOUND

    def __init__(
        self,
        params: Parameters,
        defaults: dict[str, Any],
        modules: Iterable[nn.Module] | None,
        max_norm: float | None,
    ) -> None:
        if max_norm is not None and not max_norm > 0:
            raise UsageError(f"max_norm must be above 0, not {max_norm}; None turns clipping off")
        self.max_norm = max_norm
        self._slots: dict[Tensor, RowSlot] = {}
        self._handles: list[Handle] = []
        weakref.finalize(self, _release, self._slots, self._handles).atexit = False
        self._modules = reader.sparse_modules(params, modules)
        self._readers = list(params.modules()) if isinstance(params, nn.Module) else []
        super().__init__(params.parameters() if isinstance(params, nn.Module) else params, defaults)
        unknown = [module for module in self._modules if module.weight not in self._slots]
        if unknown and modules is not None:
            raise UsageError(f"the weight of {unknown[0]} is not among the parameters; pass it in params")

    @property
    def state(self) -> Any:
        """The state of each parameter, with all rows and moments up to date; it may be changed."""
        self.flush()
        self._is_state_open = True
        return self._state

    @state.setter
    def state(self, state: Any) -> None:
        self.flush()
        self._is_state_open, self.__dict__["state"] = True, state

    @property
    def _state(self) -> Any:
        """The state without bringing rows up to date; torch's `__setstate__` writes it there."""
        return self.__dict__["state"]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add a group of parameters.

        Args:
            param_group: As for torch's optimizers; `modules` are those that read new tables.

        Raises:
            UsageError: For an invalid hyperparameter.
        """
        self.check_group({**self.defaults, **param_group})
        self._modules += reader.checked_modules(param_group.pop("modules", ()))
        super().add_param_group(param_group)
        for parameter in self.param_groups[-1]["params"]:
            if any(module.weight is parameter for module in self._modules):
                reader.require_whole(parameter)
                readers = reader.readers_of(parameter, [*self._readers, *self._modules])
                reader.require_sparse_under_ddp(parameter, self._readers, readers)
                self._slots[parameter] = slot = defer(parameter)
                for module in readers:
                    self._handles += RowHook.attach(module, slot.number)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Take a step.

        Args:
            closure: Computes the loss again.

        Returns:
            The loss of the closure, or None.

        Raises:
            UsageError: For a sparse gradient of a parameter of which no module is known, or of rows that were read
                before they were up to date.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._renew_tables()
        self._prepare_gradients()
        for group in self.param_groups:
            dense = []
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                self._init_state(parameter, group)
                if parameter.grad.is_sparse:
                    self._sparse_step(parameter, parameter.grad, group)
                else:
                    dense.append(parameter)
            self._dense_steps([parameter for parameter in dense if not is_distributed(parameter)], group)
            self._dense_steps([parameter for parameter in dense if is_distributed(parameter)], group)
        return loss

    def _prepare_gradients(self) -> None:
        """Check the gradients, average those that `fully_shard` does not, and clip all of them."""
        parameters = [parameter for group in self.param_groups for parameter in group["params"]]
        groups = groups_of(parameters)
        for slot in self._slots.values():
            slot.require_seen()
            slot.average_gradient(groups)
        if self.max_norm is not None:
            clip_grad_norm_(parameters, self.max_norm)

    def flush(self) -> None:
        """Bring all rows of all tables up to date, so that `weight` may be read and written directly."""
        for slot in self._slots.values():
            slot.flush()

    @contextlib.contextmanager
    def undeferred(self, parameters: Iterable[nn.Parameter]) -> Iterator[None]:
        """A block in which tables are plain parameters, so that they and their state may get another number of rows.

        Args:
            parameters: Parameters, of which only the tables of this optimizer change.
        """
        slots = [self._slots[parameter] for parameter in parameters if parameter in self._slots]
        for slot in slots:
            slot.release()
        try:
            yield
        finally:
            for slot in slots:
                resume(slot)
                self._renew(slot)

    def _renew_tables(self) -> None:
        """Make tables again whose state may have been changed by others, as by `optimizer.state.clear()`."""
        if self._is_state_open:
            self._is_state_open = False
            for slot in self._slots.values():
                if slot.table is not None and slot.table.fits():
                    self._renew(slot)

    def _renew(self, slot: RowSlot) -> None:
        """Make a table, all rows of which are up to date, again from its state."""
        before, state = slot.table, self._state[slot.parameter]
        slot.table = self._new_table(slot.parameter, int(state["step"])) if before and state else None
        if before and slot.table:
            slot.table.is_dense = before.is_dense
            slot.table.moment_steps.fill_(slot.table.now)  # also if the step was set to 0
            slot.table.note_access()

    @torch.no_grad()
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state of this optimizer or of torch's.

        Args:
            state_dict: What `state_dict()` returned.

        Raises:
            UsageError: For an invalid hyperparameter, such as coupled weight decay with `DeferredAdamW`.
        """
        for group in state_dict["param_groups"]:
            self.check_group({**self.defaults, **group})
        self.flush()
        super().load_state_dict(state_dict)
        saved = [number for group in state_dict["param_groups"] for number in group["params"]]
        own = [parameter for group in self.param_groups for parameter in group["params"]]
        for number, parameter in zip(saved, own, strict=True):
            slot, is_loaded = self._slots.get(parameter), number in state_dict["state"] and parameter in self._state
            if is_loaded:
                self._state[parameter].setdefault("step", torch.ones(()))  # torch's SGD does not count
            if slot is None:
                continue
            slot.table = None
            if is_loaded:
                self._restore(parameter, state_dict["state"][number])
                slot.table = self._new_table(slot.parameter, int(self._state[parameter]["step"]))

    def __reduce__(self) -> str | tuple[Any, ...]:
        raise UsageError("a deferred optimizer cannot be copied or pickled; save its state_dict()")

    def _restore(self, parameter: Tensor, saved: dict[str, Any]) -> None:
        """Load moments in float32 where torch rounds them to the dtype of the parameter."""
        if parameter.dtype not in LOW_PRECISION:
            return
        state = self._state[parameter]
        for name in self.moments:
            if saved.get(name) is not None:
                state[name] = saved[name].to(parameter.device, torch.float32, copy=True)
        state["master"] = saved.get("master", rows_of(parameter)).to(parameter.device, torch.float32, copy=True)

    def _sparse_step(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        slot, state = self._slots.get(parameter), self._state[parameter]
        if slot is None:
            raise UsageError(
                f"a parameter of shape {list(parameter.shape)} has a sparse gradient, but no module that reads it is "
                "known; pass the model, or modules=[...]"
            )
        if slot.table is None:
            slot.table = self._new_table(slot.parameter, int(state["step"]))
        if slot.table.is_dense:
            slot.table.restart(int(state["step"]))
        slot.table.step(gradient, group)
        state["step"] += 1
        if slot.was_opened:
            slot.was_opened, slot.is_shared = False, self._is_shared(parameter)
        if slot.is_shared or slot.is_traced:
            slot.open()

    def _is_shared(self, parameter: Tensor) -> bool:
        """Whether another parameter or buffer of the model has memory of a table, as after `a.data = b.data`."""
        rows = rows_of(parameter)
        begin, end = rows.data_ptr(), rows.data_ptr() + rows.nbytes
        groups = [group["params"] for group in self.param_groups]
        modules = self._readers[0].modules() if self._readers else ()
        tensors = [each.values() for module in modules for each in (module._parameters, module._buffers)]
        others = [other for some in (*groups, *tensors) for other in some if isinstance(other, Tensor)]
        return any(
            begin <= call_plainly(Tensor.data_ptr, (other,)) < end
            for other in others
            if other is not parameter and not is_distributed(other)
        )

    def _dense_steps(self, parameters: list[Tensor], group: dict[str, Any]) -> None:
        if not parameters:
            return
        for parameter in parameters:
            slot = self._slots.get(parameter)
            if slot is not None:
                self._become_dense(slot).take_written_rows(last=True)
        copies = [self._state[parameter].get("master", parameter) for parameter in parameters]
        gradients = [_gradient(parameter).to(copy.dtype) for parameter, copy in zip(parameters, copies, strict=True)]
        self.dense_steps(copies, gradients, [self._state[parameter] for parameter in parameters], group)
        for parameter, copy in zip(parameters, copies, strict=True):
            if copy is not parameter:
                rows_of(parameter).copy_(copy)

    def _become_dense(self, slot: RowSlot) -> RowTable:
        if slot.table is not None and not slot.table.is_dense:
            slot.flush()
        elif slot.table is None:
            slot.table = self._new_table(slot.parameter, int(self._state[slot.parameter]["step"]))
        if not slot.table.is_dense:
            warnings.warn(
                f"the table of shape {list(slot.parameter.shape)} got a dense gradient, as from a tied head: each step "
                "updates all of its rows",
                DenseGradientWarning,
                stacklevel=5,
            )
            slot.table.is_dense = True
        return slot.table

    def _init_state(self, parameter: Tensor, group: dict[str, Any]) -> None:
        """Create the state of a parameter before its first step."""
        state = self._state[parameter]
        if state:
            return
        copy = rows_of(parameter)
        if parameter in self._slots and parameter.dtype in LOW_PRECISION:
            state["master"] = copy = copy.float()
        self.init_state(copy, state, group)

    @abc.abstractmethod
    def check_group(self, group: dict[str, Any]) -> None:
        """Raise `UsageError` for an invalid hyperparameter."""

    @abc.abstractmethod
    def init_state(self, values: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        """Write `step` and the moments of a parameter with these values to its state."""

    def _new_table(self, parameter: nn.Parameter, now: int) -> RowTable:
        """The table of a parameter at the step `now`."""
        state = self._state[parameter]
        for name in (*self.moments, "master"):
            moment = state.get(name)
            if moment is not None and moment.shape != parameter.shape[: moment.dim()]:
                raise UsageError(
                    f"the state {name!r} of shape {list(moment.shape)} does not belong to the table of shape "
                    f"{list(parameter.shape)}; load one of a model with the same number of rows"
                )
        return self.rows_type(parameter, state, now=now, bound=self.history_bound)

    @abc.abstractmethod
    def dense_steps(
        self, values: list[Tensor], gradients: list[Tensor], states: list[dict[str, Any]], group: dict[str, Any]
    ) -> None:
        """A step of torch's optimizer."""


def _gradient(parameter: Tensor) -> Tensor:
    return torch.zeros_like(parameter) if parameter.grad is None else parameter.grad


def _release(slots: dict[Tensor, RowSlot], handles: list[Handle]) -> None:
    """Bring all rows up to date and remove the hooks, once the optimizer is gone."""
    for slot in slots.values():
        slot.release()
    for handle in handles:
        handle.remove()
