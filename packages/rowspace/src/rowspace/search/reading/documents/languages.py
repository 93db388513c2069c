"""The functions and classes of source code, by the grammars of tree-sitter, and in Python by `ast`.

The grammars are those of tree-sitter-language-pack 0.x, whose wheel contains them; later versions download them.
"""

import ast
import warnings
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from rowspace._base.lazy import import_extra
from rowspace.search.reading.documents.outline import Definition

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["LANGUAGES", "language_definitions", "python_definitions"]

LANGUAGES = {
    **dict.fromkeys((".c", ".h"), "c"),
    **dict.fromkeys((".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"), "cpp"),
    **dict.fromkeys((".js", ".cjs", ".mjs", ".jsx"), "javascript"),
    **dict.fromkeys((".ts", ".cts", ".mts"), "typescript"),
    **dict.fromkeys((".sh", ".bash"), "bash"),
    **dict.fromkeys((".kt", ".kts"), "kotlin"),
    **dict.fromkeys((".scala", ".sc"), "scala"),
    **dict.fromkeys((".pl", ".pm"), "perl"),
    **dict.fromkeys((".py", ".pyi", ".pyw"), "python"),
    ".cs": "csharp",
    ".dart": "dart",
    ".go": "go",
    ".java": "java",
    ".jl": "julia",
    ".lua": "lua",
    ".m": "objc",
    ".php": "php",
    ".rb": "ruby",
    ".rs": "rust",
    ".swift": "swift",
    ".tsx": "tsx",
}
"""The grammar for each suffix."""

_FUNCTIONS = frozenset(
    (
        "constructor_declaration",
        "function_declaration",
        "function_definition",
        "function_item",
        "function_signature",
        "generator_function_declaration",
        "macro_definition",
        "method",
        "method_declaration",
        "method_definition",
        "singleton_method",
        "subroutine_declaration_statement",
    )
)
_CLASSES = frozenset(
    (
        "abstract_class_declaration",
        "class",
        "class_declaration",
        "class_definition",
        "class_implementation",
        "class_specifier",
        "enum_declaration",
        "enum_item",
        "enum_specifier",
        "impl_item",
        "interface_declaration",
        "internal_module",
        "mod_item",
        "module",
        "namespace_declaration",
        "namespace_definition",
        "object_declaration",
        "object_definition",
        "protocol_declaration",
        "record_declaration",
        "struct_declaration",
        "struct_definition",
        "struct_item",
        "struct_specifier",
        "trait_declaration",
        "trait_definition",
        "trait_item",
        "type_declaration",
    )
)
_WRAPPERS = frozenset(("decorated_definition", "export_statement", "lexical_declaration", "template_declaration"))
_CONTAINERS = frozenset(
    (
        "block",
        "body_statement",
        "class_body",
        "declaration_list",
        "enum_class_body",
        "expression_statement",
        "field_declaration_list",
        "implementation_definition",
        "linkage_specification",
        "preproc_else",
        "preproc_if",
        "preproc_ifdef",
        "statement_block",
        "template_body",
    )
)
_MAX_DEPTH = 100  # of the nodes around a definition; what is nested more deeply belongs to the definition around it
_VALUES = frozenset(("arrow_function", "class", "function_expression"))
_NAMES = frozenset(("bareword", "identifier", "simple_identifier", "type_head", "type_identifier", "type_spec"))
_Block = ast.If | ast.Try | ast.With


def language_definitions(text: str, language: str) -> list[Definition]:
    """Return the functions, classes and similar parts of source code; parts with syntax errors may be missing.

    Args:
        text: Source code.
        language: A value of `LANGUAGES`.

    Returns:
        The definitions at the top level, with those inside classes and modules as children.

    Raises:
        MissingExtraError: If the grammars are not installed.

    >>> language_definitions("fn one() {}", "rust")
    [Definition(first_line=1, last_line=1, name='one', children=[])]
    """
    tree = _parser(language).parse(text.encode(errors="replace"))
    return list(_definitions(tree.root_node))


@cache
def _parser(language: str) -> Any:
    need = "an index of source code needs tree-sitter-language-pack"
    return import_extra("tree_sitter_language_pack", need, "search").get_parser(language)


def _definitions(node: "Node", depth: int = 0, *, wraps: bool = False) -> Iterator[Definition]:
    """Yield the definitions in a node; one of an export, a template, or `const name = () => ...` has all its lines."""
    if depth > _MAX_DEPTH:
        return
    for child in node.children:
        lines = node if wraps else child
        if child.type in _FUNCTIONS:
            yield _definition(lines, child, [])
        elif child.type in _CLASSES and (wraps or child.named_child_count):
            yield _definition(lines, child, list(_definitions(child, depth + 1)))
        elif child.type in _WRAPPERS:
            yield from _definitions(child, depth + 1, wraps=True)
        elif wraps and child.type == "variable_declarator":
            value = child.child_by_field_name("value")
            if value is not None and value.type in _VALUES:
                yield _definition(node, child, list(_definitions(value, depth + 1)))
        elif not wraps and child.type in _CONTAINERS:
            yield from _definitions(child, depth + 1)


def _definition(lines: "Node", named: "Node", children: list[Definition]) -> Definition:
    end = lines.end_point
    last_line = end.row + (1 if end.column else 0)  # a node may end with the line
    return Definition(lines.start_point.row + 1, max(last_line, lines.start_point.row + 1), _name(named), children)


def _name(node: "Node") -> str:
    """Return the name of a definition: its field, the innermost declarator in C, or its first identifier."""
    found = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    while found is not None and (inner := found.child_by_field_name("declarator")) is not None:
        found = inner
    if found is None:
        found = node.child_by_field_name("type") or next((each for each in node.children if each.type in _NAMES), None)
    if found is not None and found.type == "type_spec":
        found = found.child_by_field_name("name")
    text = b"" if found is None else found.text or b""
    return " ".join(text.decode(errors="replace").split())[:100]


def python_definitions(text: str) -> list[Definition] | None:
    r"""Return the functions and classes of a module of Python, by `ast`; None if it is not valid in the one that runs.

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
    return list(_of_statements(module.body))


def _of_statements(statements: list[ast.stmt]) -> Iterator[Definition]:
    pending = statements[::-1]  # not recursive: a chain of `elif` is a tree as deep as it is long
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            children = list(_of_statements(node.body)) if isinstance(node, ast.ClassDef) else []
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
