"""Write runs, events and arenas as fixtures; see `tests/formats/make_fixtures.py` of the library.

python packages/rowspace-lab/tests/formats/make_run_fixtures.py VERSION [NAME ...]
"""

import sys
from pathlib import Path

PACKAGES = Path(__file__).parents[3]
sys.path[:0] = [str(PACKAGES / name) for name in ("rowspace", "rowspace-lab")]

from tests.formats.make_fixtures import main  # noqa: E402  # after the line that makes it importable
from tests.fuzz.saved_runs import STATES  # noqa: E402  # likewise

if __name__ == "__main__":
    main(STATES, Path(__file__).with_name("fixtures"))
