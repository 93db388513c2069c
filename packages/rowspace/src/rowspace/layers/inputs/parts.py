"""`NamedParts`: the base class of `InputEmbedding` and `Concatenation`, which calls each part with its arguments."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.base_modules import CountedModule
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.positions.sinusoid import SinusoidPosition
from rowspace.layers.tables.gather import require_tensor
from rowspace.layers.tables.token_embedding import SegmentEmbedding
from rowspace.layers.tables.wrapped import bare

IdStreams = Tensor | Mapping[str, Tensor]  # one tensor of ids for all parts, or one per part by name


class InputArguments(NamedTuple):
    """The arguments of a text model's input: see `InputEmbedding.forward`."""

    ids: Tensor
    segments: Tensor | None = None
    mask: Tensor | None = None
    positions: Tensor | None = None
    start: int = 0

    def apply(self, part: nn.Module, dtype: torch.dtype) -> Tensor:
        """Call `part`: (batch, seq, d), or a shape that broadcasts to it; in `dtype` if the part has no dtype."""
        rows: Tensor
        kind = bare(part)  # PEFT's wrappers pass the arguments on
        if isinstance(kind, SegmentEmbedding):
            # A wrapper may need segments for a lookup of its own.
            rows = part(torch.zeros_like(self.ids) if self.segments is None and kind is not part else self.segments)
        elif isinstance(kind, LearnedPosition):
            rows = part(self.ids, mask=self.mask, positions=self.positions, start=self.start)
        elif isinstance(kind, SinusoidPosition):
            rows = part(self.ids, positions=self.positions, start=self.start, dtype=dtype)
        else:
            rows = part(self.ids)
        return rows


WITHOUT_IDS = (SegmentEmbedding, LearnedPosition, SinusoidPosition)  # do not need separate ids


class NamedParts(CountedModule):
    """Modules with names from the caller, each called with the arguments of its class, in order."""

    # The names of the recipes. The type is Any, so that calls need no cast.
    tokens: Any
    segments: Any
    positions: Any

    def __init__(self, parts: Mapping[str, nn.Module]) -> None:
        super().__init__()
        if not parts:
            raise UsageError("pass at least one part, such as tokens=TokenEmbedding(30522, 768)")
        for name, part in parts.items():
            self.add_named(name, part)
        self._part_names = tuple(parts)

    def parts(self) -> list[nn.Module]:
        """Return the parts in the order of the arguments."""
        return [self.get_submodule(name) for name in self._part_names]

    def contributions(
        self,
        ids: IdStreams,
        segments: Tensor | None = None,
        *,
        mask: Tensor | None = None,
        positions: Tensor | None = None,
        start: int = 0,
    ) -> dict[str, Tensor]:
        """Compute the rows of each part, which `forward` sums or concatenates.

        Args:
            ids: (batch, seq), or a mapping from names of parts to their ids, in which positions and segments may be
                missing.
            segments: As in `forward`.
            mask: As in `forward`.
            positions: As in `forward`.
            start: As in `forward`.

        Returns:
            (batch, seq, d) by name, with the dimension d of each part; rows that are constant along an axis are views.

        Raises:
            UsageError: For segments that no part uses, or ids that do not match the parts, and errors of the parts.
        """
        self.check_segments(segments)
        streams = self._streams(ids)
        rows: dict[str, Tensor] = {}
        dtype = torch.float32
        for name, part in zip(self._part_names, self.parts(), strict=True):
            arguments = InputArguments(streams[name], segments, mask, positions, start)
            # A part may return one row for all positions, or (seq, d) for all texts.
            rows[name] = arguments.apply(part, dtype).expand(*arguments.ids.shape, -1)
            dtype = rows[name].dtype
        return rows

    def _streams(self, ids: IdStreams) -> dict[str, Tensor]:
        """The ids of each part by name."""
        if not isinstance(ids, Mapping):
            require_tensor(ids, "ids")
            return dict.fromkeys(self._part_names, ids)
        for name, stream in ids.items():
            require_tensor(stream, f"ids[{name!r}]")
        if set(ids) - set(self._part_names) or not ids:
            raise UsageError(
                f"ids have the names {list(ids)}, but the parts are {list(self._part_names)}; use their names"
            )
        if len(shapes := {tuple(stream.shape) for stream in ids.values()}) > 1:
            raise UsageError(f"ids must have one shape for all parts, not {sorted(shapes)}")
        first = next(iter(ids.values()))
        streams = {}
        for name, part in zip(self._part_names, self.parts(), strict=True):
            if name not in ids and not isinstance(bare(part), WITHOUT_IDS):
                raise UsageError(f"ids of {name!r} are missing; pass ids for each part, as in {{{name!r}: ids, ...}}")
            streams[name] = ids.get(name, first)
        return streams

    def add_named(self, name: str, module: nn.Module) -> None:
        """Store a module as an attribute.

        Args:
            name: Name of the attribute, not in use.
            module: The module.

        Raises:
            UsageError: If the name is in use or `module` is not a module.
        """
        if not isinstance(module, nn.Module):
            raise UsageError(f"{name} must be a module, not {module!r}, such as tokens=TokenEmbedding(30522, 768)")
        if hasattr(self, name):
            raise UsageError(f"{name} is already an attribute of {type(self).__name__}; use another name for this part")
        self.add_module(name, module)

    def check_segments(self, segments: Tensor | None) -> None:
        """Raise `UsageError` for segments that no part uses."""
        if segments is not None and not any(isinstance(bare(part), SegmentEmbedding) for part in self.parts()):
            raise UsageError("segments need a SegmentEmbedding among the parts; omit them")
