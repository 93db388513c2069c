"""`scripts/release` refuses what must not be released; the build itself takes minutes and the network."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[4]
FILES = ["scripts/release", "packages/rowspace/pyproject.toml", "packages/rowspace-lab/pyproject.toml", "CHANGELOG.md"]


def git(repository, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=repository, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path):
    """The files that are checked before the build, whose first step stops with the status 9."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, tmp_path / name)
    (tmp_path / "scripts" / "setup").write_text("#!/usr/bin/env bash\nexit 9\n")
    (tmp_path / "scripts" / "setup").chmod(0o755)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def commit(repository):
    git(repository, "add", ".")
    git(repository, "commit", "--message", "all")


def replace(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def release(repository):
    """Return the exit status and what is written to standard error."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = [repository / "scripts" / "release"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_checked_sources_are_built(repository):
    assert release(repository) == (9, "")


def test_changes_that_are_not_committed_are_refused(repository):
    (repository / "new.py").touch()
    status, error = release(repository)
    assert status == 1
    assert error.startswith("scripts/release: some changes are not committed")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (FILES[2], 'version = "0.1.0"', 'version = "0.2.0"', "rowspace is 0.1.0, and that of rowspace-lab is 0.2.0"),
        (FILES[2], "[serve]==0.1.0", "[serve]==0.2.0", "rowspace-lab does not need rowspace==0.1.0"),
        (FILES[1], "rowspace-lab==0.1.0", "rowspace-lab==0.2.0", "lab of rowspace does not need rowspace-lab==0.1.0"),
        (FILES[3], "## 0.1.0", "## 0.1.0rc1", "CHANGELOG.md has no section of version 0.1.0"),
    ],
)
def test_versions_that_differ_are_refused(repository, file, old, new, message):
    replace(repository / file, old, new)
    commit(repository)
    status, error = release(repository)
    assert status == 1
    assert message in error
