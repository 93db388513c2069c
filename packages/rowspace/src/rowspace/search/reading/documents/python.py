"""The functions and classes of Python source code, by `ast`."""

import ast
import warnings
from collections.abc import Iterator

from rowspace.search.reading.documents.outline import Definition

__all__ = ["python_definitions"]

_Block = ast.If | ast.Try | ast.With


def python_definitions(text: str) -> list[Definition] | None:
    r"""Return the functions and classes of a module; None if it is not valid in the Python that runs.

    Args:
        text: Source code.

    Returns:
        The definitions at the top level, with the methods of classes as children.

    >>> python_definitions("class A:\n    @property\n    def b(self): ...\n")  # doctest: +ELLIPSIS
    [Definition(first_line=1, last_line=3, name='A', children=[Definition(first_line=2, ...)]
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the source
            module = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return list(_definitions(module.body))


def _definitions(statements: list[ast.stmt]) -> Iterator[Definition]:
    pending = statements[::-1]  # not recursive: a chain of `elif` is a tree as deep as it is long
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            children = list(_definitions(node.body)) if isinstance(node, ast.ClassDef) else []
            yield Definition(first, node.end_lineno or node.lineno, node.name, children)
        elif isinstance(node, _Block):
            pending += [each for body in _bodies(node) for each in body][::-1]


def _bodies(node: _Block) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of a statement in order."""
    yield node.body
    if isinstance(node, ast.Try):
        yield from (handler.body for handler in node.handlers)
    if not isinstance(node, ast.With):
        yield node.orelse
    if isinstance(node, ast.Try):
        yield node.finalbody
