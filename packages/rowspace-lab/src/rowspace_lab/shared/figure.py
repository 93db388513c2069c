"""`shown`: the code of a figure as a script to copy: the source of its function, its dependencies, and the call.

A figure is a plain function of the table and parameters. Pages call the same function that they show, so the code
cannot differ from the computation. Type annotations are removed from the listing.
"""

import ast
import contextlib
import inspect
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache, partial
from importlib import import_module
from threading import Lock
from typing import Any, TypedDict, cast

from numpy.typing import NDArray

from rowspace_lab.lab import Lab

__all__ = ["Array", "Shown", "shown", "shown_between", "shown_on"]

Array = NDArray[Any]

_OWN = "rowspace_lab."
_IMPORTED = (
    "rowspace_lab.experiments",
    "rowspace_lab.shared.notes",
    "rowspace_lab.tables.english",
    "rowspace_lab.tables.small_graph",
    "rowspace_lab.tables.small_shop",
    "rowspace_lab.tables.small_world",
)  # by readers, as the library is
_FRONT_DOOR = {"rowspace.table": "rowspace"}  # module → the public module that readers import from
_MAX_LINE = 100
_PARSING = Lock()  # ast.parse is not thread-safe in Python 3.11
_ATTEMPTS = 20


class Shown(TypedDict):
    """The field of every reply: the code that computes its numbers."""

    code: str


def shown(lab: Lab, figure: "partial[Any]", **inputs: "partial[Any]") -> str:
    """Return the code of `figure`, a figure function with its parameters bound.

    The code assigns the result to the function's name without `_figure`. A parameter named `table` is the lab's table.
    `inputs` are the calls that compute the parameters that cannot be written as literals.
    """
    steps = dict(inputs) | {figure.func.__name__.removesuffix("_figure"): figure}
    calls = [f"{name} = {_call(step, inputs)}" for name, step in steps.items()]
    imports, definitions = _sources(*((step.func.__module__, step.func.__name__) for step in steps.values()))
    if "table" not in inputs and any("table" in inspect.signature(step.func).parameters for step in steps.values()):
        lines, opened = lab.load_code.split("\n\n", 1)
        imports = list(dict.fromkeys([*imports, *lines.split("\n")]))
        calls.insert(0, opened)
    return _script(imports, definitions, calls)


def shown_on(
    labs: Mapping[str, Lab], figure: "partial[Any]", verdict: Callable[[Collection[Mapping[str, Any]]], Any]
) -> str:
    """Return the code of a figure that is computed for several tables, given by title, and of the verdict over them.

    The code assigns a mapping from title to result to the function's name without `_figure`, and the `verdict`.
    """
    name, call = figure.func.__name__.removesuffix("_figure"), _call(figure, {})
    functions = [(each.__module__, each.__name__) for each in (figure.func, verdict)]
    imports, definitions = _sources(*functions)
    calls = [f"{name} = {{}}"]
    for title, lab in labs.items():
        lines, opened = lab.load_code.split("\n\n", 1)
        imports += lines.split("\n")
        calls += [opened, f"{name}[{title!r}] = {call}"]
    calls.append(f"verdict = {verdict.__name__}({name}.values())")
    return _script(list(dict.fromkeys(imports)), definitions, calls)


def shown_between(labs: Mapping[str, Lab | str], figure: "partial[Any]", **inputs: "partial[Any]") -> str:
    """Return the code of a figure of several tables, as `shown` does.

    `labs` are those by the parameters' names, or expressions, which can use what the lines before have assigned.
    """
    steps = dict(inputs) | {figure.func.__name__.removesuffix("_figure"): figure}
    imports, definitions = _sources(*((step.func.__module__, step.func.__name__) for step in steps.values()))
    calls = []
    for name, lab in labs.items():
        if isinstance(lab, str):
            calls.append(f"{name} = {lab}")
            continue
        lines, opened = lab.load_code.split("\n\n", 1)
        imports += lines.split("\n")
        calls += [opened, f"{name} = table"]
    calls += [f"{name} = {_call(step, {**labs, **inputs})}" for name, step in steps.items()]
    return _script(list(dict.fromkeys(imports)), definitions, calls)


def _script(imports: list[str], definitions: list[str], calls: list[str]) -> str:
    ordered = sorted(imports, key=lambda line: ("rowspace" in line, line.startswith("from"), line))
    return "\n\n\n".join(["\n".join(ordered), *definitions, "\n".join(calls)]).lstrip()


def _call(step: "partial[Any]", inputs: Mapping[str, object]) -> str:
    """Return a call with literals for bound parameters, and names for values that other lines compute."""
    arguments = []
    for name, parameter in inspect.signature(step.func).parameters.items():
        if name in inputs or name == "table":
            arguments.append(f"{name}={name}" if parameter.kind is inspect.Parameter.KEYWORD_ONLY else name)
        elif name in step.keywords:
            arguments.append(f"{name}={step.keywords[name]!r}")
    line = f"{step.func.__name__}({', '.join(arguments)})"
    if len(line) <= _MAX_LINE:
        return line
    return f"{step.func.__name__}(\n" + "".join(f"    {each},\n" for each in arguments) + ")"


def _sources(*functions: tuple[str, str]) -> tuple[list[str], list[str]]:
    """Return the import lines and the definitions of functions, given as (module, name), and of their dependencies."""
    source = _Source()
    with _PARSING:
        for module, name in functions:
            source.add(module, name)
    return source.import_lines(), list(source.definitions.values())


class _Source:
    """The imports and definitions that functions need, dependencies first."""

    def __init__(self) -> None:
        self.definitions: dict[tuple[str, str], str] = {}
        self._imports: dict[str, set[str]] = {}
        """`import ...` lines, with an empty set, and beginnings of `from` lines, with the names that they import."""

    def add(self, module: str, name: str) -> None:
        """Add a function or constant of a module, and its dependencies."""
        if (module, name) in self.definitions:
            return
        bound = _bindings(module)
        node = bound[name]
        if isinstance(node, ast.Import):
            self._imports.setdefault(ast.unparse(node), set())
        elif isinstance(node, ast.ImportFrom):
            self._add_from(node, name)
        else:
            text, used = _definition(module, name)
            for other in used:
                self.add(module, other)
            self.definitions[module, name] = text

    def _add_from(self, node: ast.ImportFrom, name: str) -> None:
        (alias,) = (alias for alias in node.names if name in (alias.name, alias.asname))
        module = str(node.module)
        if module.startswith(_OWN) and module not in _IMPORTED:
            self.add(module, alias.name)
            return
        self._imports.setdefault(f"from {_FRONT_DOOR.get(module, module)} import ", set()).add(ast.unparse(alias))

    def import_lines(self) -> list[str]:
        """Return a line for each module, or several where it would be too long."""
        lines = [line for line, names in self._imports.items() if not names]
        for line, names in self._imports.items():
            for name in sorted(names):
                extended = f"{lines[-1]}, {name}" if lines and lines[-1].startswith(line) else ""
                if 0 < len(extended) <= _MAX_LINE:
                    lines[-1] = extended
                else:
                    lines.append(line + name)
        return lines


@cache
def _bindings(module: str) -> Mapping[str, ast.stmt]:
    """Return the names that a module binds with imports, functions and assignments."""
    bound: dict[str, ast.stmt] = {}
    for node in _parse(inspect.getsource(import_module(module))).body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {alias.asname or alias.name: node for alias in node.names}
        elif isinstance(node, ast.FunctionDef):
            bound[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            bound |= {target.id: node for target in targets if isinstance(target, ast.Name)}
    return bound


@cache
def _definition(module: str, name: str) -> tuple[str, list[str]]:
    """Return the source of a function or assignment without annotations, and the module's names that it uses."""
    bound, source = _bindings(module), inspect.getsource(import_module(module))
    node, text = bound[name], ast.get_source_segment(source, bound[name]) or ""
    if isinstance(node, ast.AnnAssign):
        text = f"{name} = {ast.get_source_segment(source, node.value or node)}"
    elif isinstance(node, ast.FunctionDef):
        text = _without_annotations(text)
    text = re.sub(r"  # (type: ignore|noqa).*", "", text)
    used = [part.id for part in ast.walk(_parse(text)) if isinstance(part, ast.Name)]
    return text, [other for other in dict.fromkeys(used) if other in bound and other != name]


def _parse(text: str) -> ast.Module:
    """`ast.parse`, repeated where Python 3.11 fails since Numba parses in another thread, without our lock."""
    for _ in range(_ATTEMPTS):
        with contextlib.suppress(SystemError):
            return ast.parse(text)
    return ast.parse(text)


def _without_annotations(text: str) -> str:
    """Remove the annotations from the source of a function, and write its signature on one line."""
    lines, function = text.split("\n"), cast(ast.FunctionDef, _parse(text).body[0])
    for node in ast.walk(function):
        if isinstance(node, ast.AnnAssign):
            line = lines[node.lineno - 1].encode()  # offsets count bytes
            kept = line[: node.target.end_col_offset] + line[node.annotation.end_col_offset :]
            lines[node.lineno - 1] = kept.decode()
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    body = lines[function.body[0].lineno - 1 :]
    return "\n".join([f"def {function.name}({ast.unparse(function.args)}):", *body])
