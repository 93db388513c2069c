"""`import rowspace` stays light, every module stands on its own, and every promised name exists."""

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import rowspace

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(rowspace.__path__, "rowspace.")
    if not module.name.endswith("__main__")
)

HEAVY = ["numba", "llvmlite", "torch", "tokenizers", "safetensors", "typer", "rich", "zstandard"]

# Prints what `import rowspace` opened, source and compiled modules aside.
SPY = """
import os, sys
import numpy  # what numpy opens is numpy's own affair
opened = []
def spy(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        opened.append(os.fsdecode(arguments[0]))
sys.addaudithook(spy)
import rowspace
print("\\n".join(p for p in opened if not p.endswith((".py", ".so", ".pyd")) and ".pyc" not in p))
"""

# Imports what is slow and not ours once, then each module in a fork, which has none of ours; prints what failed.
IMPORT_EACH = """
import importlib, json, os, sys, tempfile, traceback
import numba, numpy, torch

assert not [name for name in sys.modules if name.startswith("rowspace")]
refused = {}
for module in MODULES:
    with tempfile.TemporaryFile("w+") as said:
        child = os.fork()
        if child == 0:
            try:
                importlib.import_module(module)
            except BaseException:
                said.write(traceback.format_exc())
                said.flush()
                os._exit(1)
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            said.seek(0)
            refused[module] = said.read() or "the process died"
print(json.dumps(refused))
"""


def python(code: str) -> str:
    """Run `code` in a fresh interpreter, unseen by coverage, which would open files of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_import_loads_no_heavy_library() -> None:
    loaded = python("import sys, rowspace; print('\\n'.join(sys.modules))").split()
    assert "rowspace" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_import_opens_no_data_file() -> None:
    assert python(SPY).split() == []


@pytest.fixture(scope="module")
def refused() -> dict[str, str]:
    """What each module said that cannot be imported before any other of ours."""
    return json.loads(python(f"MODULES = {MODULES!r}\n{IMPORT_EACH}"))


@pytest.mark.parametrize("module", MODULES)
def test_module_imports_on_its_own(module: str, refused: dict[str, str]) -> None:
    assert refused.get(module) is None


@pytest.mark.parametrize("module", ["rowspace", *MODULES])
def test_promised_names_exist(module: str) -> None:
    loaded = importlib.import_module(module)
    names = getattr(loaded, "__all__", [])
    assert [name for name in names if not hasattr(loaded, name)] == []
    assert len(names) == len(set(names))


def test_package_is_the_one_of_this_checkout() -> None:
    assert Path(rowspace.__file__).parents[2] == Path(__file__).parents[1]
