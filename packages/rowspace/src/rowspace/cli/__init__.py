"""The command line.

| file | contents |
|---|---|
| `commands/` | commands, which parse, call and print |
| `app.py` | the application, which imports commands when they are called |
| `help.py` | help that shows an example first, and options by subject; errors → a message and an exit status |
| `arguments.py` | arguments and options that several commands share, and those from the fields of dataclasses |
| `default_table.py` | the default table, learned once from the standard library |
| `lookup.py` | paths → tables, words → tokens |
| `tokenizers.py` | paths → tokenizers |
| `output.py` | tables, JSON documents and messages |
| `progress/` | the progress of long commands, on a terminal and elsewhere |
| `fit_summary.py` | what `rowspace fit` prints at its end |
| `interruption.py` | Ctrl-C and SIGTERM |
| `warm.py` | compiles the kernels, at setup |
| `streams.py` | standard streams that are closed, full, or without a reader |

A command imports numba and other slow libraries when it runs, so that `rowspace --help` and short commands start fast.
Read next: `app.py`.
"""

import gc

from rowspace._base.interrupt import exit_on_interrupt
from rowspace.cli.streams import open_streams

__all__ = ["main"]


def main() -> None:
    """Run the command that the process was started with, and end the process with its exit status."""
    exit_on_interrupt()
    open_streams()
    from rowspace.cli.app import app  # after the two lines above, because it imports numpy, typer and rich

    try:
        app(prog_name="rowspace")
    finally:
        gc.freeze()  # the last collection at exit would take 0.3 s to walk the objects of numba
