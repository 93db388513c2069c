"""Every snippet of the README and of docs/ runs, in page order, and every example; every relative link has a target.

The python fences of a page share one namespace and run in a scratch folder that holds `corpus.txt`, a real text. The
console fences run each `$ rowspace ...` line there, in this process. A command must print the lines shown under it, in
that order; numbers, frames and spacing may differ. In a fence marked `console about`, whose output differs from run to
run, half of the lines are enough. A fence marked `text printed` has lines that the python fences above it printed since
the last such fence, in that order, with these numbers. Other fences (text, sh) do not run.
"""

import contextlib
import io
import re
import runpy
import shlex
import shutil
import tomllib
import warnings
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from typer.testing import CliRunner

from rowspace.cli.app import app, command_names

CHECKOUT = Path(__file__).parents[4]
PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").rglob("*.md"))]
LINKING = [*PAGES, *(CHECKOUT / name for name in ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"))]
LINKING += [CHECKOUT / "bench" / "RESULTS.md", CHECKOUT / "packages/rowspace-lab/web/README.md"]
# Pages that take seconds: they learn tables, compile UMAP, run an arena, start servers or a cluster.
SLOW = [
    CHECKOUT / "docs" / "guides" / f"{name}.md"
    for name in [
        "arena",
        "classify",
        "cli",
        "groups",
        "items",
        "learn",
        "scale",
        "search",
        "serve",
        "space",
        "text",
        "train",
    ]
]
# Examples that learn for seconds, or start processes; pages of the guide show smaller versions.
SLOW_EXAMPLES = {
    "10_graph.py",
    "11_items.py",
    "12_merge.py",
    "13_categories.py",
    "14_pretrained_rows.py",
    "15_vocabulary_parallel.py",
    "16_classify.py",
    "17_many_workers.py",
    "18_groups.py",
    "19_vectors_of_docstrings.py",
}
EXAMPLES = sorted((CHECKOUT / "examples").glob("*.py"))

FENCE = re.compile(r"^```((?:python|console|text printed)[^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"[-+]?\d[\d.,_]*(?:e[-+]?\d+)?")
ANY_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
FRAME = re.compile(r"[\s|─━│┃┏┓┗┛┡┩╇┳┻└┘┴┬├┤┼╭╮╰╯]+")


def masked(text: str) -> list[str]:
    """The lines of `text` that are not empty, with numbers, frames and spacing normalized."""
    lines = (FRAME.sub(" ", NUMBER.sub("#", line)).strip() for line in text.splitlines())
    return [line for line in lines if line]


def missing(shown: list[str], printed: list[str]) -> list[str]:
    """The lines of `shown` that are missing in `printed`, in this order, with gaps allowed."""
    absent, start = [], 0
    for line in shown:
        if line in printed[start:]:
            start = printed.index(line, start) + 1
        else:
            absent.append(line)
    return absent


def anchors(page: str) -> set[str]:
    """The anchors that GitHub gives the headings of a Markdown page."""
    headings = HEADING.findall(ANY_FENCE.sub("", page))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def broken_links(document: Path) -> list[str]:
    """The relative links of a Markdown page whose file or heading does not exist."""
    text = CODE.sub("", ANY_FENCE.sub("", document.read_text(encoding="utf-8")))
    broken = []
    for link in LINK.findall(text):
        parts = urlsplit(link)
        if parts.scheme:
            continue
        target = document.parent / unquote(parts.path) if parts.path else document
        if not target.exists() or (
            parts.fragment and parts.fragment not in anchors(target.read_text(encoding="utf-8"))
        ):
            broken.append(link)
    return broken


def commands(console: str) -> Iterator[tuple[str, str]]:
    """Yield each command of a console block with the output shown under it."""
    for part in re.split(r"^\$ ", console, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def run_command(arguments: list[str]) -> str:
    """Run a `rowspace` command in this process, in the working directory; return its output."""
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # a command prints its warnings, which are errors elsewhere in the tests
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


def check_printed(shown: str, printed: io.StringIO) -> None:
    """Check a `text printed` fence, and forget what was printed before it."""
    absent = missing(shown.splitlines(), printed.getvalue().splitlines())
    assert not absent, f"the page did not print {absent}; it printed:\n{printed.getvalue()}"
    printed.seek(0)
    printed.truncate()


@pytest.mark.parametrize(
    "document",
    [pytest.param(page, marks=pytest.mark.long if page in SLOW else ()) for page in PAGES],
    ids=lambda document: document.relative_to(CHECKOUT).as_posix(),
)
def test_code_blocks_of_page_run(
    document: Path, english: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(english, tmp_path / "corpus.txt")
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed = io.StringIO()
    for fence in FENCE.finditer(text):
        kind, code = fence.groups()
        if kind == "python":
            # Blank lines first, so that a traceback has the line numbers of the page.
            line = text.count("\n", 0, fence.start(2))
            with contextlib.redirect_stdout(printed):
                exec(compile("\n" * line + code, document, "exec"), namespace)  # our own pages
        elif kind == "text printed":
            check_printed(code, printed)
        else:
            assert kind in {"console", "console about"}, f"a fence of {document.name} is marked {kind!r}"
            run_console(kind, code)


@pytest.mark.parametrize(
    "example",
    [pytest.param(path, marks=pytest.mark.long if path.name in SLOW_EXAMPLES else ()) for path in EXAMPLES],
    ids=lambda example: example.name,
)
def test_example_runs(example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        runpy.run_path(str(example), run_name="__main__")
    assert printed.getvalue()


@pytest.mark.parametrize("document", LINKING, ids=lambda document: document.relative_to(CHECKOUT).as_posix())
def test_relative_links_lead_to_files_and_headings(document: Path) -> None:
    assert broken_links(document) == []


def test_every_page_of_the_documentation_is_linked_from_its_start() -> None:
    docs = CHECKOUT / "docs"
    linked = set(LINK.findall((docs / "index.md").read_text(encoding="utf-8")))
    pages = {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} - {"index.md"}
    assert sorted(pages - linked) == []


def test_broken_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# `Table`: a vocabulary\n\n```sh\n# comment\n```\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n[a](other.md#table-a-vocabulary) [b](#page) [c](https://example.org) `[d](code.md)`\n"
        "[e](gone.md) [f](other.md#comment) [g](#gone)\n",
        encoding="utf-8",
    )
    assert broken_links(page) == ["gone.md", "other.md#comment", "#gone"]


def test_contributing_lists_the_folders_of_the_package_and_of_the_layers_contract() -> None:
    """Each folder and public module of the package is a row of the table, and there are no other rows."""
    table = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)(?:/|\.py)` \|", table, re.MULTILINE)
    package = CHECKOUT / "packages/rowspace/src/rowspace"
    folders = {folder.name for folder in package.iterdir() if (folder / "__init__.py").exists()}
    modules = {module.stem for module in package.glob("[!_]*.py")}
    contracts = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(contract for contract in contracts["contracts"] if contract.get("containers") == ["rowspace"])
    layers = {name for layer in contract["layers"] for name in layer.split(" | ")} - {"__main__"}
    assert sorted(listed) == sorted(folders | modules) == sorted(layers)


def test_contributing_lists_every_script() -> None:
    """Modules that other scripts import, and the data next to them, are left out."""
    text = (CHECKOUT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `scripts/([\w.-]+)", text, re.MULTILINE))
    scripts = {path.name for path in (CHECKOUT / "scripts").iterdir() if path.is_file() and path.suffix != ".toml"}
    assert sorted(listed) == sorted(scripts - {"docs_hooks.py", "docs_docstrings.py"})


def test_guide_of_the_command_line_lists_every_command() -> None:
    guide = (CHECKOUT / "docs" / "guides" / "cli.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w[\w-]*)` \| [a-z]", guide, re.MULTILINE)) == sorted(command_names())


def test_missing_reports_lines_that_were_not_printed_in_this_order() -> None:
    printed = masked("token   cosine\n valueerror  0.81\n nameerror  0.79\n")
    assert missing(masked("valueerror 0.9"), printed) == []
    assert missing(masked("nameerror 0.7\nvalueerror 0.9"), printed) == ["valueerror #"]
    assert missing(masked("typeerror 0.9"), printed) == ["typeerror #"]
