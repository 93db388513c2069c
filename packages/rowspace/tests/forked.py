"""Runs a script in several processes that share its imports: `python forked.py SCRIPT COUNT ARGUMENT ...`.

The script has a function `main(rank, *arguments)`, which is called in forks of a process that has imported the script.
"""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from multiprocessing import get_context
from pathlib import Path

__all__ = ["run_forked"]


def run_forked(script: Path, count: int, *arguments: Path) -> None:
    """Run the script in new processes, and fail if one of them does."""
    command = [sys.executable, "-W", "ignore", __file__, script, str(count), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def main(script: str, count: str, *arguments: str) -> int:
    """Import the script, fork, wait for the forks, and return how many of them have failed."""
    spec = spec_from_file_location("script", script)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["script"] = module_from_spec(spec)
    spec.loader.exec_module(module)
    forks = [get_context("fork").Process(target=module.main, args=(rank, *arguments)) for rank in range(int(count))]
    for fork in forks:
        fork.start()
    for fork in forks:
        fork.join()
    return sum(fork.exitcode != 0 for fork in forks)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
