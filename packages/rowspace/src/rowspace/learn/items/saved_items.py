"""The folder of `Items`: a table of items in the native format, the same of users, and two files.

| file | contents |
|---|---|
| `users/` | the table of users |
| `items.safetensors` | `targets`, and `starts`, `ids`, `weights` of the interactions |
| `items.json` | the options, the version, and the checksum of the other file |
"""

import dataclasses
import json
import os
import zlib
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_folder, check_folder_target, check_not_interrupted
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.strict_json import read_object, sealed, unsealed
from rowspace.files.tensors import read_checked
from rowspace.learn.items.interactions import ByRow, Interactions
from rowspace.learn.items.options import ItemOptions
from rowspace.store import load, save
from rowspace.store.native.manifest import FILES, MARKER, SUBWORDS
from rowspace.table import Table

__all__ = ["SavedItems", "check_target", "read_items", "write_items"]

JSON, TENSORS, USERS = "items.json", "items.safetensors", "users"
CONTENTS = (*FILES, MARKER, SUBWORDS, JSON, TENSORS, USERS)
VERSION = 1
REMEDY = "learn it again with rowspace fit-items"


class SavedItems(NamedTuple):
    """What is saved; see `Items`."""

    items: Table
    users: Table
    targets: NDArray[np.float32]
    interactions: Interactions
    options: ItemOptions


def check_target(path: str | os.PathLike[str]) -> None:
    """Raise what `write_items` would raise about the path itself."""
    check_folder_target(path, marker=JSON, contents=CONTENTS)


def write_items(saved: SavedItems, path: str | os.PathLike[str]) -> None:
    """Write items and users to a folder, atomically."""
    from safetensors.numpy import save as to_bytes

    tensors = {"targets": np.ascontiguousarray(saved.targets), **saved.interactions.by_user._asdict()}
    data = to_bytes(tensors)
    document = {
        "version": VERSION, "options": dataclasses.asdict(saved.options), "tensors": zlib.crc32(data)
    }  # fmt: skip
    with atomic_folder(path, marker=JSON, contents=CONTENTS) as folder:
        save(saved.items, folder)
        save(saved.users, folder / USERS)
        (folder / TENSORS).write_bytes(data)
        (folder / JSON).write_text(json.dumps(sealed(document), indent=1), encoding="utf-8")


def read_items(path: Path) -> SavedItems:
    """Open the items in a folder.

    Raises:
        UsageError: There is nothing of this kind at `path`.
        FileFormatError: It is damaged.
    """
    if not (path / JSON).is_file():
        check_not_interrupted(path, "items")
        raise UsageError(f"there are no items and users in {str(path)!r}; learn them with rowspace fit-items")
    document = unsealed(read_object(path / JSON, remedy=REMEDY), str(path / JSON), remedy=REMEDY)
    if document.get("version") != VERSION:
        raise FileFormatError(f"{path / JSON}: of another version of rowspace; upgrade with pip install -U rowspace")
    items, users = load(path), load(path / USERS)
    tensors = read_checked(path / TENSORS, document.get("tensors"), remedy=REMEDY)
    try:
        options = ItemOptions(**document["options"])
        targets, by_user = tensors.pop("targets"), ByRow(**tensors)
        fits = targets.shape[0] == len(items) and len(by_user.starts) == len(users) + 1
        fits &= len(by_user.ids) == len(by_user.weights) == by_user.starts[-1]
        if not fits:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise FileFormatError(f"{path}: items, users and {TENSORS} do not fit each other; {REMEDY}") from None
    return SavedItems(items, users, targets, Interactions(list(users), list(items), by_user), options)
