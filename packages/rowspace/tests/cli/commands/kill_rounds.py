"""Kill commands that make a folder with SIGKILL, at lines and at random moments; test_kills.py runs this as a script.

The script imports once and forks for each command. After each kill the output must be what stood there before, byte by
byte, or the complete new one, or missing; on a system that cannot exchange two names the old one may have a hidden
name, which the error of opening it must give. The next run must write the same bytes as one that was not killed, and
remove what the killed one has left, also among the system's temporary files.
"""

import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.killed_children import kill_at_line, run_in_child
from tests.learn.distillation.small_bert import save_bert
from tests.system_calls import forbid_exchange

from rowspace import load
from rowspace.cli.app import app
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace.text import whitespace_json

Files = dict[str, bytes]

TRACED = (
    "rowspace/_base/atomic/",
    "store/native/folder.py",
    "model_formats/quantized.py",
    "saved_classifier.py",
    "classifier/saved.py",
)
LINES, MOMENTS = 10, 30  # lines between kills; kills
WORDS = [f"{first}{second}" for first in "abcdefg" for second in "uvwxyz"]
QUANTIZED = {
    f"convert {kind}": ["convert", "{table}", "{out}", "--quantize", kind] for kind in ("int8", "binary", "pq")
}
ROWS = ["--method", "rows", "--epochs", "2", "--workers", "1"]
COMMANDS = {
    "tune": ["tune", "{table}", "pairs.tsv", "-o", "{out}", "--epochs", "4"],
    "classify fit": ["classify", "fit", "labels.csv", "-o", "{out}", *ROWS, "--dim", "{dim}"],
    **QUANTIZED,
    "align": ["align", "{table}", "table-1", "-o", "{out}"],
    "merge": ["merge", "{table}", "table-1", "-o", "{out}", "--method", "slerp"],
    "distill": ["distill", "model", "-o", "{out}", "--dim", "{dim}", "--corpus", "lines.txt"],
}


def main() -> None:
    """Kill each command, in the folder given as the first argument."""
    folder = Path(sys.argv[1])
    if "--without-exchange" in sys.argv:
        forbid_exchange()
    make_inputs(folder)
    for name in COMMANDS:
        print(json.dumps({"command": name, **Rounds(name, folder).run()}), flush=True)


def make_inputs(folder: Path) -> None:
    """Write a model, texts, and two tables, of which the second one makes what stands at the output before."""
    for number in (0, 1):
        rows = np.random.default_rng(number).normal(size=(len(WORDS), 16)).astype(np.float32)
        Table(WORDS, rows, tokenizer=whitespace_json(WORDS)).save(folder / f"table-{number}")
    save_bert(folder / "model")
    chance = random.Random(0)
    texts = [" ".join(chance.choices(WORDS, k=4)) for _ in range(200)]
    os.chdir(folder)
    Path("lines.txt").write_text("\n".join(texts))
    Path("pairs.tsv").write_text("\n".join(map("\t".join, zip(texts, reversed(texts), strict=True))))
    Path("labels.csv").write_text("\n".join(["text,label", *(f"{text},{text[0] > 'd'}" for text in texts)]))
    Path("temporary").mkdir()
    tempfile.tempdir = str(folder / "temporary")


class Rounds:
    """The rounds of one command."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        self.out = folder / name / "out"
        self.out.parent.mkdir()
        self.seen: Counter[str] = Counter()

    def run(self) -> Counter[str]:
        """Kill at lines and at random moments, with and without something at the output; count what was there after."""
        self.command(1)  # not in a child: imports, and compiled kernels, are inherited by all forks
        self.before = files(self.out)
        self.complete(0)
        self.after, began = files(self.out), time.monotonic()
        assert self.after != self.before
        self.complete(0)
        seconds, line, status = time.monotonic() - began, 1, -signal.SIGKILL
        while status != 0:
            status = self.kill(line, has_old=True)
            line += LINES
        chance = random.Random(0)
        for number in range(MOMENTS):
            self.kill(None, has_old=number % 2 == 0, delay=chance.uniform(0, seconds))
        return self.seen

    def kill(self, line: int | None, *, has_old: bool, delay: float | None = None) -> int:
        """Kill one run, check what is there, run again, and check that."""
        self.restore(self.before if has_old else {})

        def work() -> None:
            if line is not None:
                sys.settrace(kill_at_line(line, TRACED))
            self.command(0)

        status = run_in_child(work, delay=delay)
        assert status in (0, -signal.SIGKILL), status
        self.seen["killed" if status else "finished"] += 1
        found = files(self.out)
        states = {"old": self.before if has_old else None, "new": self.after, "missing": {}}
        state = next((name for name, content in states.items() if content == found), "neither")
        assert state in ({"old", "new", "missing"} if status else {"new"}), (state, line, delay)
        if state == "missing" and has_old:
            assert run_in_child(self.find_old) == 0
            state = "hidden"
        self.seen[state] += bool(status)
        self.complete(0)
        assert files(self.out) == self.after, (line, delay)
        for place, kept in ((self.out.parent, [self.out.name]), (Path("temporary"), [])):
            left = [path.name for path in place.iterdir() if path.name.startswith((".rowspace", "out"))]
            assert left == kept, (left, line, delay)
        return status

    def complete(self, number: int) -> None:
        """Run the command without a kill."""
        assert run_in_child(lambda: self.command(number)) == 0

    def command(self, number: int) -> None:
        """Run the command on the inputs with this number."""
        places = {"table": f"table-{number}", "dim": str(8 + number), "out": str(self.out)}
        arguments = [part.format(**places) for part in COMMANDS[self.name]]
        with (
            Path(os.devnull).open("w") as null,
            contextlib.redirect_stdout(null),
            pytest.raises(SystemExit) as end,
        ):
            app(arguments)
        assert end.value.code == 0

    def restore(self, content: Files) -> None:
        """Make the output what it was before."""
        shutil.rmtree(self.out)
        for name, data in content.items():
            self.out.mkdir(exist_ok=True)
            (self.out / name).write_bytes(data)

    def find_old(self) -> None:
        """Open the output, whose error must name the folder where the old one is."""
        with pytest.raises(UsageError, match="because a save to it was interrupted") as error:
            self.open()
        named = [path for path in self.out.parent.iterdir() if str(path) in str(error.value)]
        assert [files(path) for path in named] == [self.before]

    def open(self) -> object:
        """Open the output."""
        if self.name == "classify fit":
            from rowspace.learn.classifier.classifier import Classifier

            return Classifier.load(self.out)
        return load(self.out)


def files(folder: Path) -> Files:
    """Return the content of each file of a folder; none if there is no folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.exists() else {}


if __name__ == "__main__":
    main()
