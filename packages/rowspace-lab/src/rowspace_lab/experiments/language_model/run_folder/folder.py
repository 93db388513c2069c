"""The folder of a run: a lock while one is trained, and its replacement at each checkpoint.

    model.safetensors, ...   the native table of the input rows, which `rowspace.load` opens
    model/                   the whole model for transformers, where it has a class for it
    state/                   run.json, and all that a resumed run needs
    data/                    ids, mapped
    events.bin               telemetry

A checkpoint is a new folder: what does not change is linked into it, and then it is exchanged with the old one. So its
parts always belong to one step, and files of others stay. While a run is trained, `OUTPUT.train` has the lock and
the parts of the first checkpoint.
"""

import os
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from rowspace._base.atomic import check_folder_target
from rowspace._base.atomic.temporaries import clear_temporaries
from rowspace._base.work_folder import WorkFolder, folder_next_to
from rowspace.errors import UsageError
from rowspace_lab.experiments.language_model.telemetry import events

__all__ = ["DATA", "MODEL", "RUN_FILE", "STATE", "check_output", "find_run", "link_others", "lock_run"]

DATA, MODEL, STATE = "data", "model", "state"
RUN_FILE = events.RUN_FILE
MARKER = "rowspace.json"
OWN = (DATA, MODEL, STATE, events.NAME)
OWN_WORK = re.compile(rf"({DATA}|{STATE}|{re.escape(events.NAME)})$")
TABLE = (
    "model.safetensors",
    "vocabulary.safetensors",
    "subwords.safetensors",
    "tokenizer.json",
    "config.json",
    "modules.json",
)


def check_output(output: str | os.PathLike[str]) -> Path:
    """Return the path of a new run, which may replace an older run or table.

    Raises:
        UsageError: Something else is there.
        RowspaceError: There is no permission to write.
    """
    return check_folder_target(output, marker=MARKER, contents=(*OWN, *TABLE))


def find_run(output: str | os.PathLike[str]) -> Path:
    """Return the path of a run to resume, after the end of a replacement of its folder that was killed.

    Raises:
        UsageError: There is no run.
    """
    run = Path(os.path.realpath(output))
    if run.parent.is_dir():
        clear_temporaries(run)
    if not (run / RUN_FILE).exists():
        raise UsageError(f"there is no run of rowspace train in {str(output)!r}; name the folder of one")
    return run


@contextmanager
def lock_run(output: Path) -> Iterator[Path]:
    """Hold the run's lock, and yield an empty folder for what is being prepared, which is removed at the end.

    Raises:
        RowspaceError: Another process trains this run.
        UsageError: The folder's name is taken.
    """
    busy = f"another process is training {str(output)!r}; wait until it ends, or name another run"
    with WorkFolder(folder_next_to(output, ".train"), "run", OWN_WORK, busy).open() as work:
        yield work


def link_others(source: Path, target: Path, *, exclude: Collection[str]) -> None:
    """Link the files in `source` into `target`, except the relative paths `exclude` and what they contain.

    Where the file system has no links, they are copied. Existing files are kept.
    """
    for entry in os.scandir(source):
        if entry.name in exclude:
            continue
        if entry.is_dir(follow_symlinks=False):
            inner = {name.removeprefix(f"{entry.name}/") for name in exclude if name.startswith(f"{entry.name}/")}
            (target / entry.name).mkdir(exist_ok=True)
            link_others(Path(entry.path), target / entry.name, exclude=inner)
        elif not os.path.lexists(target / entry.name):
            try:
                os.link(entry.path, target / entry.name, follow_symlinks=False)
            except OSError:
                shutil.copy2(entry.path, target / entry.name, follow_symlinks=False)
