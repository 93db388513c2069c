"""`FileReader`: the bytes of files → their passages, with bounded time and memory.

Plain text is read here. Everything else needs a parser, which a small hostile file can keep busy for hours, fill with
gigabytes, or crash, so it is read by `reader_worker.py` in another process, which ends at its limits. The next file
gets a new process. Small files are sent in groups, since a message costs more than parsing one of them. `read_groups`
has two processes, so that one parses while the answer of the other is taken.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, NamedTuple, TypeVar

from rowspace.errors import FileFormatError, MissingExtraError, RowspaceError
from rowspace.search.reading.chunks import Chunk, chunk_document
from rowspace.search.reading.documents import has_plain_reading, is_plain, read_document

__all__ = ["OUT_OF_MEMORY", "FileReader", "Passages", "read_groups"]

LARGE = 10_000_000
SECONDS, MEMORY = 12.0, 350_000_000
"""The limits of processor time and memory for a file of at most `LARGE` bytes; for a larger one, they grow with it."""

GROUP_SECONDS = 2.0
"""The limit of several files together; if they exceed one, each is read again by itself."""

OUT_OF_MEMORY = 77
"""The exit status of the process after an allocation failed in Python; libraries abort."""

NOT_PARSED, TOO_LONG = "not readable by their parser", "takes too long"

_READERS = 2  # processes that read at once
_AHEAD = 1 << 23  # bytes of files that are read while the ones before are used
_PATIENCE = 5  # times the processor time, which a busy machine may take
_START = 60.0  # seconds until the process must be ready
_END = 5.0  # seconds that it has to end by itself
_CODE = "import sys; sys.path[:] = sys.argv[2:]; from rowspace.search.reading.reader_worker import serve; serve()"

File = tuple[str, bytes]  # its path, whose suffix selects the parser, and its content
Name = TypeVar("Name")


class Passages(NamedTuple):
    """The passages of a file.

    Attributes:
        chunks: The passages.
        left_out: Why the file was not read; empty if it was.
        problem: Why its parser could not read it; empty if it could.
    """

    chunks: list[Chunk]
    left_out: str = ""
    problem: str = ""


class _Ended(Exception):
    """The process has ended; the message is the reason."""


def read_groups(groups: Iterable[tuple[Name, Sequence[File]]], max_chars: int) -> Iterator[tuple[Name, list[Passages]]]:
    """Yield the passages of groups of files, in order; the next groups are read meanwhile.

    Args:
        groups: The name of each group, and its files; several only if they are small.
        max_chars: The maximum length of a passage.

    Raises:
        MissingExtraError: If a package for a type of file is not installed.
    """
    readers, free = [FileReader(max_chars) for _ in range(_READERS)], SimpleQueue[FileReader]()
    waiting, size = deque[tuple[Name, Sequence[File], Future[list[Passages]]]](), 0
    for reader in readers:
        free.put(reader)

    def read(files: Sequence[File]) -> list[Passages]:
        reader = free.get()
        try:
            return reader.read(files)
        finally:
            free.put(reader)

    try:
        with ThreadPoolExecutor(_READERS, thread_name_prefix="rowspace") as pool:
            try:
                for name, files in groups:
                    waiting.append((name, files, pool.submit(read, files)))
                    size += sum(len(data) for _, data in files)
                    while size > _AHEAD and len(waiting) > _READERS:
                        first, taken, passages = waiting.popleft()
                        size -= sum(len(data) for _, data in taken)
                        yield first, passages.result()
                for last, _, passages in waiting:
                    yield last, passages.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for reader in readers:
                    reader.kill()
                raise
    finally:
        for reader in readers:
            reader.close()


class FileReader:
    """Reads files for an index, in a process that starts with the first one and ends with `close`.

    Args:
        max_chars: The maximum length of a passage.
    """

    def __init__(self, max_chars: int) -> None:
        self._max_chars = max_chars
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False

    def kill(self) -> None:
        """End the process at once, from any thread, and start no other one."""
        self._is_killed = True
        if (process := self._process) is not None:
            process.kill()

    def read(self, files: Sequence[File]) -> list[Passages]:
        """Return the passages of files.

        Args:
            files: The path and the content of each; several only if they are small.

        Raises:
            MissingExtraError: If a package for a type of file is not installed.
        """
        answers = iter(self._answers([file for file in files if not is_plain(*file)]))
        return [self._here(*file) if is_plain(*file) else self._passages(*file, next(answers)) for file in files]

    def _here(self, path: str, data: bytes, *, plain: bool = False, problem: str = "") -> Passages:
        """Return the passages of a file that needs no parser."""
        try:
            document = read_document(path, data, max_chars=self._max_chars, plain=plain)
        except FileFormatError as reason:
            return Passages([], str(reason))
        return Passages(list(chunk_document(document, max_chars=self._max_chars)), "", problem)

    def _passages(self, path: str, data: bytes, answer: dict[str, Any]) -> Passages:
        """Return the passages in an answer of the process; those of the plain text if its parser has failed."""
        if "missing" in answer:
            raise MissingExtraError(answer["missing"])
        if "left_out" in answer:
            return Passages([], answer["left_out"])
        if "failed" not in answer:
            return Passages([Chunk(*chunk) for chunk in answer["chunks"]])
        if has_plain_reading(path, data):
            return self._here(path, data, plain=True, problem=f"{answer['failed']}; read as plain text")
        return Passages([], NOT_PARSED, f"{answer['failed']}; left out")

    def _answers(self, files: Sequence[File]) -> list[dict[str, Any]]:
        """Return the answer to each file, of all in one message or, if that fails, of each by itself."""
        if len(files) > 1:
            with suppress(_Ended):
                return self._ask(files, GROUP_SECONDS, MEMORY)
        return [self._answer(file) for file in files]

    def _answer(self, file: File) -> dict[str, Any]:
        """Return the answer to a file."""
        size = max(1.0, len(file[1]) / LARGE)
        try:
            return self._ask([file], size * SECONDS, int(size * MEMORY))[0]
        except _Ended as reason:
            return {"failed": str(reason)}

    def _ask(self, files: Sequence[File], seconds: float, memory: int) -> list[dict[str, Any]]:
        """Return the answers of the process, or raise `_Ended` after its end."""
        request = {
            "files": [(Path(path).name[-100:], len(data)) for path, data in files],
            "max_chars": self._max_chars,
            "memory": memory,
            "seconds": seconds,
        }
        process, deadline = self._start(), time.monotonic() + _PATIENCE * seconds
        with suppress(BrokenPipeError):  # that the process has ended is noticed below
            requests = _open(process.stdin)
            requests.writelines([json.dumps(request).encode(), b"\n", *(data for _, data in files)])
            requests.flush()
        line = _line_of(process, deadline)
        if line.endswith(b"\n"):
            reply: dict[str, Any] = json.loads(line)
            if reply["is_last"]:
                self.close()
            answers: list[dict[str, Any]] = reply["answers"]
            return answers
        is_late = time.monotonic() >= deadline
        if is_late:
            process.kill()
        status = self.close()
        raise _Ended(TOO_LONG if is_late else _reason(status))

    def _start(self) -> "subprocess.Popen[bytes]":
        """Return the process, started if there is none."""
        if self._process is not None:
            return self._process
        process = subprocess.Popen(  # noqa: S603  # this Python and this package
            [sys.executable, "-c", _CODE, str(os.getpid()), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the process that started it
        )
        self._process = process
        if self._is_killed:
            process.kill()
        if not _line_of(process, time.monotonic() + _START):
            process.kill()
            errors = _open(process.stderr).read().decode(errors="replace").strip()
            reason = errors.rpartition("\n")[2][:200] or f"status {self.close()}"
            raise RowspaceError(f"the process that reads files did not start ({reason}); check this Python")
        return process

    def close(self) -> int:
        """End the process and return its status; 0 if there is none."""
        process, self._process = self._process, None
        if process is None:
            return 0
        with suppress(BrokenPipeError):
            _open(process.stdin).close()
        try:
            status = process.wait(_END)
        except subprocess.TimeoutExpired:
            process.kill()
            status = process.wait()
        for stream in (process.stdout, process.stderr):
            _open(stream).close()
        return status


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a stream of a process, which has all three."""
    assert stream is not None  # noqa: S101  # only we can break it
    return stream


def _line_of(process: "subprocess.Popen[bytes]", deadline: float) -> bytes:
    """Return a line that a process writes; a part of it, or nothing, if the process ends or is late."""
    descriptor, parts = _open(process.stdout).fileno(), list[bytes]()
    while select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
        part = os.read(descriptor, 1 << 20)
        parts.append(part)
        if not part or part.endswith(b"\n"):
            break
    return b"".join(parts)


def _reason(status: int) -> str:
    if status == -signal.SIGPROF:
        return TOO_LONG
    return "takes too much memory" if status in (OUT_OF_MEMORY, -signal.SIGABRT) else "crashes its parser"
