"""Open damaged files with every reader, in processes with limited memory and time.

    python tests/fuzz/damaged_files.py --files 3000 --seed 0 --results FOLDER [READER ...]

File number N of a reader is the same in every run with the same seed. With --results, the outcomes are saved in FOLDER,
an interrupted run continues where it stopped, and files with a wrong outcome are kept. The only correct outcomes are a
table (or tokenizer, or model) and a RowspaceError, within 60 s, using at most 100 MB plus twice the larger of the
file and the opened object. What is saved by us and has checksums, such as an index or a run, must be the same as before
the damage if it opens. Exits with 1 if there was any other outcome.
"""

import argparse
import json
import random
import re
import resource
import shutil
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests import killed_children  # noqa: E402  # after the line that makes it importable
from tests.fuzz.children import Outcome, run_trials, status_of  # noqa: E402  # after the line that makes it importable
from tests.fuzz.damage import damaged  # noqa: E402  # after the line that makes it importable
from tests.fuzz.samples import READERS, Reader  # noqa: E402  # after the line that makes it importable

from rowspace.cli.warm import warm_store  # noqa: E402  # sorted after the two above
from rowspace.errors import RowspaceError  # noqa: E402  # sorted after the two above

MEMORY = 100 << 20
SLOWER = 3  # times as long a file, so that only a third of them are tried: indexes and runs
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
ADDRESSES = 16 << 30  # so that a failure does not exhaust the machine


def main() -> int:
    """Parse the command line, run the readers, and print a table of outcomes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"one of {', '.join(READERS)}; all by default")
    parser.add_argument(
        "--files", type=int, default=3000, help="how many for each reader (3000), a third of indexes and runs"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, help="a folder for the outcomes; an interrupted run continues from it")
    options = parser.parse_args()
    unknown = sorted(set(options.readers) - READERS.keys())
    if unknown:
        parser.error(f"unknown reader {', '.join(unknown)}; the readers are {', '.join(READERS)}")
    warnings.simplefilter("ignore")
    warm_store()
    wrong = 0
    print(f"{'reader':28}{'files':>7}{'opened':>8}{'errors':>8}{'wrong':>7}{'MB':>7}", flush=True)
    for name in options.readers or READERS:
        with tempfile.TemporaryDirectory(prefix="rowspace-fuzz-") as folder:
            outcomes = list(run(name, options, Path(folder)))
        wrong += report(name, outcomes)
    return min(wrong, 1)


def report(name: str, outcomes: list[Outcome]) -> int:
    """Print a line for the reader and one for each wrong outcome; return the number of wrong outcomes."""
    bad = [outcome for outcome in outcomes if outcome.kind not in ("table", "error")]
    opened = sum(outcome.kind == "table" for outcome in outcomes)
    peak = max((outcome.memory for outcome in outcomes), default=0) >> 20
    errors = len(outcomes) - opened - len(bad)
    print(f"{name:28}{len(outcomes):7}{opened:8}{errors:8}{len(bad):7}{peak:7}", flush=True)
    for outcome in bad[:20]:
        print(f"  {name} {outcome.number}: {outcome.kind}: {outcome.message[-1500:]}")
    return len(bad)


def run(name: str, options: argparse.Namespace, folder: Path) -> Iterator[Outcome]:
    """Yield the outcome of each file of a reader, starting with those of an earlier run."""
    sample = folder / "sample"
    sample.mkdir()
    reader, seed = READERS[name], options.seed
    target, expected = made_in_child(reader, sample)
    return run_trials(
        lambda number: outcome_of(name, number, seed, sample, target, expected),
        options.files if reader.content is None else -(-options.files // SLOWER),
        record=None if options.results is None else options.results / f"{name}.{seed}.jsonl",
        right=("table", "error"),
        keep=lambda number, place: damaged_copy(name, number, seed, sample, place),
        before=lambda: content_of(reader, sample, target),  # imports on first use are no memory of a damaged file
    )


def made_in_child(reader: Reader, sample: Path) -> tuple[Path, str]:
    """Make the sample, which must open; return its path within `sample`, and the hash of its content.

    This is done in a child, since threads of Lance do not outlive a fork.
    """
    result = sample.with_name("made.json")

    def make() -> None:
        path = reader.make(sample)
        target = path.relative_to(sample)
        result.write_text(json.dumps([str(target), content_of(reader, sample, target)]))

    assert killed_children.run_in_child(make) == 0
    target, expected = json.loads(result.read_text())
    return Path(target), expected


def content_of(reader: Reader, sample: Path, target: Path) -> str:
    """Open and use a copy of the undamaged sample; return the hash of its content, if the reader has one."""
    place = sample.with_name("undamaged")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(sample, place)
    if reader.content is not None:
        return reader.content(place / target)
    reader.use(place / target)
    return ""


def outcome_of(name: str, number: int, seed: int, sample: Path, target: Path, expected: str) -> Outcome:
    """Open and use one damaged file in this process."""
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    place = sample.with_name("damaged")
    shutil.rmtree(place, ignore_errors=True)
    size = damaged_copy(name, number, seed, sample, place)
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before, memory = status_of("VmRSS"), 0
    kind, message, kept = open_and_use(READERS[name], place / target, expected)
    memory = max(0, status_of("VmHWM") - before)
    if kind in ("table", "error") and memory > MEMORY + 2 * max(size, kept):
        kind, message = "memory", f"{memory >> 20} MB for a file of {size} and a table of {kept} bytes; {message}"
    return Outcome(number, kind, memory, message)


def open_and_use(reader: Reader, path: Path, expected: str) -> tuple[str, str, int]:
    """Return the kind of outcome, the message, and the bytes of the opened object in memory."""
    try:
        if reader.content is None:
            return "table", "", reader.use(path)
        same = reader.content(path) == expected
        return ("table", "", 0) if same else ("different", "it opens, but differs from what was saved", 0)
    except RowspaceError as error:
        message = str(error)
        wordy = len(message) > 2000 or CONTROL.search(message)
        return ("unclear message" if wordy else "error"), message, 0
    except BaseException:  # any other exception is a failure
        return "traceback", traceback.format_exc(), 0


def damaged_copy(name: str, number: int, seed: int, sample: Path, place: Path) -> int:
    """Copy the sample and damage one of its files; return the total size in bytes."""
    chance = random.Random(f"{name} {seed} {number}")
    shutil.copytree(sample, place)
    files = sorted(file for file in place.rglob("*") if file.is_file())
    chosen = chance.choice(files)
    chosen.write_bytes(damaged(chosen.read_bytes(), chance))
    return sum(file.stat().st_size for file in files)


if __name__ == "__main__":
    sys.exit(main())
