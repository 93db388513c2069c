"""Python's imports: a table of the modules of the standard library, learned from the graph of their imports."""

import ast
import tokenize
import warnings
from pathlib import Path

from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice

__all__ = ["IMPORTS", "library_imports"]

ID = "python-imports"
TITLE = "Python's imports"
LEFT_OUT = frozenset({"site-packages", "test", "tests", "idlelib", "lib2to3", "__pycache__"})
CODE = """\
import rowspace as rs
from rowspace_lab.tables.imports import library_imports

edges = library_imports()
table = rs.fit_graph(edges, dim=32, workers=1)"""


def library_imports() -> list[tuple[str, str]]:
    """Return the pairs of modules of the standard library of which one imports the other, anywhere in its source."""
    library = Path(tokenize.__file__).parent
    files = dict[str, Path]()
    for path in sorted(library.rglob("*.py")):
        parts = path.relative_to(library).with_suffix("").parts
        if LEFT_OUT.isdisjoint(parts):
            files[".".join(parts).removesuffix(".__init__")] = path
    found = set[tuple[str, str]]()
    for module, path in files.items():
        found |= {(min(module, other), max(module, other)) for other in _imported(module, path) & files.keys()}
    return sorted(pair for pair in found if pair[0] != pair[1])


def _imported(module: str, path: Path) -> set[str]:
    """Return the names that a module imports."""
    with warnings.catch_warnings(action="ignore"):  # of old escapes in its strings
        tree = ast.parse(path.read_bytes())
    package = module.split(".")[: None if path.name == "__init__.py" else -1]
    found = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            inside = package[: len(package) + 1 - node.level] if node.level else []
            base = ".".join([*inside, *([node.module] if node.module else [])])
            found |= {base, *(f"{base}.{name.name}" for name in node.names)}
    return found


def _opened() -> Lab:
    from rowspace.learn.graph.fit_graph import fit_graph  # imports Numba, which other tables do not need

    edges = library_imports()
    return Lab(fit_graph(edges, dim=32, workers=1), TITLE, ID, CODE, edges=tuple(edges))


IMPORTS = TableChoice(
    ID,
    TITLE,
    "Modules of Python's standard library with 32 numbers each, learned from random walks over their imports.",
    "example",
    _opened,
)
