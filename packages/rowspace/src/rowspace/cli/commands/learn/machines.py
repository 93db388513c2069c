"""`rowspace fit` in processes that torchrun has started: all learn, and each message is printed by one of them."""

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rowspace.errors import RowspaceError, UsageError

if TYPE_CHECKING:
    from rowspace.learn import Reports
    from rowspace.scale.fit.text_parts import Source
    from rowspace.table import Table

__all__ = ["fit_on_machines", "is_first", "is_one_of_several", "printed_once"]

SECONDS_TO_PRINT = 1.0  # for the process that prints, since torchrun ends all processes when one has ended


def is_one_of_several() -> bool:
    """Whether torchrun has started several processes."""
    return os.environ.get("WORLD_SIZE", "1") != "1"


def is_first() -> bool:
    """Whether this is the first of the processes, or the only one."""
    return not is_one_of_several() or os.environ.get("RANK") == "0"


@contextmanager
def printed_once() -> Iterator[None]:
    """Let only the first process print why the call is wrong, which all of them find before they are connected."""
    try:
        yield
    except UsageError as error:
        if is_first():
            raise
        time.sleep(SECONDS_TO_PRINT)
        raise UsageError("") from error  # of which nothing is printed


def fit_on_machines(corpus: "Source", output: str, reports: "Reports", options: Mapping[str, Any]) -> "Table":
    """Learn a table with the other processes.

    Raises:
        RowspaceError: A process has failed; without a message if another one prints it.
    """
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")  # a lost connection is reported in one sentence
    from rowspace.scale import fit_machines
    from rowspace.scale.fit.machines import FailedElsewhere

    try:
        return fit_machines(corpus, output=output, reports=reports, **options)
    except FailedElsewhere as error:
        time.sleep(SECONDS_TO_PRINT)
        raise RowspaceError("") from error
