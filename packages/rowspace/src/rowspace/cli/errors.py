"""Errors as a message on standard error, and an exit status.

| cause | exit status |
|---|---|
| the command failed: `RowspaceError`, a system error, or a closed pipe | 1 |
| wrong usage: `UsageError`, and typer's errors | 2 |
| Ctrl-C, where nothing could be saved | 130 |

Anything else is an internal error and keeps its traceback. Warnings are also printed as messages.
"""

import errno
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from rowspace.cli import output
from rowspace.cli.interruption import INTERRUPTED
from rowspace.errors import RowspaceError, UsageError

__all__ = ["report_errors"]

FULL = {errno.ENOSPC, errno.EDQUOT}


@contextmanager
def report_errors() -> Iterator[None]:
    """Print a message for an error raised in the block, and raise `SystemExit` with the exit status.

    >>> try:
    ...     with report_errors():
    ...         raise UsageError("k must be at least 1, got 0")
    ... except SystemExit as end:
    ...     end.code
    2
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
            sys.stdout.flush()
        except RowspaceError as error:
            if str(error):
                output.message(str(error))
            raise SystemExit(2 if isinstance(error, UsageError) else 1) from error
        except OSError as error:
            sentence = _sentence(error)
            if sentence is None:
                raise
            output.message(sentence)
            raise SystemExit(1) from error
        except KeyboardInterrupt as error:
            output.message("stopped")
            raise SystemExit(INTERRUPTED) from error


def _show_warning(message: Warning | str, *_place: object, **_more: object) -> None:
    output.message(f"warning: {message}")


def _sentence(error: OSError) -> str | None:
    """Return the message for a system error; None where the error has no file name."""
    if error.errno in FULL:
        return "the disk is full; free some space, or write to another disk"
    if error.filename is None or not error.errno:
        return None
    name = error.filename if isinstance(error.filename, str | bytes) else str(error.filename)
    return f"{name!r}: {error.strerror}; check the path and its permissions"
