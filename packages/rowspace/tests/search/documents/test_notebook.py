"""Notebooks as Jupyter writes them, of both formats."""

import json

import pytest
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError
from rowspace.search.reading.chunks import chunk_document
from rowspace.search.reading.documents import read_document

OUTPUT = {
    "output_type": "display_data",
    "metadata": {},
    "data": {"image/png": "iVBORw0" * 99, "text/plain": "<Figure>"},
}
LOSS = ["def marmot_loss(x):\n", "    return (x ** 2).mean()\n", "\n", "marmot_loss(0)"]


def cell(kind, source, **more):
    return {"cell_type": kind, "metadata": {}, "source": source} | more


def read(notebook, max_chars=1500, **dump):
    return read_document("a.ipynb", json.dumps(notebook, **dump).encode(), max_chars=max_chars)


def parts(document):
    return [(each.name, document.text[each.start : each.end].rstrip("\n")) for each in document.sections]


def test_cells_without_outputs_with_the_headings_above_them():
    cells = [
        cell("code", ["import numpy\n"], outputs=[OUTPUT]),
        cell("markdown", "# Loss\n\nWe derive it.\n\n## Slope\nSteep."),
        cell("code", LOSS, outputs=[OUTPUT], execution_count=3),
        cell("raw", "as it is"),
        cell("markdown", ["![](data:image/png;base64," + "A" * 400 + ")\n"]),
    ]
    document = read({"nbformat": 4, "metadata": {}, "cells": cells})
    assert parts(document) == [
        ("", "import numpy"),
        ("Loss", "# Loss\n\nWe derive it."),
        ("Loss > Slope", "## Slope\nSteep."),
        ("Loss > Slope > marmot_loss", "".join(LOSS[:2]).rstrip()),
        ("Loss > Slope", "\nmarmot_loss(0)"),
        ("Loss > Slope", "as it is"),
        ("Loss > Slope", "![](data:image/png;base64,...)"),
    ]


def test_format_3():
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Tulips"]},
        {"cell_type": "code", "language": "python", "input": ["def f():\n", "    pass"], "outputs": [OUTPUT]},
    ]
    document = read({"nbformat": 3, "worksheets": [{"cells": cells}]})
    assert parts(document) == [("Tulips", "Tulips"), ("Tulips > f", "def f():\n    pass")]


def test_the_language_of_the_code():
    for metadata, expected in (
        ({"language_info": {"name": "lua"}}, "f"),
        ({"kernelspec": {"language": "JavaScript"}}, ""),
        ({"kernelspec": {"language": "R"}}, ""),
    ):
        document = read({"metadata": metadata, "cells": [cell("code", "local function f() end\n")]})
        assert document.sections[0].name == expected, metadata
    assert parts(read({"cells": [cell("code", "%matplotlib inline\ndef f():\n    pass")]}))[1][0] == "f"


TEXTS = st.lists(st.text(alphabet='a\n"\\é中{[ :', min_size=1), max_size=4)


@given(st.lists(st.tuples(st.sampled_from(["markdown", "code"]), TEXTS), max_size=4), st.sampled_from([None, 1]))
def test_each_line_is_that_of_its_string_in_the_file(cells, indent):
    marked = [(kind, [f"{n}_{m} {text}\n" for m, text in enumerate(texts)]) for n, (kind, texts) in enumerate(cells)]
    notebook = {"cells": [cell(kind, source, outputs=[OUTPUT]) for kind, source in marked]}
    document = read(notebook, indent=indent)
    lines = json.dumps(notebook, indent=indent).split("\n")
    for number, (_, source) in enumerate(marked):
        for place, text in enumerate(source):
            line = document.line_at(document.text.index(text))
            assert f'"{number}_{place} ' in lines[line - 1]


def test_prose_is_split_at_sentences_and_code_at_lines():
    prose, code = "A sentence with words. " * 30, "call(1. , 2)\n" * 30
    document = read({"cells": [cell("markdown", prose), cell("code", code)]}, max_chars=200)
    chunks = [chunk.text for chunk in chunk_document(document, max_chars=200)]
    assert {text[-1] for text in chunks} == {".", ")"}


def test_files_that_are_no_notebooks():
    for data in (
        b"{",
        b"[]",
        b"null",
        b"{}",
        b'{"cells": [1]}',
        b'{"cells": [{"cell_type": "code", "source": 5}]}',
        b'{"cells": [{"cell_type": "code", "source": [null]}]}',
        b'{"worksheets": null}',
    ):
        with pytest.raises(FileFormatError, match="no notebook, or a damaged one"):
            read_document("a.ipynb", data, max_chars=100)
    assert read({"cells": [cell("markdown", "a\ud800b\r\nc")]}).text == "a?b\nc\n\n"
