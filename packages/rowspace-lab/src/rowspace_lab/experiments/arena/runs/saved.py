"""The results file of an arena, written after each run, so that a stopped arena continues where it was."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rowspace._base.atomic import atomic_file
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.strict_json import SEAL, read_object, sealed, unsealed

__all__ = ["RESULTS_NAME", "RUN_FACTS", "SavedResults", "read_arena"]

Summarize = Callable[[dict[str, dict[str, Any]]], dict[str, Any]]

RESULTS_NAME = "arena.json"
RUN_FACTS = (  # numbers of a run; a cell has their means over the seeds
    "parameters",
    "table_parameters",
    "tokens_per_input",
    "steps",
    "inputs",
    "passes",
    "cpu_seconds",
    "seconds",
    "input_milliseconds",
    "state_bytes",
    "activation_bytes",
    "unknown",
    "median_count",
    "rare_rows",
    "unused_rows",
)
_FORMAT = 3
_UNCHECKED = 2  # without a checksum
_CONTINUED = (1, _UNCHECKED, _FORMAT)  # the first one lacks the summary


def read_arena(folder: str | Path) -> dict[str, Any]:
    """Open a saved arena, finished or not; needs no PyTorch.

    Args:
        folder: The `output` of `run_arena`, or of `rowspace arena -o`.

    Returns:
        The document of the newest call of `run_arena` with this folder; runs that are missing are "not finished".

    Raises:
        FileFormatError: There is no results file, it is damaged, or another version of rowspace has written it.
        RowspaceError: The file cannot be read.
    """
    path = Path(folder, RESULTS_NAME)
    document = _document(path, remedy="run the arena again, with another output")
    if document.get("format") == 1:
        raise FileFormatError(
            f"{path}: an older version of rowspace has written it; run the arena again with the same options, text and "
            "output, which renews the file and trains nothing again"
        )
    result = document.get("result")
    if not isinstance(result, dict):
        raise FileFormatError(f"{path}: is not a results file of this version of rowspace; run the arena again")
    return result


class SavedResults:
    """The runs of a folder.

    Args:
        folder: Where the file is or will be; None keeps the runs in memory only.
        settings: What the runs depend on, the text included; a file with others is not continued.
        summarize: Makes the document that `read_arena` returns of the results by key.

    Attributes:
        cells: The results by key: a cell, or {"failed": reason} and perhaps "diverged".

    Raises:
        UsageError: The folder has runs with other settings.
        FileFormatError: The file is damaged, or another version of rowspace has written it.
    """

    def __init__(self, folder: Path | None, settings: dict[str, Any], summarize: Summarize | None = None) -> None:
        self._path = None if folder is None else folder / RESULTS_NAME
        self._settings, self._summarize = settings, summarize
        self.cells = dict[str, dict[str, Any]]()
        if self._path is not None and self._path.exists():
            self.cells = self._read(self._path)

    @property
    def finished(self) -> set[str]:
        """The keys of the runs that need not be run again."""
        return {key for key, cell in self.cells.items() if "failed" not in cell}

    def add(self, key: str, cell: dict[str, Any]) -> None:
        """Add a run and write the file."""
        self.cells[key] = cell
        self.save()

    def save(self) -> None:
        """Write the file, if there is a folder."""
        if self._path is None:
            return
        document = {"format": _FORMAT, "settings": self._settings, "cells": self.cells}
        if self._summarize is not None:
            document["result"] = self._summarize(self.cells)
        with atomic_file(self._path) as file:
            file.write(json.dumps(sealed(document), indent=1, ensure_ascii=False).encode("utf-8", "backslashreplace"))

    def _read(self, path: Path) -> dict[str, dict[str, Any]]:
        document = _document(path, remedy="delete it to start again")
        cells, before = document.get("cells"), document.get("settings") or {}
        if not (isinstance(cells, dict) and isinstance(before, dict) and all(map(_is_cell, cells.values()))):
            raise FileFormatError(f"{path}: is damaged; delete it to start again, or choose another folder")
        for name, value in self._settings.items():
            if before.get(name) != value:
                raise UsageError(
                    f"{str(path.parent)!r} has runs with {name}={before.get(name)!r}, not {value!r}; give the same "
                    "options and text to continue them, or choose another folder"
                )
        return dict(cells)


def _document(path: Path, *, remedy: str) -> dict[str, Any]:
    """Return the content of a results file; raises `FileFormatError` if it is damaged, or of a later version."""
    document = read_object(path, remedy=remedy)
    if document.get("format") not in _CONTINUED:
        raise FileFormatError(
            f"{path}: is not a results file of this version of rowspace; upgrade with pip install -U rowspace, or "
            f"{remedy}"
        )
    is_checked = document["format"] == _FORMAT or SEAL in document
    return unsealed(document, str(path), remedy=remedy) if is_checked else document


def _is_cell(cell: object) -> bool:
    return isinstance(cell, dict)
