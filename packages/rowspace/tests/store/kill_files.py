"""Kill a process at random times while it saves a table in one format; test_kills_files.py runs this as a script.

After each round the file must load completely, as the last version seen or a newer one. kill_rounds.py does the same
for native folders, and also kills at each line.
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
    """Run the rounds for the format named by the first argument on the path given as the second."""
    from kill_rounds import LONG, run_in_child  # importable only when run as a script

    kind, path = next(known for known in FORMATS if known.name == sys.argv[1]), Path(sys.argv[2])
    # Formats with a tokenizer add a row for [UNK] unless the vocabulary already has it.
    vocabulary = ["[UNK]", *(f"w{number}" for number in range(1, SIZE))]

    def save(version: int) -> None:
        kind.writer.save(Table(vocabulary, np.full((SIZE, 4), version, np.float32)), path)

    def version_of() -> int:
        table = kind.reader.load(path)
        assert list(table.vocabulary) == vocabulary
        assert len(set(table.rows.ravel().tolist())) == 1
        return int(table.rows[0, 0])

    save(1)
    chance = random.Random(0)
    for _ in range(100 if LONG else 5):
        last = version_of()

        def save_on(first: int = last + 1) -> None:
            for version in range(first, first + 10_000):
                save(version)

        assert run_in_child(save_on, delay=chance.uniform(0, 0.03)) == -signal.SIGKILL
        assert version_of() >= last
    save(0)  # removes temporary files


if __name__ == "__main__":
    main()
