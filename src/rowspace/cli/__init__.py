"""The command line: one file per command, which parses, calls and prints.

| file | what it holds |
|---|---|
| `fit.py`, `near.py`, `similar.py`, `analogy.py`, `odd.py`, `eval.py`, `info.py`, `convert.py` | one command each |
| `split.py`, `merges.py`, `coverage.py` | one command each, on tokenizers |
| `lab.py` | the workbench |
| `app.py` | the commands under one name |
| `arguments.py` | the arguments and options that several commands have |
| `opening.py` | what a command is given → the table and the tokens that it works on |
| `tokenizers.py` | the same for tokenizers |
| `output.py` | tables, JSON documents and messages |
| `streams.py` | standard streams that are closed, full, or read by nobody |
| `progress.py` | how a fit goes, on a terminal and elsewhere |
| `failures.py` | what ends a command early → one sentence and an exit status |
| `interruption.py` | Ctrl-C and SIGTERM |
| `groups.py` | help that shows an example first, and errors in one style |

The commands import what they work with when they run, so that `rowspace --help` stays light. Read next: `app.py`.
"""

from rowspace.cli.interruption import exit_on_interrupt
from rowspace.cli.streams import open_streams

__all__ = ["main"]


def main() -> None:
    """Run the command that the process was started with, and end the process with its exit status."""
    exit_on_interrupt()
    open_streams()
    from rowspace.cli.app import app  # after the two lines above, because it imports numpy, typer and rich

    app(prog_name="rowspace")
