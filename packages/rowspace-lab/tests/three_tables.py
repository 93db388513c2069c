"""Three tables of the same words: one that is open, and two in the list, for the Compare page."""

from pathlib import Path

import numpy as np

from rowspace.store import load
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice
from rowspace_lab.tables.tables import Tables

WORDS = [f"word{number}" for number in range(300)]


def three_tables(folder: Path) -> Tables:
    """Return the tables: the listed ones are the open one with noise, in the first of which a row is turned around."""
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(300, 8)).astype(np.float32)
    other, refit = (rows + generator.normal(scale=0.1, size=rows.shape).astype(np.float32) for _ in range(2))
    other[7] *= -1
    made = {"opened": rows, "recent-other": other, "recent-refit": refit}
    labs = {id: _lab(folder, id, each) for id, each in made.items()}
    found = [TableChoice(id, id, "", "recent", lambda id=id: labs[id]) for id in labs if id != "opened"]
    return Tables(labs["opened"], find_recent=lambda: found)


def _lab(folder: Path, id: str, rows: np.ndarray) -> Lab:
    path = str(folder / id)
    Table(WORDS, rows, np.arange(300, 0, -1)).save(path)
    return Lab(load(path), path, id)
