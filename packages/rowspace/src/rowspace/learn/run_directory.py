"""The run directory `OUTPUT.fit`, next to the output, from which an interrupted fit is resumed.

It has the ids, the state and a lock, and is removed when the fit is finished.
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rowspace._base.atomic import name_with_suffix, scratch_folder, translate_os_errors
from rowspace._base.lock import LOCK_NAME, locked
from rowspace.errors import CorpusError, FitDiverged, RowspaceError, UsageError
from rowspace.table import Table

__all__ = ["EPOCH_NAME", "STATE_NAME", "is_saved", "open_run_directory", "run_directory_of"]

EPOCH_NAME, STATE_NAME = "epoch.safetensors", "state.safetensors"

_OWN_FILES = re.compile(r"ids|corpus\.json|(state|epoch)\.safetensors|lock$|\.rowspace-")


def is_saved(directory: Path) -> bool:
    """Whether the directory holds a state to resume from."""
    return any((directory / name).exists() for name in (STATE_NAME, EPOCH_NAME))


def run_directory_of(output: str | Path) -> Path:
    """Return the run directory of an output.

    >>> run_directory_of("tables/english").name
    'english.fit'
    """
    output = Path(output)
    return output.with_name(name_with_suffix(output.name, ".fit"))


@contextmanager
def open_run_directory(output: str | Path | None, *, resume: bool) -> Iterator[Path]:
    """Open the run directory of an output, or a temporary one; remove it unless the fit was interrupted.

    Args:
        output: Where the table will be saved; None for a fit that saves nothing.
        resume: Whether the directory must have a saved state, which is kept.

    Yields:
        The directory, locked.

    Raises:
        UsageError: The directory has other files, or there is nothing to resume.
        RowspaceError: Another fit to the same output is running.
    """
    if output is None:
        with scratch_folder("fit") as folder:
            yield folder
        return
    Table.check_target(output)
    run_directory = run_directory_of(output)
    if resume and not run_directory.is_dir():
        raise UsageError(f"there is no interrupted fit in {str(run_directory)!r} to resume; start one without resume")
    with translate_os_errors(run_directory):
        _refuse_foreign_files(run_directory)
    with _removed_if_unused(run_directory):
        with translate_os_errors(run_directory):
            run_directory.mkdir(parents=True, exist_ok=True)
        with locked(run_directory) as is_ours:
            if not is_ours:
                raise RowspaceError(
                    f"another fit is writing to {str(output)!r}; wait until it ends, or choose another output"
                )
            with _kept_if_interrupted(run_directory):
                if resume and not is_saved(run_directory):
                    raise UsageError(
                        f"there is no interrupted fit in {str(run_directory)!r} to resume; start one without resume"
                    )
                if not resume:
                    _clear(run_directory, but=LOCK_NAME)
                yield run_directory


@contextmanager
def _removed_if_unused(run_directory: Path) -> Iterator[None]:
    """Remove the folder if Ctrl-C arrives before the lock is held and the folder has only the lock file."""
    try:
        yield
    except BaseException:
        if run_directory.is_dir():
            with locked(run_directory) as is_ours:
                if is_ours and [entry.name for entry in run_directory.iterdir()] == [LOCK_NAME]:
                    _clear(run_directory)
        raise


@contextmanager
def _kept_if_interrupted(run_directory: Path) -> Iterator[None]:
    """Remove the folder at the end, unless an interrupted fit has saved a state in it."""
    try:
        yield
    except (FitDiverged, CorpusError):  # a resumed fit would fail again
        _clear(run_directory)
        raise
    except BaseException:
        if not is_saved(run_directory):
            _clear(run_directory)
        raise
    _clear(run_directory)


def _refuse_foreign_files(run_directory: Path) -> None:
    """Raise `UsageError` if the folder is a file, or has files that no fit has written."""
    if run_directory.exists() and not run_directory.is_dir():
        raise UsageError(f"{str(run_directory)!r} is needed for the fit but is not a folder; move it away")
    for entry in run_directory.iterdir() if run_directory.exists() else ():
        if not _OWN_FILES.match(entry.name):
            raise UsageError(f"{str(run_directory)!r} is needed for the fit but contains {entry.name!r}; move it away")


def _clear(run_directory: Path, *, but: str = "") -> None:
    """Remove the folder, or all but one file of it."""
    if not but:
        shutil.rmtree(run_directory, ignore_errors=True)
        return
    for entry in run_directory.iterdir():
        if entry.name != but:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
