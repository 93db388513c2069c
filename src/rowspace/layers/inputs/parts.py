"""Named parts of an input, each called with the arguments that its class needs.

The base of `InputEmbedding` and `Concatenation`.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from rowspace.errors import UsageError
from rowspace.layers.counted_module import CountedModule
from rowspace.layers.positions.learned import LearnedPosition
from rowspace.layers.positions.sinusoid import SinusoidPosition
from rowspace.layers.tables.gather import require_tensor
from rowspace.layers.tables.segment import SegmentEmbedding

IdStreams = Tensor | Mapping[str, Tensor]  # one tensor of ids for all parts, or one for each by its name


class InputArguments(NamedTuple):
    """The arguments of a text model's input: see `InputEmbedding.forward`."""

    ids: Tensor
    segments: Tensor | None = None
    mask: Tensor | None = None
    positions: Tensor | None = None
    start: int = 0

    def apply(self, part: nn.Module, dtype: torch.dtype) -> Tensor:
        """Call `part`: `(batch, seq, d)`, or a shape that broadcasts to it; in `dtype` if the part has none."""
        rows: Tensor
        if isinstance(part, SegmentEmbedding):
            rows = part(self.segments)
        elif isinstance(part, LearnedPosition):
            rows = part(self.ids, mask=self.mask, positions=self.positions, start=self.start)
        elif isinstance(part, SinusoidPosition):
            rows = part(self.ids, positions=self.positions, start=self.start, dtype=dtype)
        else:
            rows = part(self.ids)
        return rows


WITHOUT_IDS = (SegmentEmbedding, LearnedPosition, SinusoidPosition)  # what they read of ids is the shape, or nothing


class NamedParts(CountedModule):
    """Modules under names that the caller chooses, each called with the arguments of its class, in order."""

    # What the recipes call their parts. Any module stands here, so that `embed.rotary(q, k)` needs no cast.
    tokens: Any
    segments: Any
    positions: Any

    def __init__(self, parts: Mapping[str, nn.Module]) -> None:
        super().__init__()
        if not parts:
            raise UsageError("parts must be one module at least, as in tokens=TokenEmbedding(30522, 768); none came")
        for name, part in parts.items():
            self.add_named(name, part)
        self._part_names = tuple(parts)

    def parts(self) -> list[nn.Module]:
        """The parts, in the order in which they were given."""
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
        """What each part gives for ids (batch, seq), by its name: each (batch, seq, its width).

        `forward`, which takes the same arguments, sums or joins them. What is constant along an axis is a view. With a
        mapping each part gets the ids under its own name, and positions and segments may do without.
        """
        self.check_segments(segments)
        streams = self._streams(ids)
        rows: dict[str, Tensor] = {}
        dtype = torch.float32
        for name, part in zip(self._part_names, self.parts(), strict=True):
            arguments = InputArguments(streams[name], segments, mask, positions, start)
            # A part may give one row for all places, or (seq, d) for all texts.
            rows[name] = arguments.apply(part, dtype).expand(*arguments.ids.shape, -1)
            dtype = rows[name].dtype
        return rows

    def _streams(self, ids: IdStreams) -> dict[str, Tensor]:
        """The ids of each part, by its name."""
        if not isinstance(ids, Mapping):
            require_tensor(ids, "ids")
            return dict.fromkeys(self._part_names, ids)
        for name, stream in ids.items():
            require_tensor(stream, f"ids[{name!r}]")
        if set(ids) - set(self._part_names) or not ids:
            raise UsageError(
                f"ids are given for {list(ids)}, but the parts are {list(self._part_names)}; use their names"
            )
        if len(shapes := {tuple(stream.shape) for stream in ids.values()}) > 1:
            raise UsageError(f"ids must have one shape for all parts, not {sorted(shapes)}")
        first = next(iter(ids.values()))
        streams = {}
        for name, part in zip(self._part_names, self.parts(), strict=True):
            if name not in ids and not isinstance(part, WITHOUT_IDS):
                raise UsageError(f"ids lack those of {name!r}; give each part its own, as in {{{name!r}: ids, ...}}")
            streams[name] = ids.get(name, first)
        return streams

    def add_named(self, name: str, module: nn.Module) -> None:
        """Keep a module as the attribute `name`."""
        if hasattr(self, name) or not isinstance(module, nn.Module):
            raise UsageError(
                f"{name} is {module!r}, but must be a module under a name that is free; choose another one"
            )
        self.add_module(name, module)

    def check_segments(self, segments: Tensor | None) -> None:
        """Segments that no part takes would be passed over in silence."""
        if segments is not None and not any(isinstance(part, SegmentEmbedding) for part in self.parts()):
            raise UsageError("segments were given, but no part is a SegmentEmbedding; leave them out")
