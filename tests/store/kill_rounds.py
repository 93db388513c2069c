"""Rounds of a process that saves and is killed with SIGKILL; run by test_kills.py as a script of its own.

It imports once and forks for each round, so that a round costs milliseconds. After each the table must open
whole, as the last version seen or a newer one.
"""

import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from rowspace import store
from rowspace._base.atomic import find_backup
from rowspace.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from system_calls import forbid_exchange

SIZE = 50
LONG = os.environ.get("ROWSPACE_LONG_TESTS") == "1"  # takes every line, and 100 rounds instead of a few


def table_of(version: int) -> Table:
    """A table of which each part tells the version."""
    vocabulary = [f"{version}-{i}" for i in range(SIZE)]
    return Table(
        vocabulary,
        np.full((SIZE, 4), version, np.float32),
        np.full(SIZE, version),
        settings={"version": version},
    )


def version_of(path: Path) -> int:
    """Open the table at `path`, or what a save cut short kept of it; all parts must be of one version."""
    table = store.load(path if path.exists() else find_backup(path) or path, verify=True)
    version = table.settings["version"]
    assert isinstance(version, int)
    assert table.vocabulary == table_of(version).vocabulary
    assert np.all(table.rows == version)
    assert np.all(table.counts == version)
    return version


def in_a_child(work: Callable[[], None], delay: float | None) -> int:
    """Run `work` in a fork; kill it after `delay` seconds, or let it end itself."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    if delay is not None:
        time.sleep(delay)  # not a wait: the random moment of the kill is the experiment
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def at_random(path: Path, rounds: int) -> None:
    """Kill a process that saves without a pause, at random times."""
    chance = random.Random(0)  # noqa: S311  # no secret
    for _ in range(rounds):
        last = version_of(path)

        def save_on(first: int = last + 1) -> None:
            for version in range(first, first + 10_000):
                store.save(table_of(version), path)

        assert in_a_child(save_on, chance.uniform(0, 0.03)) == -signal.SIGKILL
        assert version_of(path) >= last


def at_each_line(path: Path, step: int) -> int:
    """Kill a save at the first line of atomic/ or native/directory.py, then `step` lines later, and so on."""
    line = 1 - step
    while True:
        line += step
        last = version_of(path)

        def save(stop: int = line, version: int = last + 1) -> None:
            table = table_of(version)
            sys.settrace(killer(stop))
            store.save(table, path)

        status = in_a_child(save, None)
        assert version_of(path) in {last, last + 1}
        if status == 0:
            return line
        assert status == -signal.SIGKILL


def killer(stop: int) -> Callable[[object, str, object], object]:
    """A trace function that ends the process at its line number `stop`."""
    seen = 0

    def trace(frame, event, _):
        nonlocal seen
        where = frame.f_code.co_filename
        if "rowspace/_base/atomic/" not in where and not where.endswith("store/native/directory.py"):
            return None
        if event == "line":
            seen += 1
            if seen == stop:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    return trace


def main() -> None:
    """Run the kind of rounds that the first argument names, on the path that the second one gives."""
    kind, path = sys.argv[1], Path(sys.argv[2])
    if kind.endswith("without exchange"):
        forbid_exchange()
    store.save(table_of(1), path)
    if kind.startswith("at random"):
        at_random(path, 100 if LONG else 10)
    else:
        print(json.dumps({"lines": at_each_line(path, 1 if LONG else 7)}))
    store.save(table_of(0), path)


if __name__ == "__main__":
    main()
