"""The import contracts of pyproject.toml and of the front end find violations planted in a copy of the sources."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[4]
WEB = CHECKOUT / "packages" / "rowspace-lab" / "web"
PLANTED = {
    "rowspace/src/rowspace/space/pca.py": ("import rowspace_lab.lab\n", "the library does not import the workbench"),
    "rowspace/src/rowspace/space/plane.py": ("import rowspace.store\n", "a folder imports only those below it"),
    "rowspace-lab/src/rowspace_lab/pages/cost/figures.py": (
        "import rowspace_lab.pages.words.figures\n",
        "workbench: pages do not import each other",
    ),
}
# Lines at the start of a file's script, and the rule of eslint that reports them.
PLANTED_IN_WEB = {
    "api/client.ts": ('import "../nowhere";', "no-unresolved"),
    "charts/Bars.svelte": ('import "../map/camera";', "no-restricted-paths"),
    "components/Page.svelte": ('import "./Tabs.svelte";', "no-cycle"),
    "components/Tabs.svelte": ('import "./Page.svelte";', "no-cycle"),
    "map/points.ts": ('import "./painting";', "no-cycle"),
    "pages/cost/state.ts": ('void import("../head/state");', "no-restricted-paths"),
    "pages/words/state.ts": ('import "../../lessons/outline";', "no-restricted-paths"),
    "state/theme.svelte.ts": ('import "../components/Tabs.svelte";', "no-restricted-paths"),
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


@pytest.mark.long
def test_planted_violations_in_the_front_end_are_found(tmp_path):
    shutil.copytree(WEB, tmp_path, ignore=shutil.ignore_patterns("node_modules"), dirs_exist_ok=True)
    (tmp_path / "node_modules").symlink_to(WEB / "node_modules")
    for name, (line, _) in PLANTED_IN_WEB.items():
        path = tmp_path / "src" / name
        start = "<script.*>" if path.suffix == ".svelte" else "^"
        path.write_text(re.sub(start, rf"\g<0>{line}\n", path.read_text(), count=1))
    found = eslint(tmp_path)
    assert {name: rule for name, (_, rule) in PLANTED_IN_WEB.items() if f"import-x/{rule}" not in found[name]} == {}


def eslint(web):
    """The rules that the files of PLANTED_IN_WEB violate."""
    command = [web / "node_modules/.bin/eslint", "--format", "json", *(f"src/{name}" for name in PLANTED_IN_WEB)]
    shown = subprocess.run(command, cwd=web, capture_output=True, text=True, check=False)
    assert shown.returncode <= 1, shown.stderr
    files = {Path(file["filePath"]).relative_to(web / "src"): file["messages"] for file in json.loads(shown.stdout)}
    return {str(name): {message["ruleId"] for message in messages} for name, messages in files.items()}
