"""Open damaged runs, events and arenas; see `tests/fuzz/damaged_files.py` of the library, whose options it takes."""

import sys
from pathlib import Path

PACKAGES = Path(__file__).parents[3]
sys.path[:0] = [str(PACKAGES / name) for name in ("rowspace", "rowspace-lab")]

from tests.fuzz import damaged_files  # noqa: E402  # after the line that makes it importable
from tests.fuzz.samples import READERS, of_states  # noqa: E402  # after the line that makes it importable
from tests.fuzz.saved_runs import STATES  # noqa: E402  # after the line that makes it importable

if __name__ == "__main__":
    READERS.clear()
    READERS.update(of_states(STATES))
    sys.exit(damaged_files.main())
