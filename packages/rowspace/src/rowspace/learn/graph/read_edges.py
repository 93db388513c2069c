"""Files of edges → `Edges`: edge lists, and records (CSV, JSON lines, Parquet); and which reader an input needs."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import CorpusError, FileFormatError, UsageError
from rowspace.learn.graph.edges import (
    MAX_WEIGHT,
    WANTED,
    Edges,
    check_weights,
    edges_of_array,
    edges_of_matrix,
    edges_of_networkx,
    edges_of_tuples,
    numbered,
)
from rowspace.learn.graph.options import GraphOptions
from rowspace.text.corpus.reading import STANDARD_INPUT, read_chunks
from rowspace.text.corpus.record_columns import frame_rows, place_of, value_in
from rowspace.text.corpus.records import has_records, read_records

__all__ = ["GraphInput", "read_edges"]

GraphInput = str | os.PathLike[str] | Iterable[Any]
"""A path, a NetworkX graph, a SciPy sparse matrix, a table of pandas or Polars, an integer array (E, 2), or pairs or
triples of names."""

LINE_BYTES = 1 << 20  # of a record
Lines = list[list[str]]


def read_edges(
    edges: GraphInput, options: GraphOptions, on_bytes: Callable[[int], None] | None = None
) -> tuple[Edges, bool]:
    """Return the edges, and whether they are directed.

    Raises:
        UsageError: The input is of another kind, a weight is wrong, or there is no such file or column.
        CorpusError: The file cannot be read.
        FileFormatError: A line of the file is not an edge.
    """
    if isinstance(edges, str | os.PathLike):
        return _file(os.fspath(edges), options, on_bytes), bool(options.directed)
    if isinstance(edges, np.ndarray):
        return edges_of_array(edges), bool(options.directed)
    if hasattr(edges, "tocoo"):
        return edges_of_matrix(edges), bool(options.directed)
    if callable(getattr(edges, "is_directed", None)):
        return edges_of_networkx(edges, options.weight_column), _is_directed(edges, options)
    if not isinstance(edges, Iterable):
        raise UsageError(f"{WANTED}, not {type(edges).__name__}")
    return edges_of_tuples(frame_rows(edges) or edges), bool(options.directed)


def _is_directed(graph: Any, options: GraphOptions) -> bool:
    """Whether a NetworkX graph is directed, as it says itself; a directed one can be read as undirected."""
    directed = bool(graph.is_directed())
    if options.directed and not directed:
        raise UsageError(
            "directed=True contradicts the undirected NetworkX graph; omit it, or give graph.to_directed()"
        )
    return directed if options.directed is None else options.directed


def _file(path: str, options: GraphOptions, on_bytes: Callable[[int], None] | None) -> Edges:
    if path != STANDARD_INPUT and Path(path).is_dir():
        raise CorpusError(f"{path!r} is a folder; give one file of edges")
    return _records(path, options) if has_records(path, arrays=True) else _edge_list(path, on_bytes)


def _edge_list(path: str, on_bytes: Callable[[int], None] | None) -> Edges:
    """Return the edges of a file with two names a line, separated by white space, or two names and a weight."""
    names = numbered()
    places, weights, columns = list[NDArray[np.int32]](), list[NDArray[np.float64]](), 0
    for first, lines in _split_lines(path, on_bytes):
        columns = columns or next((len(line) for line in lines if line), 0)
        if columns and not _is_regular(lines, columns):
            raise _irregular(path, first, lines, columns)
        found = [line for line in lines if line]
        pairs = chain.from_iterable(line[:2] for line in found)
        places.append(np.fromiter(map(names.__getitem__, pairs), np.int32, 2 * len(found)).reshape(-1, 2))
        if columns == 3:
            weights.append(_numbers(path, first, lines, found))
    pairs_of_nodes = np.concatenate([np.zeros((0, 2), np.int32), *places])
    return Edges(
        list(names), pairs_of_nodes[:, 0], pairs_of_nodes[:, 1], np.concatenate(weights) if columns == 3 else None
    )


def _split_lines(path: str, on_bytes: Callable[[int], None] | None) -> Iterator[tuple[int, Lines]]:
    """Yield lines, a block at a time, each split at white space, with the number of the first; comments are empty."""
    number, rest = 1, b""
    for chunk in chain(read_chunks(path, named=True, has_records=True, on_bytes=on_bytes), [b"\n"]):
        data = rest + chunk
        cut = data.rfind(b"\n") + 1
        rest = data[cut:]
        try:
            text = data[:cut].decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            line = number + data.count(b"\n", 0, error.start)
            raise FileFormatError(f"{path}: line {line}: not valid UTF-8; convert the file to UTF-8") from None
        if "#" in text:
            text = re.sub(r"(?m)^[ \t]*#.*$", "", text)
        lines = [line.split() for line in text.split("\n")[:-1]]
        yield number, lines
        number += len(lines)


def _is_regular(lines: Lines, columns: int) -> bool:
    return columns in (2, 3) and set(map(len, lines)) <= {0, columns}


def _irregular(path: str, first: int, lines: Lines, columns: int) -> FileFormatError:
    wanted = (0, columns) if columns in (2, 3) else (0,)
    number, line = next((first + n, line) for n, line in enumerate(lines) if len(line) not in wanted)
    expected = f"{columns}, as before" if columns in (2, 3) else "two names, or two names and a weight"
    return FileFormatError(
        f"{path}: line {number}: {plural(len(line), 'column')}, expected {expected}; a name has no white space in an "
        "edge list: give CSV for such names"
    )


def _numbers(path: str, first: int, lines: Lines, found: Lines) -> NDArray[np.float64]:
    """Return the third column as weights."""
    try:
        weights = np.array([line[2] for line in found], np.float64)
        check_weights(weights)
    except ValueError:  # of NumPy, or ours
        raise _not_a_weight(path, first, lines) from None
    return weights


def _not_a_weight(path: str, first: int, lines: Lines) -> FileFormatError:
    for number, line in enumerate(lines, first):
        if line and not _is_weight(line[2]):
            return FileFormatError(
                f"{path}: line {number}: the third column is {line[2]!r}, which is no weight: a number "
                f"from 0 to {MAX_WEIGHT:g}; remove the column or repair the line"
            )
    raise AssertionError


def _is_weight(text: object) -> bool:
    try:
        return 0 <= float(str(text)) <= MAX_WEIGHT
    except ValueError:
        return False


def _records(path: str, options: GraphOptions) -> Edges:
    """Return the edges of a file of records."""
    names, weight = numbered(), options.weight_column
    places, weights = list[int](), list[float]()
    nodes = {"source_column": options.source_column, "target_column": options.target_column}
    for number, record in enumerate(read_records(path, limit=LINE_BYTES, columns=nodes | {"weight_column": weight})):
        if not number and "weight" in record.values:
            weight = weight or "weight"
        for column in nodes.values():
            places.append(names[_cell(path, record.line, record.values, column)])
        if weight:
            weights.append(_weight(path, record.line, record.values, weight))
    pairs = np.array(places, np.int32).reshape(-1, 2)
    return Edges(list(names), pairs[:, 0], pairs[:, 1], np.array(weights) if weight else None)


def _cell(path: str, line: int, values: dict[str, Any], column: str) -> str:
    value = value_in(values, column)
    if value is None or value == "" or isinstance(value, float | bool | list | dict | bytes):
        raise FileFormatError(
            f"{place_of(path, line)}: the column {column!r} has {value!r}, which is no name of a node: a text or an "
            "integer; repair the line or remove it"
        )
    return str(value)


def _weight(path: str, line: int, values: dict[str, Any], column: str) -> float:
    value: Any = value_in(values, column)
    if isinstance(value, bool) or not _is_weight(value):
        raise FileFormatError(
            f"{place_of(path, line)}: the column {column!r} has {value!r}, which is no weight: a number from 0 "
            f"to {MAX_WEIGHT:g}; repair the line, or name another column as weight_column"
        )
    return float(value)
