"""The folder `OUTPUT.encode` next to an output, with the rows and the state of a run, from which a killed run resumes.

It is removed when the output is complete.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rowspace._base.atomic import atomic_file
from rowspace._base.work_folder import WorkFolder, folder_next_to
from rowspace.encode.stream.sources import FileIdentity
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.strict_json import is_count, read_object, sealed, unsealed
from rowspace.text.corpus import BadRow

__all__ = ["RunState", "load_state", "open_run_folder", "run_folder_of", "save_state"]

STATE_NAME = "state.json"
VERSION = 2
UNCHECKED = 1  # the version without checksums
REMEDY = "start again without resume"

_OWN_FILES = re.compile(r"state\.json|rows\.npy|part-\d+\.arrow|lance$|\.rowspace-")


@dataclass(frozen=True)
class RunState:
    """How far a run is, and what it depends on.

    Attributes:
        encoder: The fingerprint of the encoder.
        settings: The format, width and dtype of the output, and how texts are read.
        files: The files of the source.
        texts: Number of texts that have a row.
        digest: The hash of these texts.
        mark: The sink's own position: how many of its parts are complete.
        checksums: The sink's checksums of what is complete; None in the state of an earlier version.
        is_complete: Whether the source has no more texts.
        bad: How many of its rows have no text, if it is complete.
        bad_rows: The first of them.
    """

    encoder: str
    settings: dict[str, Any]
    files: tuple[FileIdentity, ...]
    texts: int = 0
    digest: str = ""
    mark: int = 0
    checksums: tuple[int, ...] | None = None
    is_complete: bool = False
    bad: int = 0
    bad_rows: tuple[BadRow, ...] = ()

    def check_same(self, other: "RunState") -> None:
        """Raise `UsageError` if `other` has another encoder, settings or files, so that its rows would differ."""
        if other.encoder != self.encoder:
            raise UsageError(f"the interrupted run used another table or encoder options; give those, or {REMEDY}")
        for name, value in self.settings.items():
            if other.settings.get(name) != value:
                now = other.settings.get(name)
                raise UsageError(f"the interrupted run had {name} {value!r}, not {now!r}; give the same, or {REMEDY}")
        for before, now in zip(self.files, other.files, strict=False):
            if before.path != now.path:
                raise UsageError(f"the interrupted run read {before.path!r}, not {now.path!r}; give it, or {REMEDY}")
            if before != now:
                raise UsageError(f"{now.path!r} has changed since the interrupted run (size or time); {REMEDY}")
        if len(self.files) != len(other.files):
            raise UsageError(f"the interrupted run read {len(self.files)} files, not {len(other.files)}; {REMEDY}")


def run_folder_of(target: Path) -> Path:
    """Return the folder of an output's run.

    >>> run_folder_of(Path("vectors.npy")).name
    'vectors.npy.encode'
    """
    return folder_next_to(target, ".encode")


@contextmanager
def open_run_folder(target: Path, *, resume: bool) -> Iterator[Path]:
    """Open the run folder of an output; remove it at the end, unless there is something to resume.

    Args:
        target: The output.
        resume: Whether the folder must hold a state, which is kept; otherwise an older run is removed.

    Yields:
        The folder, locked.

    Raises:
        UsageError: The folder has other files, or there is nothing to resume.
        RowspaceError: Another process is writing the same output.
    """
    work_folder = WorkFolder(
        run_folder_of(target),
        "run",
        _OWN_FILES,
        busy=f"another process is writing {str(target)!r}; wait until it ends, or name another path",
        states=(STATE_NAME,),
        none_to_resume=f"there is no interrupted run of {str(target)!r} to resume; start one without resume",
    )
    with work_folder.open(resume=resume, keeps=lambda _: load_state(work_folder.path).texts > 0) as folder:
        yield folder


def load_state(folder: Path) -> RunState:
    """Read the state of a run folder.

    Raises:
        FileFormatError: It is damaged, or of another version.
    """
    path = folder / STATE_NAME
    found = read_object(path, remedy=REMEDY)
    if found.get("version") not in (UNCHECKED, VERSION):
        raise FileFormatError(f"{path}: written by another version of rowspace; upgrade rowspace, or {REMEDY}")
    if found["version"] == VERSION:
        found = unsealed(found, str(path), remedy=REMEDY)
        found["checksums"] = tuple(found["checksums"])
    del found["version"]
    try:
        files = tuple(FileIdentity(*file) for file in found.pop("files"))
        bad_rows = tuple(BadRow(*row) for row in found.pop("bad_rows", ()))
        state = RunState(files=files, bad_rows=bad_rows, **found)
    except (KeyError, TypeError) as error:
        raise FileFormatError(f"{path}: entries are missing or unknown; {REMEDY}") from error
    if not (is_count(state.texts) and is_count(state.mark) and isinstance(state.settings, dict)):
        raise FileFormatError(f"{path}: an entry has a value of the wrong type; {REMEDY}")
    return state


def save_state(folder: Path, state: RunState) -> None:
    """Replace the state of a run folder atomically."""
    with atomic_file(folder / STATE_NAME) as file:
        file.write(json.dumps(sealed({"version": VERSION, **asdict(state)}), indent=1).encode())
