"""The process of a job: `python -m rowspace_lab.jobs.worker [MODULE FUNCTION]`, started by `processes.py`.

It calls the function if one is given, to prepare for a job, and then reads the folder of the job from standard input,
one line of JSON. The folder contains `job.json` (the function, its parameters, and the path of the frame of a needed
job) and a .npy file for each array, which is memory-mapped. Frames are written to the same folder, and events to
standard output, one line of JSON each. The process ends with its parent, even if the parent is killed: on Linux by a
signal, elsewhere because standard input is closed.
"""

import contextlib
import json
import os
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from rowspace._base.parallel import die_with_parent
from rowspace.errors import RowspaceError
from rowspace_lab.jobs.kinds import Progress
from rowspace_lab.server.errors import INTERNAL_ERROR
from rowspace_lab.server.reply import decode

__all__ = ["main"]

NICENESS = 5  # gives the server priority


def main(prepare: Sequence[str] = ()) -> None:
    """Prepare for a job, wait for it, and run it.

    Args:
        prepare: The module and the name of a function to call first, or nothing.
    """
    _die_with_the_server()
    send = _event_sender()
    if prepare:
        _call(*prepare)
    if not (line := sys.stdin.readline()):
        return  # the server is gone
    threading.Thread(target=_end_with_standard_input, daemon=True).start()
    folder = Path(json.loads(line))
    try:
        frames = _work(folder, send)
    except RowspaceError as error:
        send("failed", error=str(error))
    except Exception:  # an internal error: its traceback goes to the terminal of the server
        traceback.print_exc()
        send("failed", error=INTERNAL_ERROR)
    else:
        send("done", frames=frames)


def _call(module: str, function: str) -> None:
    """Call a function; if it fails, the job that needs the same will report it."""
    try:
        getattr(import_module(module), function)()
    except Exception:  # an internal error
        traceback.print_exc()


def _work(folder: Path, send: Callable[..., None]) -> int:
    """Run the function, send its progress and frames, and return the number of frames."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    run = getattr(import_module(job["module"]), job["function"])
    arrays = {path.stem: np.load(path, mmap_mode="r", allow_pickle=False) for path in folder.glob("*.npy")}
    if job["frame"] is not None:
        arrays |= decode(Path(job["frame"]).read_bytes()).arrays
    frames = 0
    for item in run(**arrays, **job["parameters"]):
        if isinstance(item, Progress):
            send("progress", fraction=min(1.0, max(0.0, float(item.fraction))), sentence=item.sentence)
        else:
            frames += 1
            (folder / f"{frames}.frame").write_bytes(item.encode())
            send("frame", frame=frames)
    return frames


def _event_sender() -> Callable[..., None]:
    """Return a function that sends an event to the server; redirect all other output to standard error."""
    channel: TextIO = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(event: str, **data: Any) -> None:
        channel.write(json.dumps({"event": event, **data}) + "\n")
        channel.flush()

    return send


def _die_with_the_server() -> None:
    """Make this process end with the server, and lower its priority."""
    die_with_parent()
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICENESS)


def _end_with_standard_input() -> None:
    os.read(sys.stdin.fileno(), 1)  # nothing else is written: this returns when the server is gone
    os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
