"""Public names of a package that are imported on first use (PEP 562), so that importing the package stays light."""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from rowspace.errors import MissingExtraError

__all__ = ["import_extra", "import_workbench", "lazy_exports"]

# Modules whose absence is reported, with the name of the library and of the extra that installs it.
EXTRAS = {"torch": ("PyTorch", "torch"), "sklearn": ("scikit-learn", "analysis")}


def lazy_exports(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a package whose names are imported on first use.

    The names are those that the stub next to `__init__.py` imports, each as `from module import Name as Name`, so that
    type checkers and this function read the same list. No name may be that of a module of the package, which would
    hide it. `__getattr__` raises `MissingExtraError` for a name whose module needs a library of `EXTRAS` that is not
    installed.

    Args:
        package: The package's `__name__`.
        file: The package's `__file__`.
    """
    module_of = _stub_imports(Path(file).with_name("__init__.pyi"))

    def get(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(module_of[name]), name)
        except ModuleNotFoundError as error:
            if error.name not in EXTRAS:
                raise
            library, extra = EXTRAS[error.name]
            raise MissingExtraError(f"{package}.{name} needs {library}: pip install 'rowspace[{extra}]'") from error
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *module_of})

    return get, names, sorted(module_of)


def _stub_imports(stub: Path) -> dict[str, str]:
    """Return the module of each name that the stub imports."""
    statements = ast.parse(stub.read_text("utf-8")).body
    imports = [statement for statement in statements if isinstance(statement, ast.ImportFrom)]
    return {alias.name: statement.module or "" for statement in imports for alias in statement.names}


def import_extra(module: str, need: str, extra: str) -> Any:
    """Import a module of another library; without it, raise `MissingExtraError` with the `need` and the pip command."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(f"{need}: pip install 'rowspace[{extra}]'") from error


def import_workbench(module: str, name: str, what: str, package: str = "rowspace-lab") -> Any:
    """Import a name of the workbench; without it, raise `MissingExtraError`, which says that `what` is in `package`."""
    try:
        return getattr(import_module(f"rowspace_lab.{module}"), name)
    except ModuleNotFoundError as error:
        if error.name != "rowspace_lab":
            raise
        raise MissingExtraError(f"{what} is in the workbench: pip install {package}") from error
