"""`Job`: a background job: its events, which clients follow, and the files of its frames.

Only the newest event of each name is kept: `progress` (fraction, sentence), `frame` (its number), and at the end
`done` (the number of frames) or `failed` (error, a sentence).
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FRAME_BYTES", "Event", "Job"]

FRAME_BYTES = 256 << 20  # of a job's frames; the oldest are deleted


class Event(NamedTuple):
    """An event of a job: its serial number, its name, and its data (JSON values)."""

    serial: int
    name: str
    data: Mapping[str, Any]


class Job:
    """A job: its events, and the files of its frames by number."""

    def __init__(self, number: int, folder: Path, frame_bytes: int = FRAME_BYTES) -> None:
        self.number = number
        self.folder = folder
        self.frame_bytes = frame_bytes
        self.frames: dict[int, Path] = {}
        self.task: asyncio.Task[None] | None = None
        self._newest: dict[str, Event] = {}
        self._changed = asyncio.Event()

    @property
    def serial(self) -> int:
        """The serial number of the last event."""
        return max((event.serial for event in self._newest.values()), default=0)

    def has(self, *events: str) -> bool:
        """Return whether one of these events has occurred."""
        return any(event in self._newest for event in events)

    @property
    def is_over(self) -> bool:
        """Whether the job is done or has failed."""
        return self.has("done", "failed")

    def publish(self, name: str, **data: Any) -> None:
        """Send an event to the clients that follow this job."""
        if name == "frame":
            self._keep(data["frame"])
        self._newest[name] = Event(self.serial + 1, name, data)
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self, after: int = 0) -> AsyncIterator[Event]:
        """Yield the events with serial numbers above `after`, and wait for new ones until the job is over."""
        while True:
            changed, over = self._changed, self.is_over
            for event in sorted(self._newest.values()):
                if event.serial > after:
                    after = event.serial
                    yield event
            if over:
                return
            await changed.wait()

    def _keep(self, frame: int) -> None:
        """Register a written frame, and delete the oldest ones if their total size exceeds the limit."""
        self.frames[frame] = self.folder / f"{frame}.frame"
        sizes = {number: path.stat().st_size for number, path in self.frames.items()}
        for number in list(self.frames)[:-1]:
            if sum(sizes.values()) <= self.frame_bytes:
                break
            del sizes[number]
            self.frames.pop(number).unlink()
