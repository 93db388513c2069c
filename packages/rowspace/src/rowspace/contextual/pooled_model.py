"""`PooledModel`: sequences of ids → one vector each, pooled from the last hidden states of a model of transformers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.contextual.encoder import longest_input
from rowspace.errors import FileFormatError, MissingExtraError
from rowspace.files.open_folder import resolve_inside
from rowspace.files.strict_json import read_object
from rowspace.files.tensors import map_tensor
from rowspace.files.transformers_folder import CONFIG, MODEL

try:
    import torch
except ImportError as error:
    raise MissingExtraError("an encoder of transformers needs PyTorch: pip install 'rowspace[torch]'") from error

__all__ = ["PooledModel", "later_modules"]


@dataclass(frozen=True, eq=False)
class PooledModel:
    """A model in memory.

    Attributes:
        model: A model of transformers, in evaluation mode.
        pooling: "mean", "first", "last" or "max".
    """

    model: Any
    pooling: str

    @property
    def dim(self) -> int:
        """The length of its vectors."""
        return int(self.model.config.hidden_size)

    @property
    def num_embeddings(self) -> int:
        """The number of ids of its vocabulary."""
        return int(self.model.get_input_embeddings().num_embeddings)

    @property
    def max_length(self) -> int | None:
        """The number of ids that it reads at once, if it is limited."""
        return longest_input(self.model)

    def vectors(self, sequences: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """Return the pooled last hidden states of n sequences of ids, none of them empty: (n, dim) float32."""
        lengths = torch.tensor([len(sequence) for sequence in sequences])
        pad = getattr(self.model.config, "pad_token_id", None) or 0
        ids = torch.full((len(sequences), int(lengths.max())), pad)
        for place, sequence in enumerate(sequences):
            ids[place, : len(sequence)] = torch.tensor(list(sequence))
        mask = torch.arange(ids.shape[1]) < lengths[:, None]  # (n, longest)
        with torch.inference_mode():
            states = self.model(input_ids=ids, attention_mask=mask.long()).last_hidden_state.float()
            pooled: NDArray[np.float32] = _POOL[self.pooling](states, mask).numpy()
        return pooled


def later_modules(modules: Sequence[tuple[str, Path]]) -> Callable[[NDArray[np.float32]], NDArray[np.float32]]:
    """Return the function of (n, d) vectors that modules after the pooling compute.

    Args:
        modules: The kind of each, "Dense" or "Normalize", and its folder.

    Raises:
        FileFormatError: A file is damaged, or has an activation or a connection that is not known.
    """
    steps = [_dense(folder) if kind == "Dense" else torch.nn.functional.normalize for kind, folder in modules]

    def apply(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        with torch.inference_mode():
            found = torch.from_numpy(vectors)
            for step in steps:
                found = step(found)
            changed: NDArray[np.float32] = found.numpy()
        return changed

    return apply


def _dense(folder: Path) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return a layer of sentence-transformers' Dense."""
    source = resolve_inside(folder, CONFIG)
    config = read_object(source)
    name = str(config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    activation = _ACTIVATIONS.get(name)
    if activation is None or config.get("use_residual"):
        raise FileFormatError(f"{source}: activation {name!r}, or a residual, is not known; use sentence-transformers")
    weights = resolve_inside(folder, MODEL)
    weight = torch.from_numpy(np.array(map_tensor(weights, "linear.weight"), np.float32))
    bias = np.array(map_tensor(weights, "linear.bias"), np.float32) if config.get("bias", True) else np.float32(0)
    nonlinear = activation()

    def layer(vectors: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = nonlinear(vectors @ weight.T + torch.as_tensor(bias))
        return found

    return layer


def _mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask.float()
    return torch.einsum("nl,nld->nd", weights, states) / weights.sum(1, keepdim=True)


def _first(states: torch.Tensor, _mask: torch.Tensor) -> torch.Tensor:
    return states[:, 0]


def _last(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return states[torch.arange(len(states)), mask.sum(1) - 1]


def _max(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return states.masked_fill(~mask[..., None], float("-inf")).amax(1)


_ACTIVATIONS: dict[str, Callable[[], torch.nn.Module]] = {
    f"{kind.__module__}.{kind.__name__}": kind
    for kind in (torch.nn.Identity, torch.nn.Tanh, torch.nn.ReLU, torch.nn.GELU, torch.nn.SiLU, torch.nn.Sigmoid)
}

# (n, length, d) states and (n, length) mask → (n, d)
_POOL: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "mean": _mean,
    "first": _first,
    "last": _last,
    "max": _max,
}
