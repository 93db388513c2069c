"""Kill a process with SIGKILL while it encodes a file; test_kills.py runs this as a script.

The script imports once and forks for each round. After each kill the output must be missing, or complete; after the
next run, which resumes if there is something to resume, it must have the vectors of all texts.
"""

import json
import random
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from killed_children import kill_at_line, run_in_child
from rowspace.encode import Encoder, StreamOptions
from rowspace.table import Table
from rowspace.text import whitespace_json

if TYPE_CHECKING:
    import pyarrow as pa

LONG = "--long" in sys.argv  # 30 rounds instead of 1, and more lines
WORDS = ["the", "cat", "sat", "dog"]
WIDTH = 4096  # so that a batch is 1,024 texts
TRACED = ("rowspace/encode/stream/", "rowspace/_base/atomic/")


def encoder() -> Encoder:
    """Return a new encoder: a fork cannot use the threads of its parent's tokenizer."""
    rows = np.random.default_rng(0).normal(size=(len(WORDS), WIDTH)).astype(np.float32)
    return Encoder(Table(WORDS, rows, tokenizer=whitespace_json(WORDS)), workers=1)


def text_of(number: int) -> str:
    """Return a text that others do not have at this place."""
    return " ".join(WORDS[number >> shift & 3] for shift in range(0, 2 * (1 + number % 7), 2))


def encode(source: Path, out: Path) -> None:
    """Encode the file, from where a killed run stopped if there is one."""
    resume = out.with_name(f"{out.name}.encode").joinpath("state.json").exists()
    encoder().encode_to(source, out, resume=resume, options=StreamOptions(seconds_between_saves=0.0))


def read_parquet(path: Path) -> "pa.Table":
    """Return the table of a Parquet file."""
    from pyarrow import parquet

    return parquet.read_table(path)


def read_lance(path: Path) -> "pa.Table":
    """Return a Lance table; the import is here because its threads do not outlive a fork."""
    import lancedb

    return lancedb.connect(path.parent).open_table(path.stem).to_arrow()


def check(source: Path, out: Path) -> None:
    """Compare the output with the vectors of all texts."""
    if out.suffix == ".npy":
        vectors = np.load(out)
    else:
        table = read_lance(out) if out.suffix == ".lance" else read_parquet(out)
        vectors = table["vector"].combine_chunks().flatten().to_numpy().reshape(-1, WIDTH)
        assert table["text"].to_pylist() == source.read_text().splitlines()
    np.testing.assert_array_equal(vectors, encoder().encode(source.read_text().splitlines()))


def kill_at_random_times(source: Path, out: Path, rounds: int) -> dict[str, int]:
    """Kill a run again and again, later each time, until one ends; count the kills and those that left a state."""
    chance, kills, resumed = random.Random(0), 0, 0
    for _ in range(rounds):
        delay = 0.05
        while (status := run_in_child(lambda: encode(source, out), delay=chance.uniform(0, delay))) != 0:
            assert status == -signal.SIGKILL
            kills, delay = kills + 1, delay * 1.4
            resumed += out.with_name(f"{out.name}.encode").joinpath("state.json").exists()
            if out.exists():
                assert run_in_child(lambda: check(source, out)) == 0
        assert run_in_child(lambda: check(source, out)) == 0
        assert sorted(entry.name for entry in out.parent.iterdir()) == sorted([source.name, out.name])
        shutil.rmtree(out) if out.is_dir() else out.unlink()
    return {"kills": kills, "resumed": resumed}


def kill_at_each_line(source: Path, out: Path, step: int) -> dict[str, int]:
    """Kill a run at the first executed line of `TRACED`, then `step` lines later, and so on; then run it again."""
    line, resumed = 1, 0
    while True:

        def killed(stop: int = line) -> None:
            sys.settrace(kill_at_line(stop, TRACED))
            encode(source, out)

        status = run_in_child(killed)
        if status == 0:
            return {"lines": line, "resumed": resumed}
        assert status == -signal.SIGKILL
        if out.exists():
            assert run_in_child(lambda: check(source, out)) == 0
        resumed += out.with_name(f"{out.name}.encode").joinpath("state.json").exists()
        assert run_in_child(lambda: encode(source, out)) == 0
        assert run_in_child(lambda: check(source, out)) == 0
        assert sorted(entry.name for entry in out.parent.iterdir()) == sorted([source.name, out.name]), line
        shutil.rmtree(out) if out.is_dir() else out.unlink()
        line += step


def main() -> None:
    """Run the rounds named by the first argument on the output given as the second."""
    kind, out = sys.argv[1], Path(sys.argv[2])
    source = out.with_name("source.txt")
    at_random = kind == "at random"
    encoder().warm_up()  # compiled kernels, and pyarrow below, are inherited by all forks
    if out.suffix != ".npy":
        import pyarrow.parquet  # noqa: F401  # imported once, not in each child
    source.write_text("\n".join(text_of(number) for number in range(12_000 if at_random else 5)))
    if at_random:
        print(json.dumps(kill_at_random_times(source, out, 30 if LONG else 1)))
    else:
        every = 20 if out.suffix == ".lance" else 1  # a child that imports LanceDB takes more than a second
        print(json.dumps(kill_at_each_line(source, out, every if LONG else 97)))


if __name__ == "__main__":
    main()
