"""The wheels work when installed without extras in clean environments outside the checkout."""

import json
import os
import re
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
PACKAGES = CHECKOUT / "packages"
MAX_BYTES = 1_390_000

# Every module, but of `learn`'s folders, whose modules are not public, the public names.
IMPORT_ALL = """
import importlib, pkgutil, rowspace, rowspace.errors, rowspace.learn
from operator import attrgetter
folders = ("distillation", "optimizer", "tuning")
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
    "a category encoder needs scikit-learn: pip install 'rowspace[analysis]'",
    "a classifier needs scikit-learn: pip install 'rowspace[analysis]'",
    "a two-tower model needs PyTorch: pip install 'rowspace[torch]'",
    "an encoder of transformers needs PyTorch: pip install 'rowspace[torch]'",
    "learning on several machines needs PyTorch: pip install 'rowspace[torch]'",
    "rowspace.layers needs PyTorch: pip install 'rowspace[torch]'",
    "rowspace.optim needs PyTorch: pip install 'rowspace[torch]'",
    "rowspace.serve needs a web server: pip install 'rowspace[serve]'",
    "tuning a table needs PyTorch: pip install 'rowspace[torch]'",
]

ASK = """
import numpy as np
from rowspace.space import nearest
rows = np.array([[1, 0], [0, 1], [1, 0.1]], np.float32)
print(*nearest(np.repeat(rows, 2, axis=0), rows, 1)[0][:, 0])  # six queries at once: with few, nothing is compiled
"""


def run(
    *command: str | Path, cwd: Path, home: Path | None = None, status: int = 0, **extra: str
) -> subprocess.CompletedProcess[str]:
    """Run `command` without the checkout and coverage in its environment, optionally with another home folder."""
    ours = ("COVERAGE", "PYTHONPATH", "NUMBA_", "XDG_", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= extra | ({"HOME": str(home)} if home else {})
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stdout + done.stderr
    return done


def built(package: str, folder: Path) -> Path:
    """Build the wheel of a package."""
    folder.mkdir()
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, PACKAGES / package)
    run(*build, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wheels")
    return {name: built(name, folder / name) for name in ("rowspace", "rowspace-lab")}


def needed(requirements: list[str]) -> dict[str, Distribution]:
    """Return the distributions that `requirements` need, by name."""
    found: dict[str, Distribution] = {}
    waiting = [(Requirement(requirement), {""}) for requirement in requirements]
    while waiting:
        requirement, extras = waiting.pop()
        name = canonicalize_name(requirement.name)
        if requirement.marker and not any(requirement.marker.evaluate({"extra": extra}) for extra in extras):
            continue
        if name in found and not requirement.extras:
            continue
        found[name] = distribution(name)
        assert found[name].version in requirement.specifier
        waiting += [(Requirement(inner), {"", *requirement.extras}) for inner in found[name].requires or []]
    return found


def clean_environment(folder: Path, *wheels: Path) -> Path:
    """Make a virtual environment with wheels, and links to the installed distributions that they need."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    pip = (sys.executable, "-m", "pip", "--python", folder / "bin" / "python")
    run(*pip, "install", "--quiet", "--no-compile", "--no-deps", "--no-index", *wheels, cwd=folder.parent)
    (site,) = folder.glob("lib/python*/site-packages")
    installed = [each for each in distributions(path=[str(site)]) if each.metadata["Name"].startswith("rowspace")]
    requirements = [requirement for each in installed for requirement in each.requires or []]
    for dependency in needed(requirements).values():
        for name in {file.parts[0] for file in dependency.files or []} - {"..", "__pycache__"}:
            if not (site / name).exists() and not dependency.metadata["Name"].startswith("rowspace"):
                (site / name).symlink_to(dependency.locate_file(name))
    return folder


@pytest.fixture(scope="module")
def environment(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library alone."""
    return clean_environment(tmp_path_factory.mktemp("clean") / "environment", wheels["rowspace"])


@pytest.fixture(scope="module")
def both(wheels: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library and the workbench."""
    return clean_environment(tmp_path_factory.mktemp("both") / "environment", *wheels.values())


@pytest.mark.parametrize("name", ["rowspace", "rowspace-lab"])
def test_wheel_contains_exactly_the_package(wheels: dict[str, Path], name: str) -> None:
    names = [each for each in zipfile.ZipFile(wheels[name]).namelist() if ".dist-info/" not in each]
    package = PACKAGES / name / "src" / name.replace("-", "_")
    # The documentation is in the wheel if scripts/docs has built it, as scripts/test does before the tests.
    data = [path for folder in ("static", "site") for path in (package / folder).rglob("*") if path.is_file()]
    data += [
        path for kind in ("toml", "pyi", "md", "typed", "npz", "json", "txt") for path in package.rglob(f"*.{kind}")
    ]
    sources = [path.relative_to(package.parent).as_posix() for path in [*package.rglob("*.py"), *data]]
    assert sorted(names) == sorted({*sources})
    assert ("rowspace_lab/static/index.html" in names) == (name == "rowspace-lab")


@pytest.fixture
def without_node(tmp_path: Path) -> str:
    """A PATH with what scripts/web needs to find out that Node is missing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "cksum", "dirname", "find", "sort", "xargs"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return str(folder)


def test_wheel_needs_node_where_the_front_end_is_not_built(without_node: str, tmp_path: Path) -> None:
    package = tmp_path / "packages" / "rowspace-lab"
    ignored = shutil.ignore_patterns("node_modules", "static", "site", "tests", "__pycache__")
    shutil.copytree(PACKAGES / "rowspace-lab", package, ignore=ignored)
    (tmp_path / "scripts").mkdir()
    shutil.copy(CHECKOUT / "scripts" / "web", tmp_path / "scripts")
    code = "from hatchling.build import build_wheel; build_wheel('.')"
    stopped = run(sys.executable, "-c", code, cwd=package, status=1, PATH=without_node)
    sentence = "the front end of rowspace-lab is built with Node 20 or later, which is not on PATH"
    assert stopped.stderr.startswith(sentence)
    assert stopped.stderr.count("\n") == 1


@pytest.mark.long
def test_sdist_holds_the_built_front_end_and_needs_no_node(without_node: str, tmp_path: Path) -> None:
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir", tmp_path)
    run(*build, "--sdist", PACKAGES / "rowspace-lab", cwd=tmp_path)
    (archive,) = tmp_path.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    sources = tmp_path / archive.name.removesuffix(".tar.gz")
    assert not (sources / "web").exists()
    run(*build, "--wheel", sources, cwd=tmp_path, PATH=without_node)
    (wheel,) = tmp_path.glob("*.whl")
    shown = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("rowspace_lab/static/")}
    built = CHECKOUT / "packages/rowspace-lab/src/rowspace_lab/static"
    assert shown == {f"rowspace_lab/static/{path.name}" for path in built.iterdir()}


def test_packages_have_the_license_as_a_file() -> None:
    """A link would lead out of an sdist, which pip refuses."""
    for name in ("rowspace", "rowspace-lab"):
        assert not (PACKAGES / name / "LICENSE").is_symlink()
        assert (PACKAGES / name / "LICENSE").read_text() == (CHECKOUT / "LICENSE").read_text()


def test_wheel_of_the_workbench_has_the_licenses_of_what_it_bundles(wheels: dict[str, Path]) -> None:
    wheel = zipfile.ZipFile(wheels["rowspace-lab"])
    texts = [wheel.read(f"rowspace_lab/static/{name}.md").decode() for name in ("licenses", "font-licenses")]
    bundled = json.loads((PACKAGES / "rowspace-lab" / "web" / "package.json").read_text())["dependencies"]
    named = re.findall(r"^#+ (\S+)", "\n".join(texts), re.MULTILINE)
    assert {*bundled} - {*named} == set()
    assert "Matt DesLauriers" in texts[0]
    assert "SIL OPEN FONT LICENSE" in texts[1]


def test_wheel_of_the_library_is_small_and_has_no_javascript(wheels: dict[str, Path]) -> None:
    assert wheels["rowspace"].stat().st_size <= MAX_BYTES
    assert [name for name in zipfile.ZipFile(wheels["rowspace"]).namelist() if name.endswith((".js", ".css"))] == []


@pytest.mark.long
def test_commands_of_the_workbench_name_their_package(environment: Path, tmp_path: Path) -> None:
    for name in ("lab", "train", "arena", "merges"):
        failed = run(environment / "bin" / "rowspace", name, cwd=tmp_path, status=1)
        assert failed.stderr == f"rowspace: rowspace {name} is in the workbench: pip install rowspace-lab\n"
    show = "rowspace.Table(['a'], numpy.eye(1)).show()"
    code = "import numpy, rowspace\ntry: {}\nexcept rowspace.RowspaceError as error: print(error)"
    uses = [("rowspace.train", "rowspace.train", "rowspace-lab"), (show, "Table.show", "'rowspace-lab[notebook]'")]
    for use, name, package in uses:
        shown = run(environment / "bin" / "python", "-c", code.format(use), cwd=tmp_path).stdout
        assert shown == f"{name} is in the workbench: pip install {package}\n"


def test_the_workbench_adds_its_commands(both: Path, tmp_path: Path) -> None:
    shown = run(both / "bin" / "rowspace", "--help", cwd=tmp_path).stdout
    assert [name for name in ("fit", "lab", "train", "arena", "merges") if f"\n  {name} " not in shown] == []
    assert "my-table" in run(both / "bin" / "rowspace", "lab", "--help", cwd=tmp_path).stdout
    assert "t + h" in run(both / "bin" / "rowspace", "merges", "the cat the cat", cwd=tmp_path).stdout


def test_every_module_imports_or_names_its_missing_extra(environment: Path, tmp_path: Path) -> None:
    done = run(environment / "bin" / "python", "-W", "error", "-c", IMPORT_ALL, cwd=tmp_path)
    *refused, home = done.stdout.splitlines()
    assert refused == NEED_AN_EXTRA
    assert Path(home).is_relative_to(environment)


def test_help_lists_the_commands(environment: Path, tmp_path: Path) -> None:
    shown = run(environment / "bin" / "rowspace", "--help", cwd=tmp_path).stdout
    assert [name for name in ("fit", "near", "similar", "analogy", "odd", "eval", "info") if name not in shown] == []


@pytest.mark.long
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
