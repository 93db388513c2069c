"""Every snippet of the README and of docs/ runs, in page order, and every example too.

The python fences of a page share one namespace and run in a scratch folder that holds `corpus.txt`, a real
text. The console fences run each `$ rowspace ...` line there, in this process. A command must print the lines
shown under it, in that order; numbers, frames and spacing may differ. In a fence marked `console about`, whose
output differs from run to run (learned neighbors do), half of the lines suffice. Other fences (text, sh) do not run.
"""

import contextlib
import io
import re
import runpy
import shlex
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rowspace.cli.app import app

CHECKOUT = Path(__file__).parents[1]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
EXAMPLES = sorted((CHECKOUT / "examples").glob("*.py"))

FENCE = re.compile(r"^```((?:python|console)[^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d[\d.,_]*(?:e[-+]?\d+)?")
FRAME = re.compile(r"[\s|─━│┃┏┓┗┛┡┩╇┳┻└┘┴┬├┤┼╭╮╰╯]+")


def masked(text: str) -> list[str]:
    """The lines of `text` that say something, numbers replaced and frames and spacing made alike."""
    lines = (FRAME.sub(" ", NUMBER.sub("#", line)).strip() for line in text.splitlines())
    return [line for line in lines if line]


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """The lines of `shown` that do not follow the last one found, gaps allowed, in `printed`."""
    absent, start = [], 0
    for line in shown:
        if line in printed[start:]:
            start = printed.index(line, start) + 1
        else:
            absent.append(line)
    return absent


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Each command of a console fence with the output shown under it."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def run_command(arguments: list[str]) -> str:
    """Run a `rowspace` command in this process, in the working directory; return all that it printed."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # a command prints its warnings, which in these tests are errors elsewhere
        done = CliRunner().invoke(app, arguments, prog_name="rowspace", env={"COLUMNS": "120"})
    assert done.exit_code == 0, f"rowspace {shlex.join(arguments)} failed:\n{done.output}\n{done.exception!r}"
    return done.output


def run_console(kind: str, code: str) -> None:
    for command, shown in commands(code):
        if not command.startswith("rowspace "):
            continue
        printed = run_command(shlex.split(command, comments=True)[1:])
        expected = masked(shown)
        absent = missing(expected, masked(printed))
        allowed = len(expected) // 2 if kind == "console about" else 0
        assert len(absent) <= allowed, f"$ {command}\ndid not print {absent}; it printed:\n{printed}"


@pytest.mark.parametrize("document", PAGES, ids=lambda document: document.relative_to(CHECKOUT).as_posix())
def test_snippets_of_page_run(document: Path, english: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(english, tmp_path / "corpus.txt")
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for fence in FENCE.finditer(text):
        kind, code = fence.groups()
        if kind == "python":
            # Blank lines in front, so that a traceback names the page's own line.
            line = text.count("\n", 0, fence.start(2))
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile("\n" * line + code, document, "exec"), namespace)  # noqa: S102  # our own pages
        else:
            assert kind in {"console", "console about"}, f"a fence of {document.name} is marked {kind!r}"
            run_console(kind, code)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_example_runs(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(example), run_name="__main__")
    assert printed.getvalue()


def test_a_line_that_was_not_printed_is_missed() -> None:
    printed = masked("token   cosine\n valueerror  0.81\n nameerror  0.79\n")
    assert missing(masked("valueerror 0.9"), printed) == []
    assert missing(masked("nameerror 0.7\nvalueerror 0.9"), printed) == ["valueerror #"]
    assert missing(masked("typeerror 0.9"), printed) == ["typeerror #"]
