"""Errors as one sentence on standard error, and an exit status.

| what | exit status |
|---|---|
| the work failed: `RowspaceError`, an error of the system, or a closed pipe | 1 |
| the call was wrong: `UsageError`, and what typer refuses | 2 |
| Ctrl-C, where nothing could be saved | 130 |

Anything else is an internal error and keeps its traceback. Warnings are one sentence too.
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
    """Run a block; report an error that ends it, and raise `SystemExit` with the status.

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
    """Return an error of the system as a sentence; None where it does not name a file."""
    if error.errno in FULL:
        return "the disk is full; free some space, or write to another one"
    if error.filename is None or not error.errno:
        return None
    name = error.filename if isinstance(error.filename, str | bytes) else str(error.filename)
    return f"{name!r}: {error.strerror}; check the path and its permissions"
