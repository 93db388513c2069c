"""Public names of a package that are imported on first use (PEP 562), so that importing the package stays light."""

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module

from rowspace.errors import MissingExtraError

__all__ = ["lazy_exports"]


def lazy_exports(
    package: str, modules: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package whose names are imported on first use.

    Args:
        package: the package's `__name__`.
        modules: the public names of each module of the package. No name may be that of a module, which would hide it.

    `__getattr__` raises `MissingExtraError` for a name whose module needs PyTorch where it is not installed.
    """
    module_of = {name: module for module, names in modules.items() for name in names}

    def get(name: str) -> object:
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            value = getattr(import_module(f"{package}.{module_of[name]}"), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise MissingExtraError(f"{package}.{name} needs PyTorch: pip install 'rowspace[torch]'") from error
        setattr(sys.modules[package], name, value)
        return value

    def names() -> list[str]:
        return sorted({*vars(sys.modules[package]), *module_of})

    return get, names
