"""The code that pages show for their figures."""

import re
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pkgutil import walk_packages

import numpy as np
import pytest

import rowspace as rs
from rowspace_lab import pages
from rowspace_lab.lab import Lab
from rowspace_lab.shared.figure import _sources, shown

MODULES = [module.name for module in walk_packages(pages.__path__, f"{pages.__name__}.") if not module.ispkg]
OTHERS = ("numpy", "PIL", "rowspace", "tokenizers", "torch")


def figures(name: str) -> list[Callable[..., object]]:
    """The figures that a module defines."""
    module = import_module(name)
    found = [value for key, value in vars(module).items() if key.endswith("_figure")]
    return [function for function in found if function.__module__ == name]


FIGURES = [function for module in MODULES for function in figures(module)]


LEVELS: dict[str, int] = {"low": 1, "high": 3}


def level_of(number: float, *, names: dict[str, int] = LEVELS) -> list[str]:
    return [name for name, level in names.items() if number >= level]


def levels_figure(table: rs.Table, scale: float, *, word: str) -> dict[str, object]:
    """The levels of a word."""
    largest: float = np.abs(table[word]).max()  # any number of words
    return {"levels": level_of(scale * largest)}  # type: ignore[no-any-return]  # left out of the code


def middle(*, numbers: list[float]) -> float:
    return sorted(numbers)[len(numbers) // 2]


CODE = '''\
import numpy as np
import rowspace as rs


def middle(*, numbers):
    return sorted(numbers)[len(numbers) // 2]


LEVELS = {"low": 1, "high": 3}


def level_of(number, *, names=LEVELS):
    return [name for name, level in names.items() if number >= level]


def levels_figure(table, scale, *, word):
    """The levels of a word."""
    largest = np.abs(table[word]).max()  # any number of words
    return {"levels": level_of(scale * largest)}


table = rs.load('my-table')
scale = middle(numbers=[1.5, 2.0, 4.0])
levels = levels_figure(table, scale, word='a')'''


@pytest.mark.parametrize("figure", FIGURES, ids=lambda figure: figure.__name__)
def test_figures_use_public_imports_only(figure: Callable[..., object]) -> None:
    imports, definitions = _sources((figure.__module__, figure.__name__))
    for line in imports:
        package = re.split(r"[ .]", line)[1]
        is_public = package in OTHERS or package in sys.stdlib_module_names
        assert is_public or re.match(
            r"from rowspace_lab\.(experiments|shared\.notes|tables\.small_world) import ", line
        ), line
        assert not re.search(r"rowspace\.lab|\b_", line), line
    for text in definitions:
        assert not re.match(r"(def )?_", text), text


def test_figure_code_has_the_source_its_dependencies_and_the_call() -> None:
    lab = Lab(rs.Table(["a"], np.ones((1, 2))), "my-table")
    assert shown(lab, partial(levels_figure, word="a"), scale=partial(middle, numbers=[1.5, 2.0, 4.0])) == CODE


def test_long_call_is_split_into_one_line_per_argument() -> None:
    lab = Lab(rs.Table(["a"], np.ones((1, 2))), "my-table")
    word = "long " * 20
    code = shown(lab, partial(levels_figure, scale=2, word=word))
    assert code.endswith(f"levels = levels_figure(\n    table,\n    scale=2,\n    word={word!r},\n)")
