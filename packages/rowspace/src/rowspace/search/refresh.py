"""`Refresher`: an index that follows its files while it is served."""

import threading
import time
from contextlib import suppress
from pathlib import Path

from rowspace.errors import RowspaceError
from rowspace.search.index import Index
from rowspace.search.reading.files import FileTime, file_time, times_of_files
from rowspace.search.storage.dataset import is_remote

__all__ = ["Refresher"]


class Refresher:
    """Updates an index when files have changed, at the first call and then after a comparison of sizes and times.

    An index in an object store, which has no lock, is left as it is.

    Args:
        index: An open index.
        seconds: The least time between two comparisons.
    """

    def __init__(self, index: Index, *, seconds: float = 3.0) -> None:
        self._index, self._seconds = index, seconds
        self._times: dict[str, FileTime | None] | None = None
        self._compared = float("-inf")
        self._running = threading.Lock()

    def refresh(self) -> None:
        """Bring the index up to date, unless another process or call is doing it, or a folder of it is missing."""
        if is_remote(self._index.path) or not self._running.acquire(blocking=False):
            return
        try:
            if time.monotonic() - self._compared >= self._seconds:
                with suppress(RowspaceError):  # locked, read-only, or another table: the old passages are searched
                    self._update()
                self._compared = time.monotonic()
        finally:
            self._running.release()

    def _update(self) -> None:
        if self._times is not None and all(file_time(path) == known for path, known in self._times.items()):
            return
        roots = self._index.settings.roots
        if not all(Path(root).exists() for root in roots):  # such as a drive that is not there
            return
        times = times_of_files(roots)  # before the update, so that a change meanwhile is found next time
        self._index.update()
        self._times = times
