"""`Job`: one piece of long work: what it has told, to whoever follows, and the files of its frames.

Of what it tells, the newest of each is kept: `progress` (fraction, sentence), `frame` (its number), and at the end
`done` (the number of frames) or `failed` (error, a sentence).
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["FRAME_BYTES", "Job", "News"]

FRAME_BYTES = 256 << 20  # of a job's frames; older ones go


class News(NamedTuple):
    """Something that a job tells: its number in the order of telling, what it is, and the facts."""

    serial: int
    event: str
    facts: Mapping[str, Any]


class Job:
    """One piece of work: what it has told, and the files of its frames by number."""

    def __init__(self, number: int, folder: Path, frame_bytes: int = FRAME_BYTES) -> None:
        self.number = number
        self.folder = folder
        self.frame_bytes = frame_bytes
        self.frames: dict[int, Path] = {}
        self.task: asyncio.Task[None] | None = None
        self._newest: dict[str, News] = {}
        self._changed = asyncio.Event()

    @property
    def serial(self) -> int:
        """The number of the last news."""
        return max((news.serial for news in self._newest.values()), default=0)

    def has(self, *events: str) -> bool:
        """Whether one of these has happened."""
        return any(event in self._newest for event in events)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will be told."""
        return self.has("done", "failed")

    def tell(self, event: str, **facts: Any) -> None:
        """Let who follows know."""
        if event == "frame":
            self._keep(facts["frame"])
        self._newest[event] = News(self.serial + 1, event, facts)
        self._changed.set()
        self._changed = asyncio.Event()

    async def follow(self, after: int = 0) -> AsyncIterator[News]:
        """What is newer than the news number `after`, then what comes, until the job is over."""
        while True:
            changed, over = self._changed, self.is_over
            for news in sorted(self._newest.values()):
                if news.serial > after:
                    after = news.serial
                    yield news
            if over:
                return
            await changed.wait()

    def _keep(self, frame: int) -> None:
        """Note a frame that was written, and remove the oldest where they grow too large."""
        self.frames[frame] = self.folder / f"{frame}.frame"
        sizes = {number: path.stat().st_size for number, path in self.frames.items()}
        for number in list(self.frames)[:-1]:
            if sum(sizes.values()) <= self.frame_bytes:
                break
            del sizes[number]
            self.frames.pop(number).unlink()
