#!/usr/bin/env python
"""Measure how many random mutations of the source the tests catch.

    scripts/mutate.py map                   run the tests once and record which lines each test executes
    scripts/mutate.py run --count 200       mutate 200 random places, one at a time, and run the tests that execute them
    scripts/mutate.py report                count the outcomes and list the survivors

Everything is kept in `.mutate/`, so an interrupted `map` or `run` continues where it stopped; delete the folder to
start again. The sample depends on the seed and the source alone: a random line, then a random mutation of that line. A
mutation is caught when a test fails or hangs. It survives when all tests that execute its line pass, or when they do
not finish within the time limit but still make progress. Survivors that do not change behavior are listed, with the
reason, in `scripts/equivalent_mutations.toml`.
"""

import argparse
import ast
import contextlib
import dataclasses
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from coverage import Coverage, CoverageData
from coverage.exceptions import DataError

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / ".mutate"
EQUIVALENT = ROOT / "scripts" / "equivalent_mutations.toml"
SECONDS = 60  # for the tests of one mutation
HANG = 30  # seconds without a finished test
PACKAGES = ROOT / "packages"
TREE = (
    "packages",
    "conftest.py",
    "docs",
    "examples",
    "bench",
    "scripts",
    "README.md",
    "CONTRIBUTING.md",
    "pyproject.toml",
)
KERNELS = "kernels and not large and not long"  # the tests that run as pure Python
# Tests that read the source instead of running it, or that need the committed bundle and a browser. Tests marked `long`
# are left out as well, since most of them exceed the time limit.
LEFT_OUT = (
    "packages/rowspace/tests/fuzz",
    "packages/rowspace-lab/tests/browser",
    "packages/rowspace-lab/tests/fuzz",
    "packages/rowspace-lab/tests/repository/test_wheel.py",
)

GENERATED = ("packages/rowspace/src/rowspace/text/characters/unicode_tables.py",)

COVERAGE_SETTINGS = """\
[run]
source = rowspace, rowspace_lab
parallel = true
relative_files = true
data_file = {data_file}
context = ${{ROWSPACE_TEST-}}
"""


@dataclasses.dataclass(frozen=True)
class Mutation:
    """One edit: characters `start` to `end` of `path` become `text`; `line` counts from 1."""

    path: str
    line: int
    start: int
    end: int
    text: str
    what: str

    @property
    def key(self) -> str:
        """A name that stays the same while the file does."""
        return f"{self.path}:{self.line}:{self.start}: {self.what}"


# ---------------------------------------------------------------- finding mutations

COMPARISONS = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
}  # fmt: skip
ARITHMETIC = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.LShift: ">>", ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.BitXor: "&", ast.Pow: "*",
    ast.MatMult: "*",
}  # fmt: skip


class Edits(ast.NodeVisitor):
    """Collects the mutations of one file."""

    def __init__(self, path: str, source: str) -> None:
        self.path, self.found = path, list[Mutation]()
        self.bytes = source.encode()
        self.starts = [0]
        for line in self.bytes.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        """The position in the file's bytes."""
        return self.starts[line - 1] + column

    def text(self, node: ast.expr | ast.stmt) -> str:
        """The source of a node."""
        start, end = self.span(node)
        return self.bytes[start:end].decode()

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        """Where a node begins and ends."""
        end = self.offset(node.end_lineno or 0, node.end_col_offset or 0)
        return self.offset(node.lineno, node.col_offset), end

    def add(self, node: ast.expr | ast.stmt, text: str, what: str) -> None:
        """Record that a node may be replaced."""
        start, end = self.span(node)
        self.found.append(Mutation(self.path, node.lineno, start, end, text, what))

    def visit(self, node: ast.AST) -> None:
        """Skip annotations and code for type checkers; otherwise visit as usual."""
        for name in ("annotation", "returns"):
            if getattr(node, name, None) is not None:
                setattr(node, name, None)
        super().visit(node)

    def visit_If(self, node: ast.If) -> None:
        """Negate the condition."""
        if "TYPE_CHECKING" in self.text(node.test):
            return
        self.add(node.test, f"not ({self.text(node.test)})", "negated condition")
        self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        """Swap a comparison for its neighbor."""
        if len(node.ops) == 1:
            sign = COMPARISONS[type(node.ops[0])]
            self.add(node, f"{self.text(node.left)} {sign} {self.text(node.comparators[0])}", f"comparison to {sign}")
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        """Swap an arithmetic operator."""
        strings = any(isinstance(side, ast.JoinedStr) or _is_string(side) for side in (node.left, node.right))
        if not strings:
            sign = ARITHMETIC[type(node.op)]
            self.add(node, f"(({self.text(node.left)}) {sign} ({self.text(node.right)}))", f"operator to {sign}")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        """Swap `and` and `or`."""
        sign = " or " if isinstance(node.op, ast.And) else " and "
        self.add(node, "(" + sign.join(f"({self.text(value)})" for value in node.values) + ")", f"to{sign.rstrip()}")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        """Drop `not` or a minus."""
        if isinstance(node.op, ast.Not | ast.USub):
            self.add(node, f"({self.text(node.operand)})", "dropped unary operator")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """Change a number or a truth value."""
        if isinstance(node.value, bool):
            self.add(node, str(not node.value), f"to {not node.value}")
        elif isinstance(node.value, int):
            self.add(node, str(node.value + 1), f"to {node.value + 1}")
        elif isinstance(node.value, float):
            self.add(node, repr(node.value * 2 + 1), f"to {node.value * 2 + 1}")

    def visit_Return(self, node: ast.Return) -> None:
        """Return None."""
        if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
            self.add(node, "return None", "returns None")
        self.generic_visit(node)

    def visit_Expr(self, node: ast.Expr) -> None:
        """Drop a call made for its effect."""
        if isinstance(node.value, ast.Call):
            self.add(node, "pass", "dropped statement")
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Drop an update."""
        self.add(node, "pass", "dropped statement")
        self.generic_visit(node)

    def visit_Raise(self, node: ast.Raise) -> None:
        """Do not raise. The message is left alone."""
        self.add(node, "pass", "dropped raise")

    def visit_Call(self, node: ast.Call) -> None:
        """Drop each keyword argument in turn except `strict=`, which only guards against internal errors."""
        node.keywords = [keyword for keyword in node.keywords if keyword.arg != "strict"]
        for keyword in node.keywords:
            self._drop(keyword)
        self.generic_visit(node)

    def _drop(self, keyword: ast.keyword) -> None:
        """Remove `name=value` and the comma that follows it."""
        start = self.offset(keyword.lineno, keyword.col_offset)
        end = self.offset(keyword.end_lineno or 0, keyword.end_col_offset or 0)
        if self.bytes[end : end + 1] == b",":
            self.found.append(Mutation(self.path, keyword.lineno, start, end + 1, "", f"dropped {keyword.arg}="))


def _is_string(node: ast.expr) -> bool:
    """Whether a node is a string or bytes literal."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _compiles(source: str, mutation: Mutation) -> bool:
    """Whether the file still compiles, and to a different program."""
    try:
        return ast.dump(ast.parse(apply(source, mutation))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def apply(source: str, mutation: Mutation) -> str:
    """The source with the edit made."""
    data = source.encode()
    return (data[: mutation.start] + mutation.text.encode() + data[mutation.end :]).decode()


def sample(count: int, seed: int) -> list[Mutation]:
    """Return random mutations: a random line first, so that lines full of numbers have no more weight than others."""
    lines: dict[tuple[str, int], list[Mutation]] = defaultdict(list)
    sources = {path: (ROOT / path).read_text(encoding="utf-8") for path in source_files()}
    for path, source in sources.items():
        edits = Edits(path, source)
        edits.visit(ast.parse(source))
        for mutation in edits.found:
            lines[path, mutation.line].append(mutation)
    generator = random.Random(seed)  # noqa: S311  # a sample, not a secret
    order = generator.sample(sorted(lines), len(lines))
    chosen = (generator.choice(lines[line]) for line in order)
    return list(itertools.islice((one for one in chosen if _compiles(sources[one.path], one)), count))


def source_files() -> list[str]:
    """The package's files, without the generated tables."""
    paths = (str(path.relative_to(ROOT)) for path in sorted(PACKAGES.glob("*/src/**/*.py")))
    return [path for path in paths if path not in GENERATED]


# ---------------------------------------------------------------- mapping lines to tests


def test_files() -> list[str]:
    """Every file whose tests may catch a mutation: the tests, and the source for its doctests."""
    files = [str(path.relative_to(ROOT)) for path in sorted(PACKAGES.glob("*/tests/**/test_*.py"))]
    files += [path for path in source_files() if ">>>" in (ROOT / path).read_text()]
    return [file for file in files if not file.startswith(LEFT_OUT)]


class NameContexts:
    """A pytest plugin that tells coverage, and the processes that a test starts, which test is running.

    Lines executed by a fixture are recorded for the file, because other tests of the file may use the fixture too.
    """

    def __init__(self, settings: Path) -> None:
        # Coverage's own variable would pass the child its settings without the name of the test.
        os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
        os.environ["COVERAGE_PROCESS_START"] = str(settings)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Set the context to the file."""
        self._switch(item.location[0])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> None:
        """Set the context to the test, without its parameters."""
        self._switch(item.nodeid.split("[")[0])

    def _switch(self, name: str) -> None:
        os.environ["ROWSPACE_TEST"] = name
        measuring = Coverage.current()
        if measuring is not None:
            measuring.switch_context(name)


def map_group(settings: Path, arguments: list[str]) -> int:
    """Run tests in this process, with the names of the tests as coverage's contexts."""
    measuring = Coverage(config_file=str(settings))
    measuring.start()
    try:
        return pytest.main(["-q", "-p", "no:cacheprovider", *arguments], plugins=[NameContexts(settings)])
    finally:
        measuring.stop()
        measuring.save()


def map_tests(workers: int) -> None:
    """Run each group of tests under coverage, unless it has been run."""
    folder = WORK / "map"
    folder.mkdir(parents=True, exist_ok=True)

    def one(group: tuple[str, list[str]]) -> None:
        name, arguments = group
        target = folder / name
        if (target / "done").exists():
            return
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        (target / "settings.ini").write_text(COVERAGE_SETTINGS.format(data_file=target / "coverage"), encoding="utf-8")
        command = [sys.executable, __file__, "group", str(target / "settings.ini"), *arguments]
        environment = os.environ | ({"NUMBA_DISABLE_JIT": "1"} if name == "kernels" else {})
        started = time.monotonic()
        with (target / "output").open("w", encoding="utf-8") as output:
            code = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=output, stderr=output, check=False
            ).returncode
        if code != 0:
            print(f"{name}: tests fail without a mutation; see {target / 'output'}", file=sys.stderr, flush=True)
        (target / "done").write_text(str(code), encoding="utf-8")
        print(f"{time.monotonic() - started:6.1f} s  {name}", flush=True)

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(one, test_groups().items()))


def test_groups() -> dict[str, list[str]]:
    """Return the pytest arguments of each group: the folders, largest first, and the kernel tests run as Python."""
    folders = sorted(path for path in PACKAGES.glob("*/tests/*") if path.is_dir() and any(path.rglob("test_*.py")))
    groups = {f"{path.parts[-3]}-{path.name}": [str(path.relative_to(ROOT))] for path in folders}
    others = [*PACKAGES.glob("*/tests/test_*.py"), *PACKAGES.glob("*/src")]
    groups["others"] = sorted(str(path.relative_to(ROOT)) for path in others)
    left_out = [argument for name in LEFT_OUT for argument in ("--ignore", name)]
    groups = {name: [*arguments, "-m", "not long", *left_out] for name, arguments in groups.items()}
    return groups | {"kernels": ["packages", "-m", KERNELS, *left_out]}


def load_map() -> dict[tuple[str, int], set[str]]:
    """Return the tests that execute each `(path, line)`, or the file if a fixture or import executes it."""
    tests: dict[tuple[str, int], set[str]] = defaultdict(set)
    for target in sorted((WORK / "map").iterdir()):
        mark = "python " if target.name == "kernels" else ""
        for data_file in target.glob("coverage.*"):
            data = CoverageData(str(data_file))
            try:
                data.read()
            except DataError:  # incomplete, from a process killed by a test
                continue
            for measured in data.measured_files():
                path = measured[measured.index("packages/rowspace") :]
                for line, contexts in data.contexts_by_lineno(measured).items():
                    tests[path, line].update(mark + context for context in contexts if context)
    return tests


def tests_for(mutation: Mutation, tests: dict[tuple[str, int], set[str]]) -> tuple[list[str], bool]:
    """Return the tests to run, most likely to fail first, and whether kernels must run as Python.

    A mutated kernel would have to be recompiled, so it runs as Python if tests do that. A line that runs at import is
    recorded only for the first test, so all tests of the module and the test files of its folder are run.
    """
    lines = {line: names for (path, line), names in tests.items() if path == mutation.path}
    executed = Counter(name.removeprefix("python ") for names in lines.values() for name in names)
    found = lines.get(mutation.line, set())
    if runs_at_import(mutation):
        found = set().union(*lines.values(), mirrored_tests(mutation.path))
    python = [name.removeprefix("python ") for name in found if name.startswith("python ")]
    compiled = [name for name in found if not name.startswith("python ")]
    names, as_python = (python, True) if python and is_kernel(mutation) else (compiled or python, not compiled)
    files = {name for name in names if "::" not in name}
    names = [name for name in names if "::" not in name or name.split("::")[0] not in files]
    stem, folder = Path(mutation.path).stem, Path(mutation.path).parent.name

    def distance(name: str) -> tuple[bool, int, bool, str]:
        return stem not in Path(name.split("::", maxsplit=1)[0]).stem, -executed[name], folder not in name, name

    return sorted(names, key=distance), as_python


def mirrored_tests(path: str) -> set[str]:
    """Return the test files in the folder of `tests` that mirrors the folder of a source file."""
    package, _, inner = path.partition("/src/")  # packages/NAME, MODULE/FOLDERS/FILE
    folder = ROOT / package / "tests" / Path(*Path(inner).parts[1:-1])
    return {str(file.relative_to(ROOT)) for file in folder.glob("test_*.py")}


def runs_at_import(mutation: Mutation) -> bool:
    """Whether the mutated line is outside the body of every function: a constant, or the default of a parameter."""
    tree = ast.parse((ROOT / mutation.path).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return not any(node.body[0].lineno <= mutation.line <= (node.end_lineno or 0) for node in functions)


def is_kernel(mutation: Mutation) -> bool:
    """Whether the mutated line belongs to a compiled function."""
    tree = ast.parse((ROOT / mutation.path).read_text(encoding="utf-8"))
    return any(
        node.lineno <= mutation.line <= (node.end_lineno or 0)
        and any("kernel" in ast.unparse(decorator) for decorator in node.decorator_list)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    )


# ---------------------------------------------------------------- running mutations


def run(count: int, seed: int, workers: int) -> None:
    """Try the mutations of the sample that have no outcome yet."""
    results = WORK / f"results-{seed}.jsonl"
    known = {entry["key"] for entry in read_results(results)}
    waiting = [mutation for mutation in sample(count, seed) if mutation.key not in known]
    tests = load_map()
    writing, trees = threading.Lock(), _Trees()

    def one(mutation: Mutation) -> None:
        with trees.borrow() as tree:
            outcome, detail = attempt(mutation, tree, *tests_for(mutation, tests))
        entry = {"key": mutation.key, "outcome": outcome, "detail": detail, "diff": difference(mutation)}
        with writing, results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
            print(f"{outcome:9} {mutation.key}", flush=True)

    try:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(one, waiting))
    finally:
        trees.remove()


class _Trees:
    """Copies of the project, one per worker, so that mutations do not interfere."""

    def __init__(self) -> None:
        self._free: list[Path] = []
        self._all: list[Path] = []

    @contextlib.contextmanager
    def borrow(self) -> Iterator[Path]:
        """Return an unused copy, creating it if necessary."""
        tree = self._free.pop() if self._free else self._make()
        try:
            yield tree
        finally:
            self._free.append(tree)

    def _make(self) -> Path:
        tree = Path(tempfile.mkdtemp(prefix="rowspace-mutate-"))
        for name in TREE:
            source = ROOT / name
            if source.is_dir():
                shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("browser", "web"))
            elif source.exists():
                shutil.copy2(source, tree / name)
        self._all.append(tree)
        return tree

    def remove(self) -> None:
        """Delete every copy."""
        for tree in self._all:
            shutil.rmtree(tree, ignore_errors=True)


def attempt(mutation: Mutation, tree: Path, names: list[str], as_python: bool) -> tuple[str, str]:
    """Mutate the copy, run the tests, and restore the file."""
    if not names:
        return "survived", "no test executes this line"
    path = tree / mutation.path
    source = path.read_text(encoding="utf-8")
    stat = path.stat()
    path.write_text(apply(source, mutation), encoding="utf-8")
    try:
        return run_tests(tree, names, as_python)
    finally:
        path.write_text(source, encoding="utf-8")
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def run_tests(tree: Path, names: list[str], as_python: bool) -> tuple[str, str]:
    """Run tests until one fails or the time limit is reached."""
    arguments = tree / "tests-to-run.txt"
    arguments.write_text("\n".join(names), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-x", "-v", "--no-header", "--tb=line", "-p", "no:cacheprovider"]
    command += [f"@{arguments}", "-m", KERNELS if as_python else "not long"]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(map(str, sorted(tree.glob("packages/*/src")))),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    if as_python:
        environment |= {"NUMBA_DISABLE_JIT": "1"}
    process = subprocess.Popen(
        command, cwd=tree, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        start_new_session=True,
    )  # fmt: skip
    last, lines = [time.monotonic()], list[str]()

    def follow() -> None:
        for line in process.stdout or ():
            lines.append(line)
            last[0] = time.monotonic()

    reader = threading.Thread(target=follow, daemon=True)
    reader.start()
    try:
        code = process.wait(SECONDS)
    except subprocess.TimeoutExpired:
        hangs = time.monotonic() - last[0] > HANG
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return (
            ("caught", "a test hangs") if hangs else ("survived", f"{len(lines)} lines of passing tests in {SECONDS} s")
        )
    reader.join(5)
    if code in (0, 5):
        return "survived", lines[-1].strip() if lines else ""
    failed = [line.strip() for line in lines if line.startswith(("FAILED", "ERROR")) or "Error" in line]
    return "caught", (failed or [line.strip() for line in lines[-3:]] or [f"exit status {code}"])[-1][:300]


def difference(mutation: Mutation) -> str:
    """The changed line, before and after."""
    source = (ROOT / mutation.path).read_text(encoding="utf-8")
    before, after = source.splitlines(), apply(source, mutation).splitlines()
    row = mutation.line - 1
    return f"- {before[row].strip()}\n+ {after[row].strip()}"


# ---------------------------------------------------------------- reporting


def read_results(path: Path) -> list[dict[str, str]]:
    """The outcomes so far."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def report(seed: int) -> None:
    """Print the share of mutations caught, of those that change behavior, and the survivors."""
    results = read_results(WORK / f"results-{seed}.jsonl")
    reasons = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"] if EQUIVALENT.exists() else []
    equivalent = {(entry["file"], entry["diff"].strip()): entry["reason"] for entry in reasons}
    counts: Counter[str] = Counter()
    for entry in results:
        outcome, reason = entry["outcome"], equivalent.get((entry["key"].split(":")[0], entry["diff"].strip()))
        if outcome == "survived" and reason:
            outcome = "equivalent"
        counts[outcome] += 1
        if outcome == "survived":
            print(f"\n{entry['key']}\n{entry['diff']}\n  {entry['detail']}")
        elif outcome == "equivalent":
            print(f"\n{entry['key']}\n{entry['diff']}\n  equivalent: {reason}")
    changing = counts["caught"] + counts["survived"]
    if changing:
        print(f"\n{len(results)} mutations; {counts['equivalent']} do not change behavior; ", end="")
        print(f"{counts['caught']} of {changing} caught ({counts['caught'] / changing:.1%})")


def main() -> None:
    """Parse the command line."""
    if sys.argv[1:2] == ["group"]:
        sys.exit(map_group(Path(sys.argv[2]), sys.argv[3:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("map", "run", "report"))
    parser.add_argument("--count", type=int, default=200, help="how many mutations (default: 200)")
    parser.add_argument("--seed", type=int, default=1, help="which sample (default: 1)")
    parser.add_argument("--workers", type=int, default=2, help="how many at a time (default: 2)")
    given = parser.parse_args()
    if given.command == "map":
        map_tests(given.workers)
    elif given.command == "run":
        run(given.count, given.seed, given.workers)
    else:
        report(given.seed)


if __name__ == "__main__":
    main()
