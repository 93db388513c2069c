"""Kill a process with SIGKILL while it builds or updates an index; test_kills.py runs this as a script.

Lance must not be used before a fork, so that every step runs in a child of its own. After each kill the index must
open, answer, and hold only complete files, each in its old or its new version; the next run must complete it.
"""

import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))

import lance  # noqa: F401  # imported once, not in each child
from tests.encode.index.samples import FILES, make_table

from rowspace.encode import Encoder
from rowspace.encode.index import Index, IndexOptions

WORDS = " ".join(FILES.values()).split()
OPTIONS = IndexOptions(max_chars=100)


def in_child(work: Callable[[], None], *, delay: float | None = None) -> int:
    """Run `work` in a forked child; kill it after `delay` seconds, or wait for it to exit."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    if delay is not None:
        time.sleep(delay)  # not waiting for anything: the random delay is what the test varies
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def change_files(folder: Path, chance: random.Random) -> None:
    """Write, change and remove files."""
    for number in range(12):
        path = folder / f"{number}.txt"
        if chance.random() < 0.2:
            path.unlink(missing_ok=True)
        elif chance.random() < 0.7:
            path.write_text("\n\n".join(" ".join(chance.choices(WORDS, k=12)) for _ in range(chance.randrange(1, 30))))


def texts(folder: Path) -> dict[str, str]:
    """Return the words of each file."""
    return {str(path): " ".join(path.read_text().split()) for path in folder.iterdir()}


def indexed(index: Index) -> dict[str, str]:
    """Return the words of each file in an index, whose passages must be complete and in order."""
    rows = index._store.dataset.to_table(columns=["path", "chunk", "text"]).to_pylist()
    found: dict[str, str] = {}
    last: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: (row["path"], row["chunk"])):
        assert row["chunk"] == last.get(row["path"], -1) + 1, row
        last[row["path"]] = row["chunk"]
        found[row["path"]] = f"{found.get(row['path'], '')} {' '.join(row['text'].split())}".strip()
    return found


def run_again(kind: str, folder: Path, place: Path, encoder: Encoder) -> None:
    """Do what `rowspace index` does."""
    if kind == "rebuild" or not (place / "chunks.lance").is_dir():
        Index.build(folder, encoder, place, options=OPTIONS)
    else:
        Index.open(place, encoder).update(folder)


def check(folder: Path, place: Path, encoder: Encoder, old: dict[str, str]) -> None:
    """Check an index whose writer was killed, complete it, and check it again."""
    new = texts(folder)
    if not (place / "chunks.lance").is_dir():
        assert not old
    else:
        index = Index.open(place, encoder)
        for path, text in indexed(index).items():
            assert text in (old.get(path), new.get(path)), path
        index.search("tulips water", k=3)
    run_again("update", folder, place, encoder)
    complete = Index.open(place, encoder)
    assert indexed(complete) == new
    for path, text in list(new.items())[:3]:
        hits = complete.search(text[:60], k=200, mode="lexical", path=Path(path).name)
        assert {hit.path for hit in hits} == {path}
    run_again("rebuild", folder, place, encoder)  # clears what a killed rebuild has left
    assert sorted(entry.name for entry in place.parent.iterdir()) == ["files", "index"]


def main() -> None:
    """Run rounds of the given kind: a first build, updates, or builds that replace an index."""
    kind, folder, rounds = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    encoder, chance = Encoder(make_table()), random.Random(kind)
    files, place = folder / "files", folder / "index"
    files.mkdir()
    change_files(files, chance)
    started = time.monotonic()
    assert in_child(lambda: run_again("build", files, place, encoder)) == 0
    longest, killed = time.monotonic() - started, 0
    for number in range(rounds):
        old = texts(files)
        if kind == "build":
            shutil.rmtree(place)
            old = {}
        change_files(files, chance)
        status = in_child(
            lambda: run_again(kind, files, place, encoder), delay=longest * (number + chance.random()) / rounds
        )
        killed += status == -signal.SIGKILL
        assert status in (0, -signal.SIGKILL), f"round {number}: exit status {status}"
        assert in_child(lambda known=old: check(files, place, encoder, known)) == 0, f"round {number}"
    print(killed)


if __name__ == "__main__":
    main()
