"""Where a fit keeps what must outlive an interruption (ids, state): a folder beside the output, `OUTPUT.fit`.

It is gone when the fit is finished. Read `fit.py` for what is put there.
"""

import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rowspace.atomic import name_with_suffix, said_clearly
from rowspace.errors import FitInterrupted, UsageError
from rowspace.learn.state import STATE_NAME
from rowspace.table import Table

__all__ = ["open_workplace", "workplace_of"]

OURS = re.compile(r"ids|corpus\.json|state\.safetensors|\.rowspace-")  # the names of what a fit keeps


def workplace_of(output: str | Path) -> Path:
    """The folder beside an output in which its fit keeps what must outlive an interruption."""
    output = Path(output)
    return output.with_name(name_with_suffix(output.name, ".fit"))


@contextmanager
def open_workplace(output: str | Path | None, *, resume: bool) -> Iterator[Path]:
    """A folder for ids and state: a temporary one, or the one beside the output, removed when all went to the end."""
    if output is None:
        with tempfile.TemporaryDirectory(prefix="rowspace-fit-") as name:
            yield Path(name)
        return
    Table.check_target(output)
    workplace = workplace_of(output)
    if not resume:
        with said_clearly(workplace):
            _clear(workplace)
            workplace.mkdir(parents=True)
    try:
        yield workplace
    except FitInterrupted:
        raise
    except BaseException:
        if not (workplace / STATE_NAME).exists():
            _clear(workplace)
        raise
    _clear(workplace)


def _clear(workplace: Path) -> None:
    """Remove a folder of an earlier fit, and nothing that is not one."""
    if workplace.exists() and not workplace.is_dir():
        raise UsageError(f"{str(workplace)!r} is needed for the fit but is not a folder; move it away")
    strangers = (
        [entry.name for entry in workplace.iterdir() if not OURS.match(entry.name)] if workplace.exists() else []
    )
    if strangers:
        raise UsageError(f"{str(workplace)!r} is needed for the fit but holds {strangers[0]!r}; move it away")
    shutil.rmtree(workplace, ignore_errors=True)
