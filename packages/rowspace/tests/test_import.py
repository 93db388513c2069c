"""`import rowspace` is light, every module can be imported first, and all names in `__all__` exist."""

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

HEAVY = [
    *("numba", "llvmlite", "torch", "tokenizers", "safetensors", "typer", "rich", "zstandard"),
    *("sklearn", "openTSNE", "umap"),
]

# Prints the files that `import rowspace` opened, except source and compiled modules.
SPY = """
import os, sys
import numpy  # files opened by numpy do not count
opened = []
def spy(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes)):
        opened.append(os.fsdecode(arguments[0]))
sys.addaudithook(spy)
import pytest

import rowspace
print("\\n".join(p for p in opened if not p.endswith((".py", ".so", ".pyd")) and ".pyc" not in p))
"""

# Imports each module in a fork without any rowspace module; prints the modules that fail, with their tracebacks. Python
# imports a package before its modules, so a module that is imported by its own package needs no separate fork.
# Libraries are imported once, before the forks.
IMPORT_EACH = """
import gc, importlib, json, os, sys, tempfile, traceback
import numba, numpy, torch

def import_in_fork(module):
    with tempfile.TemporaryFile("w+") as file:
        child = os.fork()
        if child == 0:
            try:
                importlib.import_module(module)
                result = [name for name in sys.modules if name.startswith("rowspace")]
            except BaseException:
                result = traceback.format_exc()
            json.dump(result, file)
            file.flush()
            os._exit(0)
        os.waitpid(child, 0)
        file.seek(0)
        return json.loads(file.read() or '"the process died"')

gc.freeze()
assert not [name for name in sys.modules if name.startswith("rowspace")]
results = {}
for module in MODULES:
    package = results.get(module.rpartition(".")[0])
    results[module] = package if package and module in package else import_in_fork(module)
print(json.dumps({module: result for module, result in results.items() if isinstance(result, str)}))
"""


def test_dir_lists_the_public_names() -> None:
    assert set(rowspace.__all__) <= set(dir(rowspace))
    assert not {"Any", "import_module", "_MODULES"} & set(dir(rowspace))


def python(code: str) -> str:
    """Run `code` in a new interpreter without coverage, which would open files."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("package", ["rowspace", "rowspace.space", "rowspace.text"])
def test_import_loads_no_slow_library(package: str) -> None:
    loaded = python(f"import sys, {package}; print('\\n'.join(sys.modules))").split()
    assert package in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_table_lookups_do_not_import_numba() -> None:
    code = """
import sys, numpy
from rowspace.table import Table
table = Table(["a"], numpy.ones((1, 2)))
table["a"], table.similarity("a", "a"), table.neighbors("a")
print("numba" in sys.modules)
"""
    assert python(code) == "False\n"


def test_import_opens_no_data_file() -> None:
    assert python(SPY).split() == []


@pytest.mark.long
def test_each_module_can_be_imported_first() -> None:
    refused = json.loads(python(f"MODULES = {['rowspace', *MODULES]!r}\n{IMPORT_EACH}"))
    assert refused == {}, "\n".join(refused.values())


def test_names_in_all_exist_and_are_unique() -> None:
    for module in ["rowspace", *MODULES]:
        loaded = importlib.import_module(module)
        names = getattr(loaded, "__all__", [])
        assert [name for name in names if not hasattr(loaded, name)] == [], module
        assert len(names) == len(set(names)), module


def test_package_is_imported_from_this_checkout() -> None:
    assert Path(rowspace.__file__).parents[2] == Path(__file__).parents[1]
