"""The signatures of public functions show each option, with the type and default of its dataclass."""

import dataclasses
import importlib
import inspect
import subprocess
import sys
import typing
from typing import get_type_hints

import pytest

import rowspace as rs
from rowspace.encode.options import EncodeKeywords, EncodeOptions
from rowspace.learn import (
    AlignOptions,
    CompareOptions,
    DistillOptions,
    FitOptions,
    GraphOptions,
    MergeOptions,
    TuneOptions,
    align,
    distill,
    tune,
)
from rowspace.learn.distillation.options import DistillKeywords
from rowspace.learn.graph.options import GraphKeywords
from rowspace.learn.items.options import BasketKeywords, BasketOptions, ItemKeywords, ItemOptions
from rowspace.learn.items.reading import read_interactions
from rowspace.learn.merging.options import AlignKeywords, CompareKeywords, MergeKeywords
from rowspace.learn.options import FitKeywords
from rowspace.learn.tuning.options import TuneKeywords
from rowspace.scale import fit_machines, fit_on_ray, fit_parts
from rowspace.text import TextOptions, TokenizerOptions

DOORS = {
    "fit": (rs.fit, FitKeywords, (FitOptions, TextOptions, TokenizerOptions)),
    "fit_machines": (fit_machines, FitKeywords, (FitOptions, TextOptions, TokenizerOptions)),
    "fit_on_ray": (fit_on_ray, FitKeywords, (FitOptions, TextOptions, TokenizerOptions)),
    "fit_parts": (fit_parts, FitKeywords, (FitOptions, TextOptions, TokenizerOptions)),
    "fit_graph": (rs.fit_graph, GraphKeywords, (GraphOptions,)),
    "Encoder": (rs.Encoder, EncodeKeywords, (EncodeOptions,)),
    "distill": (distill, DistillKeywords, (DistillOptions,)),
    "fit_items": (rs.fit_items, ItemKeywords, (ItemOptions, BasketOptions)),
    "read_interactions": (read_interactions, BasketKeywords, (BasketOptions,)),
    "tune": (tune, TuneKeywords, (TuneOptions,)),
    "align": (align, AlignKeywords, (AlignOptions,)),
    "compare": (rs.compare, CompareKeywords, (CompareOptions,)),
    "merge": (rs.merge, MergeKeywords, (MergeOptions,)),
}
MODULES = ("encode", "contextual", "errors", "layers", "learn", "optim", "search", "space", "store", "text")
# Modules by the names that the caller gives them, and constructors of subclasses, whose arguments torch passes on too.
PASSED_ON = {"Concatenation", "InputEmbedding"}
PASSED_ON |= {f"{name}Embedding.from_pretrained" for name in ("Matryoshka", "MultiHot", "Segment", "Token")}

MISTAKES = """
import rowspace as rs
from rowspace.learn import distill, tune
table = rs.load("t")
rs.fit("text.txt", dimension=100)
rs.fit("text.txt", epochs="five")
rs.fit("text.txt", model="glove")
rs.Encoder(table, pool="mean")
rs.Encoder.load("t", pooling="median")
distill("model", dim="wide")
tune(table, [("a", "b")], epoch=3)
table.save("t", kind="npz")
"""
"""Each line from the fifth on is a mistake."""


def check_signature(function, keywords, kinds):
    """Compare a signature, and the keywords for type checkers, with the options dataclasses."""
    shown = inspect.signature(function).parameters
    hints, seen = get_type_hints(keywords), set()
    for kind in kinds:
        types = get_type_hints(kind)
        for field in dataclasses.fields(kind):
            if field.name in seen:
                continue
            seen.add(field.name)
            made = field.default_factory is not dataclasses.MISSING
            default = field.default_factory() if made else field.default
            if (function, field.name) != (rs.Encoder, "mode"):  # None, which is the mode "rowspace" with a check
                assert shown[field.name].default == default, field.name
            assert hints.get(field.name, types[field.name]) == types[field.name], field.name
    assert hints.keys() <= seen
    assert seen <= hints.keys() | set(inspect.signature(getattr(function, "__wrapped__", function)).parameters)


@pytest.mark.parametrize("name", DOORS)
def test_signature_shows_the_options_of_the_dataclasses(name):
    check_signature(*DOORS[name])


def public_callables():
    """Each public function and class, and the public methods of the classes that are ours."""
    for module in (rs, *(importlib.import_module(f"rowspace.{name}") for name in MODULES)):
        for name in module.__all__:
            value = getattr(module, name)
            is_type = typing.get_origin(value) is not None or getattr(value, "_is_protocol", False)
            if is_type or not callable(value):
                continue
            yield name, value
            for method, member in inspect.getmembers(value) if inspect.isclass(value) else ():
                if not method.startswith("_") and getattr(member, "__module__", "").startswith("rowspace"):
                    yield f"{name}.{method}", member


def test_no_public_callable_hides_its_options():
    hidden = set()
    for name, value in public_callables():
        try:
            parameters = inspect.signature(value).parameters.values()
        except (TypeError, ValueError):  # not callable, or of a type of C
            continue
        if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters):
            hidden.add(name)
    assert hidden <= PASSED_ON


@pytest.mark.long  # mypy checks the package first
def test_a_type_checker_reports_each_mistake(tmp_path):
    (tmp_path / "mistakes.py").write_text(MISTAKES)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context", tmp_path / "mistakes.py"]
    reported = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    lines = {int(line.split(":")[1]) for line in reported.splitlines() if ": error:" in line}
    assert lines == set(range(5, 13)), reported
