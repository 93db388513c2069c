"""A process of this machine that works on parts: pickled requests on standard input, answers on standard output."""

import os
import pickle
import struct
import subprocess
import sys
from typing import IO, Any, cast

from rowspace._base.parallel import die_with_parent

__all__ = ["WorkerProcess", "serve"]

_CODE = "import sys; sys.path[:] = sys.argv[2:]; from rowspace.scale.worker_process import serve; serve()"
_SIZE = struct.Struct("<Q")


class WorkerProcess:
    """A process that applies a function to one part after the other, and ends with this one.

    Args:
        function: A function of a module that the process can import, or an object of one that can be called.
    """

    def __init__(self, function: Any) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # this Python and this package
            [sys.executable, "-c", _CODE, str(os.getpid()), *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"ARROW_DEFAULT_MEMORY_POOL": "system", **os.environ},  # Arrow's own keeps 35 MB more
            start_new_session=True,  # Ctrl-C is for the process that started it
        )
        self._requests = cast("IO[bytes]", self._process.stdin)  # both are pipes
        self._answers = cast("IO[bytes]", self._process.stdout)
        self.send(function)

    def fileno(self) -> int:
        """Return what `select` waits for: it is readable when there is an answer, or the process has ended."""
        return self._answers.fileno()

    def send(self, value: object) -> None:
        """Send a part; a process that has ended is noticed when its answer is read."""
        try:
            _write(self._requests, value)
        except BrokenPipeError:
            return

    def answer(self) -> Any:
        """Return the answer; raise `EOFError` if the process has ended."""
        return _read(self._answers)

    def end(self) -> int:
        """Kill the process, and return its exit status: negative for a signal that ended it before."""
        before = self._process.poll()
        self._process.kill()
        for stream in (self._requests, self._answers):
            try:
                stream.close()
            except BrokenPipeError:
                continue
        status = self._process.wait()
        return status if before is None else before


def serve() -> None:
    """Answer requests until standard input ends; the first one is the function."""
    die_with_parent(int(sys.argv[1]))
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries may print
    try:
        function = _read(requests)
        while True:
            _write(answers, function(_read(requests)))
    except EOFError:
        return


def _write(stream: IO[bytes], value: object) -> None:
    data = pickle.dumps(value)
    stream.write(_SIZE.pack(len(data)) + data)
    stream.flush()


def _read(stream: IO[bytes]) -> Any:
    header = stream.read(_SIZE.size)
    if len(header) < _SIZE.size:
        raise EOFError
    data = stream.read(_SIZE.unpack(header)[0])
    try:
        return pickle.loads(data)  # noqa: S301  # of the process that started this one, or that this one started
    except pickle.UnpicklingError:  # cut short
        raise EOFError from None
