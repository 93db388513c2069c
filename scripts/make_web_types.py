#!/usr/bin/env python
"""Write web/src/api/types.generated.ts: what the workbench's replies hold, as TypeScript, from their TypedDicts.

    python scripts/make_web_types.py            # write it
    python scripts/make_web_types.py --check    # fail if it differs from the TypedDicts

Arrays are left out: they are sent as binary, by name. Run it after a change to a `replies.py`.
"""

import argparse
import ast
import inspect
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import NoneType, UnionType
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from rowspace.lab import pages
from rowspace.lab.shared import sentence

TARGET = Path(__file__).parent.parent / "web" / "src" / "api" / "types.generated.ts"
HEAD = "// What the replies of the server hold besides arrays; written by scripts/make_web_types.py, do not edit.\n"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null"}


def main() -> None:
    """Write the file, or compare it."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("--check", action="store_true", help="compare the file with the TypedDicts, and write nothing")
    text = HEAD + "".join(map(interface, typed_dicts()))
    if parser.parse_args().check:
        if not TARGET.is_file() or TARGET.read_text(encoding="utf-8") != text:
            sys.exit(f"{TARGET.name} differs from the replies; run scripts/make_web_types.py")
    else:
        TARGET.parent.mkdir(exist_ok=True)
        TARGET.write_text(text, encoding="utf-8")


def typed_dicts() -> Iterator[Any]:
    """The replies of all pages and their parts, each once, by name."""
    found: dict[str, Any] = {}
    modules = [
        import_module(m.name)
        for m in walk_packages(pages.__path__, f"{pages.__name__}.")
        if m.name.endswith(".replies")
    ]
    for module in (sentence, *modules):
        for name, value in vars(module).items():
            mine = is_typeddict(value) and value.__module__ == module.__name__
            if mine and found.setdefault(name, value) is not value:
                sys.exit(f"{name} is in {module.__name__} and in {found[name].__module__}; rename one")
    used = {name for name, value in found.items() if name.endswith(("Reply", "Frame"))}
    while more := {part for name in used for part in parts_of(found[name])} - used:
        used |= more
    yield from (value for name, value in found.items() if name in used)


def parts_of(value: Any) -> Iterator[str]:
    """The names of the TypedDicts among the types of its fields."""
    for hint in get_type_hints(value).values():
        yield from (part.__name__ for part in types_in(hint) if is_typeddict(part))


def types_in(hint: Any) -> Iterator[Any]:
    """A type and those inside it."""
    yield hint
    for part in get_args(hint):
        yield from types_in(part)


def interface(value: Any) -> str:
    """A TypedDict as a TypeScript interface."""
    notes = field_notes(value)
    lines = [f"\n/** {inspect.getdoc(value).split(chr(10))[0]} */\nexport interface {value.__name__} {{"]
    for name, declared in get_type_hints(value, include_extras=True).items():
        optional = get_origin(declared) is NotRequired
        hint = get_args(declared)[0] if get_origin(declared) in (NotRequired, Required) else declared
        if get_origin(hint) is not np.ndarray:
            if name in notes:
                lines.append(f"  /** {notes[name]} */")
            lines.append(f"  {name}{'?' * optional}: {typescript(hint)};")
    return "\n".join([*lines, "}\n"])


def field_notes(value: Any) -> dict[str, str]:
    """The docstrings under fields, of the class and of those that it extends."""
    notes: dict[str, str] = {}
    (node,) = ast.parse(inspect.getsource(value)).body
    for base in node.bases:
        extended = getattr(sys.modules[value.__module__], base.id)
        notes |= field_notes(extended) if is_typeddict(extended) else {}
    for field, after in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(after, ast.Expr):
            notes[field.target.id] = after.value.value
    return notes


def typescript(hint: Any) -> str:
    """A Python type as a TypeScript type."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        return PLAIN[hint]
    if is_typeddict(hint):
        return hint.__name__
    if origin is Literal:
        return " | ".join(f'"{each}"' for each in args)
    if origin in (Union, UnionType):
        return " | ".join(map(typescript, args))
    if origin is list:
        inside = typescript(args[0])
        return f"({inside})[]" if " | " in inside else f"{inside}[]"
    if origin is tuple:
        return f"[{', '.join(map(typescript, args))}]"
    raise TypeError(f"there is no TypeScript for {hint}")


if __name__ == "__main__":
    main()
