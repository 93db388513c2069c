"""Write what this rowspace saves as fixtures, with all that can be read of it; later versions must open them.

    python tests/formats/make_fixtures.py VERSION [NAME ...]

Run it when a format changes, before its first release; fixtures of earlier versions stay as they are. The zip
NAME-VERSION has the folder `sample`, `path.txt` (what to open in it) and `content.json`.
"""

import json
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.fuzz.saved_states import STATES, States

FIXTURES = Path(__file__).with_name("fixtures")


def main(states: States, folder: Path) -> None:
    """Write the fixtures that the command line names."""
    for each in sys.argv[2:] or states:
        written = write_fixture(folder / f"{each}-{sys.argv[1]}.zip", *states[each])
        print(f"{written.name}: {written.stat().st_size:,} bytes")


def write_fixture(target: Path, make: Callable[[Path], Path], read: Callable[[Path], object]) -> Path:
    """Write the fixture of a format, and return its path."""
    with tempfile.TemporaryDirectory() as folder:
        sample, copy = Path(folder, "sample"), Path(folder, "copy")
        sample.mkdir()
        path = make(sample).relative_to(sample)
        shutil.copytree(sample, copy)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            archive.writestr("path.txt", str(path))
            content = json.loads(
                json.dumps(read(copy / path)), parse_float=lambda digits: float(f"{float(digits):.7g}")
            )
            archive.writestr("content.json", json.dumps(content))
            for file in sorted(entry for entry in sample.rglob("*") if entry.is_file()):
                archive.write(file, f"sample/{file.relative_to(sample)}")
    return target


if __name__ == "__main__":
    main(STATES, FIXTURES)
