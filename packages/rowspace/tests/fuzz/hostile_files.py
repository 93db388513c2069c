"""Read hostile files as an index does: named ones, and random ones of each format.

    python tests/fuzz/hostile_files.py --files 300 --seed 0 --results FOLDER [FORMAT ...]

FORMAT is a suffix such as .js, or "named". File number N of a format is the same in every run with the same seed. With
--results, the outcomes are saved in FOLDER, an interrupted run continues where it stopped, and files with a wrong
outcome are kept. A file may be read, read as plain text, or left out with a reason, within SECONDS of processor time
and MEMORY bytes, both counted with the process of the parser. Exits with 1 if there was any other outcome.
"""

import argparse
import random
import resource
import sys
import time
import traceback
from contextlib import closing
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.fuzz.children import Outcome, run_trials, status_of  # noqa: E402  # after the line that makes it importable
from tests.fuzz.hostile import CASES, FORMATS, hostile  # noqa: E402  # after the line that makes it importable

from rowspace.search.reading.reader import FileReader, Passages  # noqa: E402  # sorted after the two above

SECONDS, MEMORY = 20, 500_000_000
RIGHT = ("read", "plain", "left out")
NAMED = "named"


def main() -> int:
    """Parse the command line, read the files, and print a table of outcomes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"{NAMED} or {', '.join(FORMATS)}; all by default")
    parser.add_argument("--files", type=int, default=300, help="how many of each format (300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--results", type=Path, help="a folder for the outcomes; an interrupted run continues from it")
    options = parser.parse_args()
    unknown = sorted(set(options.formats) - FORMATS.keys() - {NAMED})
    if unknown:
        parser.error(f"unknown format {', '.join(unknown)}; the formats are {NAMED}, {', '.join(FORMATS)}")
    wrong = 0
    print(f"{'format':8}{'files':>7}{'read':>7}{'plain':>7}{'left out':>10}{'wrong':>7}{'MB':>7}", flush=True)
    for suffix in options.formats or (NAMED, *FORMATS):
        outcomes = list(
            run_trials(
                partial(trial, suffix, options.seed),
                len(CASES) if suffix == NAMED else options.files,
                record=None if options.results is None else options.results / f"{suffix}.{options.seed}.jsonl",
                right=RIGHT,
                keep=partial(keep, suffix, options.seed),
                at_once=1,  # the peak of the parsers' processes is that of the largest one so far
            )
        )
        wrong += report(suffix, outcomes)
    return min(wrong, 1)


def report(suffix: str, outcomes: list[Outcome]) -> int:
    """Print a line for the format, and one for each named file or wrong outcome; return how many are wrong."""
    counts = [sum(outcome.kind == kind for outcome in outcomes) for kind in RIGHT]
    bad = len(outcomes) - sum(counts)
    peak = max((outcome.memory for outcome in outcomes), default=0) // 1_000_000
    print(f"{suffix:8}{len(outcomes):7}{counts[0]:7}{counts[1]:7}{counts[2]:10}{bad:7}{peak:7}", flush=True)
    for outcome in outcomes:
        if suffix == NAMED or outcome.kind not in RIGHT:
            name = list(CASES)[outcome.number] if suffix == NAMED else outcome.number
            print(f"  {name}: {outcome.kind}, {outcome.memory // 1_000_000} MB: {outcome.message[-1500:]}")
    return bad


def file_of(suffix: str, seed: int, number: int) -> tuple[str, bytes]:
    """Return the name and the content of a file."""
    if suffix == NAMED:
        name, make = list(CASES.values())[number]
        return name, make()
    return f"a{suffix}", hostile(suffix, random.Random(f"{suffix} {seed} {number}"))


def keep(suffix: str, seed: int, number: int, place: Path) -> None:
    """Write a file to keep it."""
    name, data = file_of(suffix, seed, number)
    place.with_suffix(Path(name).suffix).write_bytes(data)


def trial(suffix: str, seed: int, number: int) -> Outcome:
    """Read a file, and check the outcome."""
    name, data = file_of(suffix, seed, number)
    Path("/proc/self/clear_refs").write_text("5")  # resets the peak
    before, began, start = status_of("VmRSS"), processor_seconds(), time.monotonic()
    try:
        with closing(FileReader(1_500)) as reader:
            (found,) = reader.read([(name, data)])
        kind, message = checked(found)
    except BaseException:  # any exception is a failure
        kind, message = "traceback", traceback.format_exc()
    seconds = processor_seconds() - began
    memory = max(0, status_of("VmHWM") - before) + (resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10)
    if kind in RIGHT and memory > MEMORY:
        kind = "memory"
    elif kind in RIGHT and seconds > SECONDS:
        kind = "time"
    return Outcome(number, kind, memory, f"{seconds:.1f} s of processor, {time.monotonic() - start:.1f} s; {message}")


def checked(found: Passages) -> tuple[str, str]:
    """Return the kind of an outcome, and the reason."""
    if any(len(chunk.text) > 1_500 or len(chunk.name) > 1_000 for chunk in found.chunks):
        return "a passage that is too long", found.problem
    if found.left_out:
        return "left out", found.problem or found.left_out
    return ("plain" if found.problem else "read"), found.problem or f"{len(found.chunks)} passages"


def processor_seconds() -> float:
    """Return the processor time of this process and those that it started."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


if __name__ == "__main__":
    sys.exit(main())
