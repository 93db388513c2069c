"""Where a fit keeps what must outlive an interruption (ids, state): a folder beside the output, `OUTPUT.fit`.

It is gone when the fit is finished. Read `fit.py` for what is put there.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rowspace._base.atomic import name_with_suffix, translate_os_errors
from rowspace.errors import CorpusError, FitDiverged, RowspaceError, UsageError
from rowspace.learn.lock import LOCK_NAME, locked
from rowspace.table import Table

__all__ = ["EPOCH_NAME", "STATE_NAME", "is_saved", "open_workplace", "workplace_of"]

EPOCH_NAME, STATE_NAME = "epoch.safetensors", "state.safetensors"

OURS = re.compile(r"ids|corpus\.json|(state|epoch)\.safetensors|lock$|\.rowspace-")  # the names of what a fit keeps


def is_saved(directory: Path) -> bool:
    """Whether a fit that has saved its state can go on from this directory."""
    return any((directory / name).exists() for name in (STATE_NAME, EPOCH_NAME))


def workplace_of(output: str | Path) -> Path:
    """The folder beside an output in which its fit keeps what must outlive an interruption."""
    output = Path(output)
    return output.with_name(name_with_suffix(output.name, ".fit"))


@contextmanager
def open_workplace(output: str | Path | None, *, resume: bool) -> Iterator[Path]:
    """A folder for ids and state: a temporary one, or the one beside the output, removed when all went to the end.

    Raises `RowspaceError` while another fit to the same output runs.
    """
    if output is None:
        with tempfile.TemporaryDirectory(prefix="rowspace-fit-") as name:
            yield Path(name)
        return
    Table.check_target(output)
    workplace = workplace_of(output)
    if resume and not workplace.is_dir():
        raise UsageError(f"there is no interrupted fit in {str(workplace)!r} to resume; start one without resume")
    with translate_os_errors(workplace):
        _refuse_strangers(workplace)
    with _removed_if_unused(workplace):
        with translate_os_errors(workplace):
            workplace.mkdir(parents=True, exist_ok=True)
        with locked(workplace) as is_ours:
            if not is_ours:
                raise RowspaceError(
                    f"another fit is writing to {str(output)!r}; wait until it ends, or choose another output"
                )
            with _kept_if_interrupted(workplace):
                if resume and not is_saved(workplace):
                    raise UsageError(
                        f"there is no interrupted fit in {str(workplace)!r} to resume; start one without resume"
                    )
                if not resume:
                    _clear(workplace, but=LOCK_NAME)
                yield workplace


@contextmanager
def _removed_if_unused(workplace: Path) -> Iterator[None]:
    """Remove the folder after Ctrl-C in the moment before its lock is held, when nothing but the lock is in it."""
    try:
        yield
    except BaseException:
        if workplace.is_dir():
            with locked(workplace) as is_ours:
                if is_ours and [entry.name for entry in workplace.iterdir()] == [LOCK_NAME]:
                    _clear(workplace)
        raise


@contextmanager
def _kept_if_interrupted(workplace: Path) -> Iterator[None]:
    """Remove the folder in the end, unless an interrupted fit has left a state in it."""
    try:
        yield
    except (FitDiverged, CorpusError):  # what is saved leads to the same end
        _clear(workplace)
        raise
    except BaseException:
        if not is_saved(workplace):
            _clear(workplace)
        raise
    _clear(workplace)


def _refuse_strangers(workplace: Path) -> None:
    """Raise `UsageError` where something that no fit has made is in the place of the folder, or in it."""
    if workplace.exists() and not workplace.is_dir():
        raise UsageError(f"{str(workplace)!r} is needed for the fit but is not a folder; move it away")
    for entry in workplace.iterdir() if workplace.exists() else ():
        if not OURS.match(entry.name):
            raise UsageError(f"{str(workplace)!r} is needed for the fit but holds {entry.name!r}; move it away")


def _clear(workplace: Path, *, but: str = "") -> None:
    """Remove what a fit has left: the folder, or all but one file of it."""
    if not but:
        shutil.rmtree(workplace, ignore_errors=True)
        return
    for entry in workplace.iterdir():
        if entry.name != but:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
