"""The import contracts of pyproject.toml find a violation that is planted in a copy of the sources."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[4]
PLANTED = {
    "rowspace/src/rowspace/space/pca.py": ("import rowspace_lab.lab\n", "the library does not import the workbench"),
    "rowspace/src/rowspace/space/plane.py": ("import rowspace.store\n", "a folder imports only those below it"),
    "rowspace-lab/src/rowspace_lab/pages/cost/figures.py": (
        "import rowspace_lab.pages.words.figures\n",
        "workbench: pages do not import each other",
    ),
}


@pytest.fixture
def sources(tmp_path):
    """A copy of both packages and of the contracts."""
    for package in ("rowspace", "rowspace-lab"):
        ignored = shutil.ignore_patterns("__pycache__", "static", "site")
        shutil.copytree(CHECKOUT / "packages" / package / "src", tmp_path / package / "src", ignore=ignored)
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    return tmp_path


def test_planted_violations_are_found(sources):
    for file, (line, _) in PLANTED.items():
        path = sources / file
        path.write_text(path.read_text() + f"\n{line}")
    places = os.pathsep.join(str(sources / package / "src") for package in ("rowspace", "rowspace-lab"))
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": places}
    shown = subprocess.run(command, cwd=sources, env=environment, capture_output=True, text=True, check=False)
    assert shown.returncode == 1, shown.stdout + shown.stderr
    broken = [line for line in shown.stdout.splitlines() if line.endswith(" BROKEN") or " BROKEN (" in line]
    for _, contract in PLANTED.values():
        assert any(line.startswith(contract) for line in broken), (contract, broken)
