"""The process of `FileReader`: requests on standard input → a line of JSON on standard output for each.

It imports neither NumPy nor a table, so that it starts in a tenth of a second.
"""

import json
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Any, BinaryIO

from rowspace._base.parallel import die_with_parent
from rowspace.errors import FileFormatError, MissingExtraError
from rowspace.search.reading.chunks import chunk_document
from rowspace.search.reading.documents import read_document
from rowspace.search.reading.reader import OUT_OF_MEMORY

__all__ = ["serve"]

_KEPT = 50_000_000  # bytes that earlier files may leave in memory; with more, the process ends


def serve() -> None:
    """Answer requests until standard input ends."""
    die_with_parent(int(sys.argv[1]))
    requests, replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _send(replies, b"ready")
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # libraries may write there
        os.dup2(null, stream)
    most = _memory()[1] + _KEPT
    while line := requests.readline():
        request = json.loads(line)
        files = [(path, requests.read(size)) for path, size in request["files"]]
        _send(replies, _limited(request, files, most))


def _send(replies: BinaryIO, line: bytes) -> None:
    replies.write(line + b"\n")
    replies.flush()


def _limited(request: dict[str, Any], files: list[tuple[str, bytes]], most: int) -> bytes:
    """Return the reply to a request; at a limit, the process ends."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    _limit_memory(request["memory"], *before)
    signal.setitimer(signal.ITIMER_PROF, request["seconds"])
    try:
        reply = {"answers": [_answer(*file, request["max_chars"]) for file in files], "is_last": _memory()[1] > most}
        return json.dumps(reply).encode()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, before)


def _limit_memory(more: int, soft: int, hard: int) -> None:
    """Limit the address space to its size and some more; where the size is not known, do nothing."""
    if size := _memory()[0]:
        limit = size + more
        resource.setrlimit(resource.RLIMIT_AS, (limit if soft == resource.RLIM_INFINITY else min(limit, soft), hard))


def _answer(path: str, data: bytes, max_chars: int) -> dict[str, Any]:
    try:
        document = read_document(path, data, max_chars=max_chars)
        return {"chunks": list(chunk_document(document, max_chars=max_chars))}
    except FileFormatError as reason:
        return {"left_out": str(reason)}
    except MissingExtraError as error:
        return {"missing": str(error)}
    except MemoryError:
        raise
    except Exception as error:  # a parser can raise any, and one file must not end the run
        return {"failed": f"makes its parser fail ({type(error).__name__})"}


def _memory() -> tuple[int, int]:
    """Return the bytes of the address space, and of what is in memory; zeros if the system is not Linux."""
    try:
        size, resident, *_ = map(int, Path("/proc/self/statm").read_text().split())
    except OSError:
        return 0, 0
    return size * resource.getpagesize(), resident * resource.getpagesize()
