"""The memory of processes, by Linux, and programs that measure their own."""

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["numbers_printed_by", "peak", "resident"]


def resident(process: int) -> int:
    """Return the memory that a process has in use, in bytes."""
    return _status(process, "VmRSS")


def peak(process: int) -> int:
    """Return the most memory that a process has had in use, in bytes."""
    return _status(process, "VmHWM")


def _status(process: int, name: str) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(name)) << 10


def numbers_printed_by(program: str, *arguments: object) -> list[int]:
    """Run a Python program, which can import this module, and return the numbers that it prints."""
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
    environment = os.environ | {"COVERAGE_PROCESS_CONFIG": "", "PYTHONPATH": path}
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return list(map(int, done.stdout.split()))
