"""`checkpoint_folder`: the folder of the model that the lab's table was opened from, if it is one."""

from pathlib import Path

from rowspace.errors import RowspaceError
from rowspace.files.transformers_folder import CONFIG, TransformersFolder
from rowspace_lab.lab import Lab

__all__ = ["checkpoint_folder", "model_type"]

MODEL = "model"  # where a run of `rowspace train` has its model


def checkpoint_folder(lab: Lab) -> str | None:
    """Return the path of a transformers folder: the lab's, or that in a run of `rowspace train`; None for others.

    >>> import numpy as np
    >>> from rowspace.table import Table
    >>> checkpoint_folder(Lab(Table(["a"], np.ones((1, 2))), "my-table")) is None
    True
    """
    for folder in (Path(lab.path), Path(lab.path) / MODEL):
        if (folder / CONFIG).is_file() and TransformersFolder(folder).has_weights:
            return str(folder)
    return None


def model_type(path: str) -> str:
    """Return the `model_type` of the folder's config.json, or "" if it has none or is damaged."""
    try:
        return str(TransformersFolder(Path(path)).config.get("model_type", ""))
    except RowspaceError:
        return ""
