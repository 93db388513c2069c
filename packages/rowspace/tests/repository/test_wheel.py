"""The wheel works when installed without extras in a clean environment outside the checkout."""

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import Distribution, distribution, distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CHECKOUT = Path(__file__).parents[4]
PACKAGE = CHECKOUT / "packages/rowspace/src/rowspace"

# Every module, but of `learn`'s folders, whose modules are not public, the public names.
IMPORT_ALL = """
import importlib, pkgutil, rowspace, rowspace.errors, rowspace.learn
from operator import attrgetter
folders = ("arena", "distillation", "language_model", "optimizer", "tuning")
private = tuple(f"rowspace.learn.{name}." for name in folders)
modules = [module.name for module in pkgutil.walk_packages(rowspace.__path__, "rowspace.", onerror=lambda name: None)]
names = [f"learn.{name}" for name in rowspace.learn.__all__] + rowspace.__all__
refused = set()
for name in [*modules, *names]:
    try:
        if name in names:
            attrgetter(name)(rowspace)
        elif not name.endswith("__main__") and not name.startswith(private):
            importlib.import_module(name)
    except rowspace.errors.MissingExtraError as error:
        refused.add(str(error))
print(*sorted(refused), rowspace.__file__, sep="\\n")
"""
NEED_AN_EXTRA = [
    "TextEncoder needs scikit-learn: pip install 'rowspace[analysis]'",
    "a classifier needs scikit-learn: pip install 'rowspace[analysis]'",
    "a language model needs PyTorch: pip install 'rowspace[torch]'",
    "contextual rows need PyTorch: pip install 'rowspace[torch]'",
    "distilling a model needs PyTorch: pip install 'rowspace[torch]'",
    "rowspace.lab needs a web server: pip install 'rowspace[lab]'",
    "rowspace.layers needs PyTorch: pip install 'rowspace[torch]'",
    "rowspace.learn.TrainProgress needs PyTorch: pip install 'rowspace[torch]'",
    "rowspace.learn.optimizer needs PyTorch: pip install 'rowspace[torch]'",
    "rowspace.serve needs a web server: pip install 'rowspace[serve]'",
    "the arena needs PyTorch, scikit-learn and Pillow, but PIL is missing: pip install 'rowspace[torch,analysis,lab]'",
    "tuning a table needs PyTorch: pip install 'rowspace[torch]'",
]

ASK = """
import numpy as np
from rowspace.space import nearest
rows = np.array([[1, 0], [0, 1], [1, 0.1]], np.float32)
print(*nearest(np.repeat(rows, 2, axis=0), rows, 1)[0][:, 0])  # six queries at once: with few, nothing is compiled
"""


def run(*command: str | Path, cwd: Path, home: Path | None = None, **extra: str) -> subprocess.CompletedProcess[str]:
    """Run `command` without the checkout and coverage in its environment, optionally with another home folder."""
    ours = ("COVERAGE", "PYTHONPATH", "NUMBA_", "XDG_", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= extra | ({"HOME": str(home)} if home else {})
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        folder,
        CHECKOUT / "packages/rowspace",
    )
    run(*build, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


def base_dependencies(requirements: list[str]) -> dict[str, Distribution]:
    """Return the distributions that `requirements` need without any extra, by name."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(requirement) for requirement in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name in found or (requirement.marker and not requirement.marker.evaluate({"extra": ""})):
            continue
        found[name] = distribution(name)
        assert found[name].version in requirement.specifier
        waiting += map(Requirement, found[name].requires or [])
    return found


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and links to the installed base dependencies."""
    folder = tmp_path_factory.mktemp("clean") / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    run(*pip, "install", "--quiet", "--no-compile", "--no-deps", "--no-index", wheel, cwd=folder.parent)
    (site,) = folder.glob("lib/python*/site-packages")
    (installed,) = distributions(name="rowspace", path=[str(site)])
    for dependency in base_dependencies(installed.requires or []).values():
        for name in {file.parts[0] for file in dependency.files or []} - {"..", "__pycache__"}:
            (site / name).symlink_to(dependency.locate_file(name))
    return folder


def test_wheel_contains_exactly_the_package(wheel: Path) -> None:
    names = [name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name]
    # The documentation is in the wheel if scripts/docs has built it, as scripts/test does before the tests.
    built = [PACKAGE / "lab" / folder for folder in ("static", "site")]
    data = [path for folder in built for path in folder.rglob("*") if path.is_file()]
    data += [path for kind in ("toml", "pyi", "md") for path in PACKAGE.rglob(f"*.{kind}")]
    sources = [path.relative_to(PACKAGE.parent).as_posix() for path in [*PACKAGE.rglob("*.py"), *data]]
    assert sorted(names) == sorted([*sources, "rowspace/py.typed"])
    assert "rowspace/lab/static/index.html" in names


def test_every_module_imports_or_names_its_missing_extra(environment: Path, tmp_path: Path) -> None:
    done = run(environment / "bin" / "python", "-W", "error", "-c", IMPORT_ALL, cwd=tmp_path)
    *refused, home = done.stdout.splitlines()
    assert refused == NEED_AN_EXTRA
    assert Path(home).is_relative_to(environment)


def test_help_lists_the_commands(environment: Path, tmp_path: Path) -> None:
    shown = run(environment / "bin" / "rowspace", "--help", cwd=tmp_path).stdout
    assert [name for name in ("fit", "near", "similar", "analogy", "odd", "eval", "info") if name not in shown] == []


def test_kernels_of_a_read_only_install_are_cached_in_the_users_home(environment: Path, tmp_path: Path) -> None:
    (installed,) = environment.glob("lib/python*/site-packages/rowspace")
    read_only = tmp_path / "site" / "rowspace"
    shutil.copytree(installed, read_only, ignore=shutil.ignore_patterns("__pycache__"))
    # A regular file in place of the cache folder blocks even root, who ignores permission bits.
    for folder in [read_only, *(path for path in read_only.rglob("*") if path.is_dir())]:
        (folder / "__pycache__").touch()
    before = sorted(read_only.rglob("*"))
    home = tmp_path / "home"

    first, second = (
        run(
            environment / "bin" / "python",
            "-c",
            ASK,
            cwd=tmp_path,
            home=home,
            PYTHONPATH=str(read_only.parent),
        )
        for _ in range(2)
    )

    assert sorted(read_only.rglob("*")) == before
    assert list(home.rglob("*.nbc"))
    assert first.stdout == "0 0 1 1 2 2\n"
    assert "compiling kernels" in first.stderr
    assert (second.stdout, second.stderr) == (first.stdout, "")
