"""Kill a process with SIGKILL while it saves a table; test_kills.py runs this as a script.

The script imports once and forks for each round, so a round takes milliseconds. After each round the table must load
completely, as the last version seen or a newer one.
"""

import json
import random
import signal
import sys
from pathlib import Path

import numpy as np

from rowspace import store
from rowspace._base.atomic import find_backup
from rowspace.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))
from killed_children import kill_at_line, run_in_child
from system_calls import forbid_exchange

SIZE = 50
TRACED = ("rowspace/_base/atomic/", "store/native/folder.py")
LONG = "--long" in sys.argv  # every line, and 100 rounds instead of a few


def table_of(version: int) -> Table:
    """Return a table in which every part encodes the version."""
    vocabulary = [f"{version}-{i}" for i in range(SIZE)]
    return Table(
        vocabulary,
        np.full((SIZE, 4), version, np.float32),
        np.full(SIZE, version),
        settings={"version": version},
    )


def version_of(path: Path) -> int:
    """Load the table at `path`, or the copy left by an interrupted save; all parts must have the same version."""
    table = store.load(path if path.exists() else find_backup(path) or path, verify=True)
    version = table.settings["version"]
    assert isinstance(version, int)
    assert table.vocabulary == table_of(version).vocabulary
    assert np.all(table.rows == version)
    assert np.all(table.counts == version)
    return version


def kill_at_random_times(path: Path, rounds: int) -> None:
    """Kill a process that saves in a loop, at random times."""
    chance = random.Random(0)
    for _ in range(rounds):
        last = version_of(path)

        def save_on(first: int = last + 1) -> None:
            for version in range(first, first + 10_000):
                store.save(table_of(version), path)

        assert run_in_child(save_on, delay=chance.uniform(0, 0.03)) == -signal.SIGKILL
        assert version_of(path) >= last


def kill_at_each_line(path: Path, step: int) -> int:
    """Kill a save at the first executed line of atomic/ or native/folder.py, then `step` lines later, and so on."""
    line = 1 - step
    while True:
        line += step
        last = version_of(path)

        def save(stop: int = line, version: int = last + 1) -> None:
            table = table_of(version)
            sys.settrace(kill_at_line(stop, TRACED))
            store.save(table, path)

        status = run_in_child(save)
        assert version_of(path) in {last, last + 1}
        if status == 0:
            return line
        assert status == -signal.SIGKILL


def main() -> None:
    """Run the rounds named by the first argument on the path given as the second."""
    kind, path = sys.argv[1], Path(sys.argv[2])
    if kind.endswith("without exchange"):
        forbid_exchange()
    store.save(table_of(1), path)
    if kind.startswith("at random"):
        kill_at_random_times(path, 100 if LONG else 10)
    else:
        print(json.dumps({"lines": kill_at_each_line(path, 1 if LONG else 7)}))
    store.save(table_of(0), path)


if __name__ == "__main__":
    main()
