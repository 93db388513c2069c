"""A Jupyter notebook → a document of its cells, without outputs; its lines are those of the file."""

import json
import re
from array import array
from collections.abc import Callable, Iterator
from json.scanner import py_make_scanner  # type: ignore[attr-defined]  # typeshed has only the one in C
from typing import Any

from rowspace.errors import FileFormatError
from rowspace.search.reading.documents.document import Document, Section, line_starts
from rowspace.search.reading.documents.markdown import HeadingPath, markdown_sections

__all__ = ["read_notebook"]

_DATA = re.compile(r"(\bdata:[\w/.+-]{1,80};base64,)[\w/+=]{40,}")  # an image in a text

CodeSections = Callable[[str, str], list[Section]]
"""The source and the language of a cell → its sections."""


def read_notebook(text: str, code_sections: CodeSections) -> Document:
    r"""Return a document with sections for the headings and the functions of a notebook.

    Args:
        text: The notebook, of format 3 or 4.
        code_sections: Source code and its language → sections.

    Returns:
        The document; the name of a section is the heading above it and, of code, the function.

    Raises:
        FileFormatError: If the file is no notebook.

    >>> cell = {"cell_type": "markdown", "source": ["# Load\n", "Read the rows."]}
    >>> document = read_notebook(json.dumps({"cells": [cell]}), lambda source, language: [])
    >>> document.text, document.sections[0].name
    ('# Load\nRead the rows.\n\n', 'Load')
    """
    try:
        notebook = _decoder().decode(text)
        cells = [*_cells(notebook)]
        language = _language(notebook)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileFormatError("no notebook, or a damaged one") from error
    found, path = _Cells(line_starts(text)), HeadingPath()
    for kind, level, pieces in cells:
        source = "".join(pieces)
        if kind == "code":
            sections = [each._replace(is_prose=False) for each in code_sections(source, language)]
        elif kind == "heading":  # of format 3
            sections = [Section(0, len(source), path.add(level, source))]
        else:
            sections = markdown_sections(source, path) if kind == "markdown" else [Section(0, len(source), path.name)]
        found.add(pieces, sections, path.name if kind == "code" else "")
    return found.document()


class _Placed(str):
    """A string of the file.

    Attributes:
        place: Where it begins there.
    """

    place: int


class _Cells:
    """Collects the text of cells, with the line and the section of each piece.

    Args:
        file_starts: The offset of each line of the file.
    """

    def __init__(self, file_starts: "array[int]") -> None:
        self._file_starts = file_starts
        self._pieces = list[str]()
        self._length, self._line = 0, 0  # of the text; of the file, up to the last piece
        self._starts, self._lines = array("q", [0]), array("q", [1])
        self._sections = list[Section]()

    def add(self, pieces: list[_Placed], sections: list[Section], heading: str) -> None:
        """Add a cell with sections, whose names are below a heading."""
        for start, end, name, is_prose in sections:
            names = " > ".join(filter(None, (heading, name)))
            self._sections.append(Section(self._length + start, self._length + end, names, is_prose))
        for piece in pieces:
            while self._line < len(self._file_starts) and self._file_starts[self._line] <= piece.place:
                self._line += 1
            if self._line > self._lines[-1]:
                self._starts.append(self._length)
                self._lines.append(self._line)
            self._append(piece)
        self._append("\n" if pieces and pieces[-1].endswith("\n") else "\n\n")

    def _append(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)

    def document(self) -> Document:
        """Return the document of all cells."""
        return Document("".join(self._pieces), self._sections, is_prose=True, starts=self._starts, lines=self._lines)


def _decoder() -> Any:
    """Return a decoder of JSON whose strings have their places."""
    decoder: Any = json.JSONDecoder()
    scan_string = decoder.parse_string

    def placed(text: str, start: int, strict: bool) -> tuple[_Placed, int]:
        value, end = scan_string(text, start, strict)
        string = _Placed(_DATA.sub(r"\1...", value.replace("\r\n", "\n")).encode(errors="replace").decode())
        string.place = start
        return string, end

    decoder.parse_string = placed
    decoder.scan_once = py_make_scanner(decoder)  # the one in C takes no other function for strings
    return decoder


def _cells(notebook: Any) -> Iterator[tuple[str, int, list[_Placed]]]:
    """Yield the kind, the level of a heading, and the source of each cell."""
    sheets = [notebook] if "cells" in notebook else notebook["worksheets"]
    for cell in (cell for sheet in sheets for cell in sheet["cells"]):
        kind, level = cell["cell_type"], cell.get("level", 1)
        source = cell["source"] if "source" in cell else cell.get("input", [])
        pieces: Any = [source] if isinstance(source, str) else source
        if not (type(level) is int and all(isinstance(piece, _Placed) for piece in pieces)):
            raise ValueError("the source of a cell is no text")
        yield kind, level, list(pieces)


def _language(notebook: Any) -> str:
    """Return the language of the code, as the grammars of tree-sitter have it."""
    metadata = notebook.get("metadata", {})
    found = metadata.get("language_info", {}).get("name") or metadata.get("kernelspec", {}).get("language")
    return str(found or "python").lower()
