"""`scripts/test --long` with programs that only record their calls, since the real parts take hours."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

SCRIPT = Path(__file__).parents[4] / "scripts" / "test"
TESTS = "packages/rowspace/tests"
WORKBENCH = "packages/rowspace-lab/tests"
FOLDERS = ["layers", "learn", "encode", "search", "store"]
PARTS = ["checks", "coverage", *FOLDERS, "others", "lab", "fuzz", "browser", "late-replies", "checked-bounds"]
# Fails if the file named `fails` has a line that is part of the call; there is one line for each call.
PROGRAM = """#!/usr/bin/env bash
echo "${0##*/} $*" >>calls
! { [[ -f fails ]] && echo "${0##*/} $*" | grep --quiet --fixed-strings --file fails; }
"""


def git(repository, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=repository, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    for name in (
        "scripts/setup",
        "scripts/check",
        "scripts/docs",
        ".venv/bin/pytest",
        ".venv/bin/coverage",
        ".venv/bin/python",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(PROGRAM)
        (tmp_path / name).chmod(0o755)
    shutil.copy(SCRIPT, tmp_path / "scripts" / "test")
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "test_kernel.py").write_text("pytest.mark.kernels")
    (tmp_path / ".gitignore").write_text(".venv/\nbuild/\ncalls\nfails\n")
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--message", "all")
    return tmp_path


def run(repository, *arguments):
    """Return the exit status, the output, and the calls of programs."""
    (repository / "calls").write_text("")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = [repository / "scripts" / "test", "--long", *arguments]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, start_new_session=True)
    return done.returncode, done.stdout + done.stderr, (repository / "calls").read_text()


def summary(output):
    """Return the last word of each part in the summary."""
    lines = output.partition("minutes of each part\n")[2].splitlines()
    return {line.split()[0]: line.split()[-1] for line in lines[:-1]}


@pytest.mark.parametrize("program", ["check ", "python scripts/make_tutorials.py --check", "docs "])
def test_each_check_can_fail(repository, program):
    (repository / "fails").write_text(f"{program}\n")
    status, output, calls = run(repository, "checks")
    assert (status, "docs" in calls) == (1, program == "docs "), output


def test_a_second_run_repeats_only_the_part_that_failed(repository):
    (repository / "fails").write_text("not browser packages/rowspace/tests/learn\n")
    status, output, calls = run(repository)
    assert (status, summary(output)) == (1, dict.fromkeys(PARTS, "passed") | {"learn": "FAILED"})
    for tested in (
        f"{TESTS}/layers",
        f"{TESTS}/fuzz {WORKBENCH}/fuzz",
        f"{TESTS} --ignore {TESTS}/fuzz --ignore={TESTS}/layers --ignore={TESTS}/learn",
    ):
        assert f" --dist worksteal -m (long or longer) and not browser {tested}" in calls
    (repository / "fails").unlink()
    status, output, calls = run(repository)
    assert (status, summary(output)) == (0, dict.fromkeys(PARTS, "before") | {"learn": "passed"})
    assert "skipping layers, which has passed on this commit; scripts/test --long layers repeats it" in output
    assert [line for line in calls.splitlines() if "pytest" in line and f"not browser {TESTS}/learn" not in line] == []
    assert "pytest" in run(repository, "layers")[2]


def test_changes_of_files_start_anew(repository):
    assert run(repository, "store")[0] == 0
    (repository / "new.py").touch()
    status, output, _ = run(repository)
    assert (status, summary(output)) == (0, dict.fromkeys(PARTS, "passed"))
    assert "test: not all changes are committed, so no part is skipped" in output
    git(repository, "add", ".")
    git(repository, "commit", "--message", "new")
    status, output, _ = run(repository)
    assert summary(output) == dict.fromkeys(PARTS, "passed")


def test_a_file_that_changes_meanwhile_is_not_recorded(repository):
    program = repository / ".venv" / "bin" / "pytest"
    program.write_text(PROGRAM + "echo >>scripts/docs\n")
    assert run(repository, "store")[0] == 0
    git(repository, "checkout", "scripts/docs")
    assert "skipping" not in run(repository)[1]


def test_an_interrupt_ends_the_run(repository):
    """`pytest` ends by itself after Ctrl-C, with status 2."""
    (repository / ".venv" / "bin" / "pytest").write_text(PROGRAM + "trap 'exit 2' INT\nkill -INT 0\n")
    status, _, calls = run(repository)
    assert (status, f"{TESTS}/layers" in calls, f"{TESTS}/learn" in calls) == (130, True, False)


def test_other_arguments_are_refused(repository):
    for arguments, message in (
        (["tests"], f"scripts/test: --long has no part 'tests'; it has: {' '.join(PARTS)}\n"),
        ([""], f"scripts/test: --long has no part ''; it has: {' '.join(PARTS)}\n"),
        (["lab", "learn"], f"scripts/test: --long takes the name of one part: {' '.join(PARTS)}\n"),
    ):
        status, output, calls = run(repository, *arguments)
        assert (status, output) == (2, message)
        assert "pytest" not in calls


def test_a_test_with_a_longer_version_is_marked(long_form, request):
    assert request.node.get_closest_marker("longer")


@given(st.booleans())
def test_a_property_test_is_marked(request, value):
    assert request.node.get_closest_marker("longer")


def test_tests_learn_from_the_fixture_whether_the_run_is_long():
    files = [path for path in SCRIPT.parents[1].glob("packages/*/tests/**/*.py") if path.name != "conftest.py"]
    assert files
    assert [path for path in files if "ROWSPACE_LONG_TESTS" in path.read_text() and path != Path(__file__)] == []
