"""The default corpus: the source and docstrings of the standard library of the Python that runs this.

Source files are read whole: comments, docstrings and code. Then follow the language reference as `help()` shows it, and
the docstrings of compiled modules, without which `sin` and `cos` would hardly occur. Read it with
sentences="paragraph".
"""

import importlib
import importlib.util
import inspect
import os
import re
import sys
import sysconfig
import tokenize
import warnings
from collections.abc import Iterator
from importlib.machinery import BuiltinImporter, ExtensionFileLoader
from itertools import chain
from pathlib import Path
from types import ModuleType

from rowspace.errors import CorpusError

__all__ = ["standard_library"]

# Tests, test data, tables of numbers, and packages installed next to the library.
_EXCLUDED = frozenset(
    {
        "__phello__",
        "dist-packages",
        "encodings",
        "idle_test",
        "idlelib",
        "lib-dynload",
        "lib2to3",
        "pydoc_data",
        "site-packages",
        "test",
        "tests",
        "turtledemo",
    }
)
# The f of f'...' and the \n inside it would become part of the words next to them.
_STRING_MARKS = re.compile(r"\b[rbfuRBFU]{1,2}(?=['\"])|\\[abfnrtv]")


def standard_library(folder: Path | None = None) -> Iterator[str]:
    """Yield the standard library's texts, each a file, a topic of the reference or a compiled module's docstrings.

    The order is fixed for one Python.

    Args:
        folder: Where its source is, by default that of the running interpreter.

    Raises:
        CorpusError: there is no source, as in a frozen or zipped Python.

    >>> any("class Counter(dict)" in text for text in standard_library())
    True
    """
    folder = folder or Path(sysconfig.get_path("stdlib"))
    files = sorted(_source_files(folder))
    if not files:
        raise CorpusError(
            f"this Python has no source of its standard library in {str(folder)!r}; name a corpus to learn from"
        )
    return chain(map(_source, files), _reference(), _compiled_docstrings())


def _source_files(folder: Path) -> Iterator[Path]:
    """Yield the library's own source files. Excluded folders, which may hold many more, are not entered."""
    for place, subfolders, names in os.walk(folder):
        subfolders[:] = [name for name in subfolders if name not in _EXCLUDED and not name.startswith("config-")]
        yield from (Path(place, name) for name in names if name.endswith(".py"))


def _source(path: Path) -> str:
    """Return a source file's text, in the encoding that it declares, without string prefixes and escapes."""
    with path.open("rb") as file:
        encoding, _ = tokenize.detect_encoding(file.readline)
    return _STRING_MARKS.sub(" ", path.read_text(encoding, errors="replace"))


def _reference() -> Iterator[str]:
    """Yield the topics of the language's reference, which `help("if")` would show."""
    try:
        topics = importlib.import_module("pydoc_data.topics").topics
    except ImportError:  # some distributions omit it
        return
    for name in sorted(topics):
        yield topics[name]


def _compiled_docstrings() -> Iterator[str]:
    """Yield the docstrings of each module that has no Python source, and of its members."""
    for name in sorted(sys.stdlib_module_names):
        module = _compiled_module(name)
        if module is not None:
            yield "\n\n".join(_docstrings(module))


def _compiled_module(name: str) -> ModuleType | None:
    """Import a module of the library if it is compiled and available."""
    if name.startswith(("_test", "_xx", "xx")) or name == "readline":  # readline may write to the terminal
        return None
    try:
        spec = importlib.util.find_spec(name)
        loader: object = spec.loader if spec else None
        if loader is not BuiltinImporter and not isinstance(loader, ExtensionFileLoader):
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            return importlib.import_module(name)
    except (ImportError, ValueError):  # pragma: no cover  # this Python was built without it
        return None


def _docstrings(module: ModuleType) -> Iterator[str]:
    """Yield the docstrings of a module, of its functions and classes, and of the classes' own methods."""
    yield module.__name__ + "\n" + (module.__doc__ or "")
    for name, member in sorted(vars(module).items()):
        if name.startswith("__") or not (inspect.isclass(member) or inspect.isroutine(member)):
            continue
        yield f"{name}\n{inspect.getdoc(member) or ''}"
        for inner, method in sorted(vars(member).items()) if inspect.isclass(member) else ():
            if not inner.startswith("__") and (inspect.isroutine(method) or inspect.isdatadescriptor(method)):
                yield f"{name}.{inner}\n{inspect.getdoc(method) or ''}"
