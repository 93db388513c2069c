"""Every code block of the README and docs/, in page order, and every example runs.

The python blocks of a page share one namespace and run in a temporary folder that contains `corpus.txt`, an English
text. Console blocks run each `$ rowspace ...` line there, in this process. A command must print the lines shown under
it in that order; numbers, frames and spacing may differ. In blocks marked `console about`, whose output differs from
run to run (like trained neighbors), half of the lines suffice. Other blocks (text, sh) do not run.
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
    """Return the non-empty lines of `text` with numbers masked and frames and spacing normalized."""
    lines = (FRAME.sub(" ", NUMBER.sub("#", line)).strip() for line in text.splitlines())
    return [line for line in lines if line]


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """Return the lines of `shown` that are not in `printed`, in the same order and possibly with others between."""
    absent, start = [], 0
    for line in shown:
        if line in printed[start:]:
            start = printed.index(line, start) + 1
        else:
            absent.append(line)
    return absent


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output shown under it."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def run_command(arguments: list[str]) -> str:
    """Run a `rowspace` command in this process, in the working directory; return its output."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # commands print warnings, which are errors in other tests
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
def test_code_blocks_of_page_run(
    document: Path, english: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(english, tmp_path / "corpus.txt")
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for fence in FENCE.finditer(text):
        kind, code = fence.groups()
        if kind == "python":
            # Leading blank lines make tracebacks show the line number in the page.
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


def test_missing_finds_lines_that_were_not_printed() -> None:
    printed = masked("token   cosine\n valueerror  0.81\n nameerror  0.79\n")
    assert missing(masked("valueerror 0.9"), printed) == []
    assert missing(masked("nameerror 0.7\nvalueerror 0.9"), printed) == ["valueerror #"]
    assert missing(masked("typeerror 0.9"), printed) == ["typeerror #"]
