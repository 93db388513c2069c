"""Caches of pieces, for any number of threads."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rowspace.encode.scanners.bpe.kernels.known import Known

__all__ = ["KnownPool"]


class KnownPool:
    """Memories of pieces: each thread takes one, so that no thread waits for another. A pickled pool is empty."""

    def __init__(self) -> None:
        self._idle: list[Known] = []

    def take(self) -> "Known":
        """Return a memory that no other thread has."""
        try:
            return self._idle.pop()
        except IndexError:
            from rowspace.encode.scanners.bpe.kernels.known import empty_known

            return empty_known()

    def give_back(self, known: "Known") -> None:
        """Return a memory to the pool; after an error it is dropped, as it may be half written."""
        self._idle.append(known)

    def __getstate__(self) -> dict[str, object]:
        return {"_idle": []}
