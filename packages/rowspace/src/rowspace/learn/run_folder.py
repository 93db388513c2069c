"""The folder `OUTPUT.fit`, next to the output, from which an interrupted fit is resumed: the ids and the state."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rowspace._base.atomic import scratch_folder
from rowspace._base.work_folder import WorkFolder, folder_next_to
from rowspace.errors import CorpusError, FitDiverged, UsageError
from rowspace.files.remote import is_url
from rowspace.table import Table

__all__ = ["EPOCH_NAME", "STATE_NAME", "open_run_folder", "run_folder_of"]

EPOCH_NAME, STATE_NAME = "epoch.safetensors", "state.safetensors"

_OWN_FILES = re.compile(r"ids|init|corpus\.json|(state|epoch)\.safetensors|\.rowspace-")


def run_folder_of(output: str | Path) -> Path:
    """Return the folder of a fit.

    >>> run_folder_of("tables/english").name
    'english.fit'
    """
    return folder_next_to(Path(output), ".fit")


def _can_go_on(error: BaseException) -> bool:
    """Whether a resumed fit would not fail again: it would after a divergence, or with an unreadable corpus."""
    return not isinstance(error, FitDiverged | CorpusError)


@contextmanager
def open_run_folder(
    output: str | Path | None, *, resume: bool, keeps: Callable[[BaseException], bool] = _can_go_on
) -> Iterator[Path]:
    """Open the locked folder of a fit, or a temporary one; remove it unless the fit was interrupted.

    Args:
        output: Where the table will be saved; None for a fit that saves nothing. A fit to a URL has a temporary folder,
            too, and cannot be resumed.
        resume: Whether the folder must have a saved state, which is kept.
        keeps: Whether a fit that has saved a state can be resumed after an error.

    Yields:
        The folder.

    Raises:
        UsageError: The folder has other files, or there is nothing to resume, as for a URL.
        RowspaceError: Another fit to the same output is running.
    """
    if output is not None:
        Table.check_target(output)
    if output is None or is_url(output):
        if resume:
            raise UsageError(f"a fit that saves to a URL such as {output} cannot be resumed; start it again")
        with scratch_folder("fit") as folder:
            yield folder
        return
    path = run_folder_of(output)
    work_folder = WorkFolder(
        path,
        "fit",
        _OWN_FILES,
        busy=f"another fit is writing to {str(output)!r}; wait until it ends, or choose another output",
        states=(STATE_NAME, EPOCH_NAME),
        none_to_resume=f"there is no interrupted fit in {str(path)!r} to resume; start one without resume",
    )
    with work_folder.open(resume=resume, keeps=keeps) as folder:
        yield folder
