"""Kill a process with SIGKILL while it builds, updates or replaces an index; test_kills.py runs this as a script.

Lance must not be used before a fork, so that every step runs in a child of its own. After each kill the index must
open, answer, and hold only complete files, each in its old or its new version; the next run must complete it, as an
index with the same passages and vectors as one that was not killed.
"""

import random
import shutil
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import lance  # noqa: F401  # imported once, not in each child
from tests.killed_children import run_in_child
from tests.search.samples import FILES, contents, make_table

from rowspace.encode import Encoder
from rowspace.search import BridgeOptions, Index, IndexOptions

WORDS = " ".join(FILES.values()).split()
OPTIONS = IndexOptions(max_chars=100)


def change_files(folder: Path, chance: random.Random) -> None:
    """Write, change and remove files; one stays, with the passages that a bridge needs."""
    if not (kept := folder / "kept.txt").exists():
        kept.write_text("\n\n".join(" ".join(chance.choices(WORDS, k=12)) for _ in range(60)))
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
    """Do what `rowspace index` does; "named": each file is named, then the deleted ones are forgotten."""
    if kind == "rebuild" or not (place / "chunks.lance").is_dir():
        Index.build(folder if kind != "named" else sorted(folder.iterdir()), encoder, place, options=OPTIONS)
        return
    index = Index.open(place, encoder)
    index.update(folder if kind != "named" else sorted(folder.iterdir()))
    if kind == "named":
        index.update()


def check(kind: str, folder: Path, place: Path, encoder: Encoder, old: dict[str, str]) -> None:
    """Check an index whose writer was killed, complete it, and check it again."""
    new = texts(folder)
    if not (place / "chunks.lance").is_dir():
        assert not old
    else:
        index = Index.open(place, encoder)
        for path, text in indexed(index).items():
            assert text in (old.get(path), new.get(path)), path
        index.search("tulips water", k=3)
    run_again("named" if kind == "named" else "update", folder, place, encoder)
    complete = Index.open(place, encoder)
    assert indexed(complete) == new
    for path, text in list(new.items())[:3]:
        hits = complete.search(text[:60], k=200, mode="lexical", path=Path(path).name)
        assert {hit.path for hit in hits} == {path}
    assert sorted(entry.name for entry in place.parent.iterdir()) == ["files", "index"]
    hidden = list(place.rglob(".*"))
    assert not hidden, hidden
    found = contents(complete)
    if kind == "named":
        shutil.rmtree(place)  # to name the files again
    run_again("named" if kind == "named" else "rebuild", folder, place, encoder)
    assert found == contents(Index.open(place, encoder))  # every number of an index that was not killed


def check_bridged(folder: Path, place: Path, encoder: Encoder, new: Encoder, old: dict[str, str]) -> None:
    """Check an index with a bridge whose rebuild with a new encoder was killed; then restore it."""
    index = Index.open(place, new)  # by the bridge to the old index, or as what made the new one
    assert indexed(index) == (texts(folder) if index.bridge is None else old)
    assert index.search("tulips water", k=3, mode="dense")
    rebuild_with_bridge(folder, place, encoder, new)
    assert sorted(entry.name for entry in place.parent.iterdir()) == ["files", "index"]


def rebuild_with_bridge(folder: Path, place: Path, encoder: Encoder, new: Encoder) -> None:
    """Build the index again, and a bridge."""
    Index.build(folder, encoder, place, options=OPTIONS).build_bridge(new, options=BridgeOptions(kind="linear"))


def main() -> None:
    """Kill work of a kind a number of times: first builds, updates (also of named files), rebuilds (also bridged)."""
    kind, folder, kills = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    encoder, new, chance = Encoder(make_table()), Encoder(make_table(seed=1, dim=64)), random.Random(kind)
    files, place = folder / "files", folder / "index"
    files.mkdir()
    change_files(files, chance)
    started = time.monotonic()
    assert run_in_child(lambda: run_again("named" if kind == "named" else "build", files, place, encoder)) == 0
    longest, killed = time.monotonic() - started, 0
    if kind == "bridge":
        assert run_in_child(lambda: rebuild_with_bridge(files, place, encoder, new)) == 0
    while killed < kills:
        old = texts(files)
        if kind == "build":
            shutil.rmtree(place)
            old = {}
        change_files(files, chance)
        again = ("rebuild", files, place, new) if kind == "bridge" else (kind, files, place, encoder)
        status = run_in_child(
            lambda arguments=again: run_again(*arguments), delay=longest * (killed + chance.random()) / kills
        )
        assert status in (0, -signal.SIGKILL), f"exit status {status} after {killed} kills"
        if status == 0:
            longest *= 0.9  # the work was done before the signal
        killed += status == -signal.SIGKILL
        if kind == "bridge":
            status = run_in_child(lambda known=old: check_bridged(files, place, encoder, new, known))
        else:
            status = run_in_child(lambda known=old: check(kind, files, place, encoder, known))
        assert status == 0, f"after {killed} kills"


if __name__ == "__main__":
    main()
