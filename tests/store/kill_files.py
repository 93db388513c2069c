"""Rounds of a process that saves a table and is killed at random times; run by test_kills_files.py as a script.

After each what is there must open whole, as the last version seen or a newer one. See kill_rounds.py, which does the
same for native directories, and at each line too.
"""

import random
import signal
import sys
from pathlib import Path

import numpy as np

from rowspace.store import FORMATS
from rowspace.table import Table

SIZE = 50


def main() -> None:
    """Save in the format that the first argument names to the path that the second one gives, round by round."""
    from kill_rounds import LONG, in_a_child  # found beside a script only

    kind, path = next(known for known in FORMATS if known.name == sys.argv[1]), Path(sys.argv[2])
    # With [UNK], formats that are made for a tokenizer add no row for it.
    vocabulary = ["[UNK]", *(f"w{number}" for number in range(1, SIZE))]

    def save(version: int) -> None:
        kind.writer.save(Table(vocabulary, np.full((SIZE, 4), version, np.float32)), path)

    def version_of() -> int:
        table = kind.reader.load(path)
        assert list(table.vocabulary) == vocabulary
        assert len(set(table.rows.ravel().tolist())) == 1
        return int(table.rows[0, 0])

    save(1)
    chance = random.Random(0)  # noqa: S311  # no secret
    for _ in range(100 if LONG else 5):
        last = version_of()

        def save_on(first: int = last + 1) -> None:
            for version in range(first, first + 10_000):
                save(version)

        assert in_a_child(save_on, chance.uniform(0, 0.03)) == -signal.SIGKILL
        assert version_of() >= last
    save(0)  # which tidies up


if __name__ == "__main__":
    main()
