"""Fixtures and hooks for all tests: tolerances per dtype, an English text, an unprivileged user, no network.

Tables and corpora that only one folder needs are in that folder's `conftest.py`.
"""

import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings
from numpy.typing import ArrayLike

# Importing all libraries and collecting all tests makes millions of objects that stay, which would be searched for
# garbage again and again; see `pytest_collection_finish`.
gc.disable()

# Set before any library is imported: tests must not use the network, and fail at once if they do.
os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}

# Background jobs of a shell ignore SIGINT, and so would the processes that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadlines: a busy machine, or a kernel run as Python, is slow but correct.
# The number of examples depends on how the tests are run: in CI, by hand, or with `scripts/test --long`.
for profile, max_examples in {"ci": 25, "default": 100, "long": 1000}.items():
    settings.register_profile(
        f"rowspace-{profile}",
        max_examples=max_examples,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
LONG = os.environ.get("ROWSPACE_LONG_TESTS") == "1"
settings.load_profile("rowspace-long" if LONG else "rowspace-ci" if "CI" in os.environ else "rowspace-default")

# `pytest -n` starts the slowest files first, so that all workers finish at about the same time.
SLOWEST_FIRST = [
    "packages/rowspace/tests/layers/test_contract_compiled.py",
    "packages/rowspace-lab/tests/repository/test_docs.py",
    "packages/rowspace-lab/tests/repository/test_wheel.py",
]

# Tests that run without coverage: they spend most of their time in PyTorch or transformers, or repeat in bulk what
# other tests cover, and tracing makes them up to twice as slow.
NOT_TRACED = [
    "packages/rowspace/tests/fuzz/",
    "packages/rowspace-lab/tests/fuzz/",
    "packages/rowspace/tests/layers/cost/test_from_config.py",
    "packages/rowspace/tests/layers/recipes/test_defaults",
    "packages/rowspace/tests/layers/recipes/test_from_pretrained",
    "packages/rowspace/tests/layers/recipes/test_position_schemes",
    "packages/rowspace/tests/layers/recipes/test_text_parity",
    "packages/rowspace/tests/layers/recipes/test_vision_parity",
    "packages/rowspace/tests/layers/test_contract",
    "packages/rowspace-lab/tests/experiments/language_model/test_kills",
    "packages/rowspace/tests/store/test_kills",
    "packages/rowspace-lab/tests/repository/test_docs.py",
    "packages/rowspace/tests/test_import.py",
    "packages/rowspace-lab/tests/repository/test_wheel.py",
    "packages/rowspace/tests/text/characters/test_table.py",
    "packages/rowspace/tests/text/ids/test_large_texts.py",
]

# Large enough for a few hundred rounding errors, too small for a different formula.
TOLERANCES = {"float16": 5e-3, "float32": 1e-5, "float64": 1e-12}


def pytest_configure(config: pytest.Config) -> None:
    """Allow integer overflow in kernels that run as Python: numpy warns where compiled code wraps around silently.

    This is a warning filter because `np.errstate` does not apply to the threads that some kernels run on.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs inherit SIGINT ignored
    if os.environ.get("NUMBA_DISABLE_JIT") == "1":
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


def pytest_collection_finish() -> None:
    """Search for garbage from now on, but only among new objects."""
    gc.freeze()
    gc.enable()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Save the coverage of a worker, and check that a run with checked bounds has called every kernel."""
    if hasattr(session.config, "workerinput"):
        save_coverage()
    fail_if_kernels_are_unused(session)


def save_coverage() -> None:
    """Save what coverage has measured: a worker that takes over 10 s to exit is killed before it does so itself."""
    coverage = sys.modules.get("coverage")
    if coverage is not None and (measurement := coverage.Coverage.current()) is not None:
        measurement.stop()
        measurement.save()


def fail_if_kernels_are_unused(session: pytest.Session) -> None:
    """Fail a full run of `ROWSPACE_CHECK_BOUNDS=1 pytest -m kernels` if a kernel was never called."""
    options = session.config.option
    if os.environ.get("ROWSPACE_CHECK_BOUNDS") != "1" or options.markexpr != "kernels" or options.keyword:
        return
    from rowspace._base.jit import KERNELS

    unused = [
        kernel.__name__
        for kernel in KERNELS
        if kernel.__module__.startswith(("rowspace.", "rowspace_lab.")) and not kernel.signatures
    ]
    if unused and session.config.args == session.config.getini("testpaths"):
        print(f"\nkernels that no test has called with checked bounds: {', '.join(unused)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the tests that do more in a long run, so that it can leave out the others."""
    if "long_form" in getattr(item, "fixturenames", ()) or is_hypothesis_test(getattr(item, "obj", None)):
        item.add_marker("longer")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slowest files first and the browser tests last, because they leave an event loop in the main thread."""

    def place(item: pytest.Item) -> tuple[bool, bool]:
        in_browser = item.get_closest_marker("browser") is not None
        return in_browser, not item.nodeid.startswith(tuple(SLOWEST_FIRST))

    items.sort(key=place)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Seed torch, so that the random numbers of a test do not depend on the tests before it."""
    if "torch" in sys.modules:
        sys.modules["torch"].manual_seed(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Run the tests of `NOT_TRACED` without coverage."""
    with untraced() if item.nodeid.startswith(tuple(NOT_TRACED)) else nullcontext():
        return (yield)


# Packages that are not installed because they have no wheel for this Python; `scripts/test --python` sets the variable.
WITHOUT = frozenset(os.environ.get("ROWSPACE_TESTS_WITHOUT", "").split())


def missing_package(error: BaseException | None) -> str | None:
    """Return the name of the package in `WITHOUT` whose absence caused `error`, or None."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in WITHOUT:
            return error.name
        error = error.__cause__ or error.__context__
    return None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Report a module as skipped if it cannot be imported without a package in `WITHOUT`."""
    report = yield
    call = getattr(report, "call", None)
    if report.failed and call is not None and (name := missing_package(call.excinfo.value)):
        report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"needs {name}")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report a test as skipped if it failed because a package in `WITHOUT` is missing."""
    report = yield
    if report.failed and call.excinfo is not None and (name := missing_package(call.excinfo.value)):
        report.outcome, report.longrepr = "skipped", (str(item.path), 0, f"needs {name}")
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many modules and tests were left out, for each package in `WITHOUT` that they need."""
    if not WITHOUT:
        return
    from rowspace._base.plural import plural

    skipped = {report.nodeid: report for report in terminalreporter.getreports("skipped")}  # workers repeat modules
    left_out = Counter(
        (report.longrepr[2], "module" if isinstance(report, pytest.CollectReport) else "test")
        for report in skipped.values()
    )
    terminalreporter.section("left out")
    for (reason, what), count in sorted(left_out.items()):
        terminalreporter.line(f"{reason}: {plural(count, what)}")


@contextmanager
def untraced() -> Iterator[None]:
    """Stop tracing in this thread and in new threads and processes."""
    trace, trace_of_threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("COVERAGE_PROCESS_CONFIG", raising=False)
        try:
            yield
        finally:
            sys.settrace(trace)
            threading.settrace(trace_of_threads)


@pytest.fixture(autouse=True)
def threads_of_torch() -> Iterator[None]:
    """Check that a test leaves PyTorch's number of threads: more of them slow down all later tests of small tensors."""
    before = _threads_of_torch()
    yield
    if before is not None and _threads_of_torch() != before:
        pytest.fail("the test has changed PyTorch's number of threads")


def _threads_of_torch() -> int | None:
    """Return the number of threads, or nothing before PyTorch is imported."""
    get = getattr(sys.modules.get("torch"), "get_num_threads", None)
    return get() if get else None


@pytest.fixture(scope="session")
def long_form() -> bool:
    """Whether this is a long run. Tests read it from this fixture only, since those that use it are marked `longer`."""
    return LONG


@pytest.fixture(scope="session")
def assert_close() -> Callable[..., None]:
    """`assert_close(actual, expected)` compares with the tolerance of the coarser dtype, times `slack`."""

    def compare(actual: ArrayLike, expected: ArrayLike, *, slack: float = 1.0) -> None:
        actual, expected = np.asarray(actual), np.asarray(expected)
        names = (array.dtype.name for array in (actual, expected))
        tolerance = slack * max(TOLERANCES.get(name, 0.0) for name in names)
        np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)

    return compare


@pytest.fixture(scope="session")
def english(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a megabyte of English text that is part of Python: the topics of `help()`."""
    path = tmp_path_factory.mktemp("english") / "corpus.txt"
    path.write_text("\n".join(topics.values()), encoding="utf-8")
    return path


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """An empty folder owned by an unprivileged user, as whom the test runs, because root ignores permissions."""
    folder = Path(tempfile.mkdtemp(prefix="rowspace-test-"))  # other users cannot enter pytest's own folders
    if os.geteuid() != 0:
        yield folder
    else:
        nobody, groups = 65534, os.getgroups()
        os.chown(folder, nobody, nobody)
        os.setgroups([])
        os.setresgid(nobody, nobody, 0)
        os.setresuid(nobody, nobody, 0)
        try:
            yield folder
        finally:
            os.setresuid(0, 0, 0)
            os.setresgid(0, 0, 0)
            os.setgroups(groups)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(folder)
