"""The process of one job: `python -m rowspace.lab.jobs.worker FOLDER`, started by `jobs.py` and by nobody else.

The folder holds `job.json` (the function, its parameters, and the frame of another job whose arrays it gets) and the
arrays, a .npy file each, which are mapped. Frames are written next to them; news go to standard output, a line of JSON
each. The process dies with the one that started it, even where that is killed: Linux sees to it, and standard input
ends everywhere.
"""

import contextlib
import ctypes
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from rowspace.errors import RowspaceError
from rowspace.lab.jobs.kinds import Progress
from rowspace.lab.server.errors import INTERNAL_ERROR
from rowspace.lab.server.reply import decode

__all__ = ["main"]

PR_SET_PDEATHSIG = 1
PATIENCE = 5  # how much a worker gives way to the server


def main(folder: Path) -> None:
    """Do the job that lies in `folder`."""
    _die_with_the_server()
    told = _told_to_the_server()
    try:
        frames = _work(folder, told)
    except RowspaceError as error:
        told("failed", error=str(error))
    except Exception:  # a mistake of ours: its trace belongs where the server was started
        traceback.print_exc()
        told("failed", error=INTERNAL_ERROR)
    else:
        told("done", frames=frames)


def _work(folder: Path, told: Callable[..., None]) -> int:
    """Run the function and tell what it yields; returns the number of frames."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    run = getattr(import_module(job["module"]), job["function"])
    arrays = {path.stem: np.load(path, mmap_mode="r", allow_pickle=False) for path in folder.glob("*.npy")}
    if job["frame"] is not None:
        arrays |= decode(Path(job["frame"]).read_bytes()).arrays
    frames = 0
    for news in run(**arrays, **job["parameters"]):
        if isinstance(news, Progress):
            told("progress", fraction=min(1.0, max(0.0, float(news.fraction))), sentence=news.sentence)
        else:
            frames += 1
            (folder / f"{frames}.frame").write_bytes(news.encode())
            told("frame", frame=frames)
    return frames


def _told_to_the_server() -> Callable[..., None]:
    """What writes a line to the server; all else that is printed goes to standard error from now on."""
    channel: TextIO = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def told(event: str, **facts: Any) -> None:
        channel.write(json.dumps({"event": event, **facts}) + "\n")
        channel.flush()

    return told


def _die_with_the_server() -> None:
    """End when the server does, however it does, and leave the processors to it while it lives."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    threading.Thread(target=_end_with_standard_input, daemon=True).start()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(PATIENCE)


def _end_with_standard_input() -> None:
    os.read(sys.stdin.fileno(), 1)  # nobody writes: it returns when the other side is gone
    os._exit(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
