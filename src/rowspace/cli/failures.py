"""What ends a command early → one sentence on standard error, and an exit status.

| what | exit status |
|---|---|
| the work failed: `RowspaceError`, a full disk; or who read the output went away | 1 |
| the call was wrong: `UsageError` (and what typer refuses, which it tells itself) | 2 |
| Ctrl-C, where nothing could be saved | 130 |

Anything else is a mistake of ours and keeps its traceback. Warnings are one sentence too. Left out: SIGTERM during a
fit (`fit.py`).
"""

import errno
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import typer

from rowspace.cli.output import say
from rowspace.errors import RowspaceError, UsageError

__all__ = ["told"]

OUTPUT_ENDS = {errno.EPIPE, errno.ENOSPC, errno.EDQUOT}


@contextmanager
def told() -> Iterator[None]:
    """Run a block; raise `typer.Exit` with the status after saying why it ended early.

    >>> try:
    ...     with told():
    ...         raise UsageError("k must be at least 1, got 0")
    ... except typer.Exit as end:
    ...     end.exit_code
    2
    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            yield
            sys.stdout.flush()  # here, where a closed pipe can still be told from a mistake
        except RowspaceError as error:
            say(str(error))
            raise typer.Exit(2 if isinstance(error, UsageError) else 1) from error
        except OSError as error:
            if error.errno not in OUTPUT_ENDS:
                raise
            _forget_output()
            if not isinstance(error, BrokenPipeError):
                say("the disk is full; free some space, or write to another one")
            raise typer.Exit(1) from error
        except KeyboardInterrupt as error:
            say("stopped")
            raise typer.Exit(130) from error


def _show_warning(message: Warning | str, *_place: object, **_more: object) -> None:
    say(f"warning: {message}")


def _forget_output() -> None:
    """Let what is still to be written go nowhere: it cannot be, and the interpreter would complain as it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
