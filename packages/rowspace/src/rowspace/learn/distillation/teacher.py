"""The model that is distilled: its folder, its pooling, and the vector that it gives to a sequence of ids.

Only safetensors weights are opened, and no code of the folder runs.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, MissingExtraError, UsageError
from rowspace.files.hub import local_path

try:
    import torch
except ImportError as error:
    raise MissingExtraError("distilling a model needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.contextual.encoder import load_encoder
from rowspace.files.foreign import hub_hint
from rowspace.files.open_folder import open_regular, resolve_inside
from rowspace.files.strict_json import read_object
from rowspace.files.transformers_folder import CONFIG, TOKENIZER

__all__ = ["POOLINGS", "Teacher", "open_teacher", "read_pipeline"]

MODULES = "modules.json"
# Names of sentence-transformers' Pooling: those of its flags before version 5.5, and those of `pooling_mode` since.
POOLINGS = {
    "pooling_mode_mean_tokens": "mean",
    "mean": "mean",
    "pooling_mode_cls_token": "first",
    "cls": "first",
    "pooling_mode_lasttoken": "last",
    "lasttoken": "last",
    "pooling_mode_max_tokens": "max",
    "max": "max",
}
"""Our name of each pooling that can be distilled."""


@dataclass(frozen=True, eq=False)
class Teacher:
    """A model in memory.

    Attributes:
        model: A model of transformers, in evaluation mode.
        tokenizer: The text of its tokenizer.json.
        pooling: "mean", "first", "last" or "max".
        normalizes: Whether its texts' vectors are normalized.
        name: The name of its folder.
    """

    model: Any
    tokenizer: str
    pooling: str
    normalizes: bool
    name: str

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
        longest = getattr(self.model.config, "max_position_embeddings", None)
        return longest if isinstance(longest, int) and longest > 0 else None

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


def open_teacher(path: str | os.PathLike[str], *, pooling: str | None = None) -> Teacher:
    """Open a model folder of sentence-transformers or transformers.

    Args:
        path: The folder, with config.json, safetensors weights and tokenizer.json.
        pooling: Use this pooling, and ignore what the folder says about pooling and later modules.

    Raises:
        UsageError: There is no such folder, or it has no model.
        FileFormatError: A file is damaged, or the model has modules that cannot be distilled.
        MissingExtraError: transformers is not installed.
    """
    folder = Path(local_path(path))
    if not folder.is_dir():
        raise UsageError(
            f"model must be the folder of a model, but there is no folder {str(path)!r}; check the path"
            f"{hub_hint(str(path))}"
        )
    home, own_pooling, normalizes = read_pipeline(folder, pooling)
    if not (home / CONFIG).exists():
        raise UsageError(f"{str(path)!r} has no {CONFIG}, so it is not a model of transformers; check the path")
    source = resolve_inside(home, TOKENIZER)
    if not source.exists():
        raise FileFormatError(
            f"{source}: missing; write it with transformers: "
            "AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)"
        )
    with open_regular(source) as file:
        data = file.read()
    try:
        tokenizer = data.decode()
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{source}: byte {error.start}: not valid UTF-8; restore the file") from None
    model = load_encoder(home).model
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    return Teacher(model, tokenizer, own_pooling, normalizes, folder.resolve().name)


def read_pipeline(folder: Path, pooling: str | None = None) -> tuple[Path, str, bool]:
    """Return the folder of the transformer, the pooling, and whether vectors are normalized, from modules.json.

    A folder without modules.json is that of a transformer, with the mean as its pooling. Raises `FileFormatError` as
    `open_teacher` does.
    """
    source = resolve_inside(folder, MODULES)
    if not source.exists():
        return folder, pooling or "mean", False
    modules = _modules(source)
    kinds = [kind for kind, _ in modules]
    if kinds[:1] != ["Transformer"]:
        raise FileFormatError(f"{source}: the first module is not a Transformer; name the folder of an encoder")
    home = _inside(folder, modules[0][1])
    if pooling is None:
        others = [kind for kind in kinds[1:] if kind not in ("Pooling", "Normalize", "Dropout")]
        if others:
            raise FileFormatError(
                f"{source}: the modules {join_names(others)} cannot be distilled; give a pooling, such as mean, to "
                "distill the transformer without them"
            )
        paths = [path for kind, path in modules if kind == "Pooling"]
        pooling = _pooling_of(resolve_inside(_inside(folder, paths[0]), CONFIG)) if paths else "mean"
    return home, pooling, "Normalize" in kinds


def _modules(source: Path) -> list[tuple[str, str]]:
    """Return the kind and the path of each module."""
    with open_regular(source) as file:
        data = file.read(1 << 20)
    try:
        return [(str(module["type"]).rpartition(".")[2], str(module["path"])) for module in json.loads(data)]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise FileFormatError(f"{source}: is not a list of modules with a type and a path; restore the file") from None


def _inside(folder: Path, name: str) -> Path:
    """Return a subfolder, or the folder itself."""
    return folder if name in ("", ".") else resolve_inside(folder, name)


def _pooling_of(source: Path) -> str:
    """Return our name of the pooling in the config.json of a Pooling module."""
    config = read_object(source)
    found = config.get("pooling_mode") or [
        name for name, value in config.items() if name.startswith("pooling_mode_") and value is True
    ]
    names = [found] if isinstance(found, str) else list(found)
    if len(names) != 1 or names[0] not in POOLINGS:
        raise FileFormatError(
            f"{source}: pooling {join_names(names) if names else 'of no kind'} cannot be distilled; give a pooling: "
            "mean, first, last or max"
        )
    return POOLINGS[names[0]]


def _mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask.float()
    return torch.einsum("nl,nld->nd", weights, states) / weights.sum(1, keepdim=True)


def _first(states: torch.Tensor, _mask: torch.Tensor) -> torch.Tensor:
    return states[:, 0]


def _last(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return states[torch.arange(len(states)), mask.sum(1) - 1]


def _max(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    return states.masked_fill(~mask[..., None], float("-inf")).amax(1)


# (n, length, d) states and (n, length) mask → (n, d)
_POOL: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "mean": _mean,
    "first": _first,
    "last": _last,
    "max": _max,
}
