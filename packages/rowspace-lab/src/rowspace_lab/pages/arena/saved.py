"""The results that the page can open, by id, never by path.

They are those of its own runs, those in the working folder, and one of `rowspace arena` that comes with the workbench.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rowspace._base.work_folder import cache_dir
from rowspace.errors import RowspaceError, UsageError
from rowspace_lab.experiments import read_arena
from rowspace_lab.experiments.arena.runs.saved import RESULTS_NAME, SavedResults
from rowspace_lab.pages.arena.replies import SavedArena

__all__ = [
    "SHIPPED_ID",
    "ArenaFolder",
    "arena_folders",
    "arena_id",
    "count_saved_runs",
    "find_arena",
    "own_folder",
    "saved_arena",
]

_MAX_FOLDERS = 1000  # folders of the working folder to look into
_LISTED = 30
_SHIPPED = Path(__file__).with_name("full")
SHIPPED_NAME = "full run"


@dataclass(frozen=True)
class ArenaFolder:
    """A folder with a results file.

    Attributes:
        path: The folder.
        is_own: Whether a run of the page has made it.
        changed: When the file was written, in nanoseconds since 1970.
    """

    path: Path
    is_own: bool
    changed: int

    @property
    def is_shipped(self) -> bool:
        """Whether it comes with the workbench."""
        return self.path == _SHIPPED

    @property
    def name(self) -> str:
        """What the list calls it; empty for a run of the page."""
        if self.is_shipped:
            return SHIPPED_NAME
        return "" if self.is_own else (self.path.name or "this folder")

    @property
    def id(self) -> str:
        """The name of the folder in requests."""
        return arena_id(self.path)


def arena_id(folder: Path) -> str:
    """Return the id of a folder, which says nothing about its path."""
    return hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:12]


SHIPPED_ID = arena_id(_SHIPPED)
"""The id of the results that come with the workbench."""


def own_folder() -> Path:
    """Return the folder of the page's own runs; it may not exist yet."""
    return cache_dir() / "arena"


def arena_folders() -> list[ArenaFolder]:
    """Return the folders with results, the newest first, and last the one that comes with the workbench."""
    found = [*_with_results(own_folder(), is_own=True), *_with_results(Path(), is_own=False)]
    found += _results_of(Path(), is_own=False)
    return [*sorted(found, key=lambda folder: -folder.changed)[:_LISTED], *_results_of(_SHIPPED, is_own=False)]


def find_arena(id: str) -> ArenaFolder:
    """Return the folder with this id.

    Raises:
        UsageError: There is none.
    """
    for folder in arena_folders():
        if folder.id == id:
            return folder
    raise UsageError(f"there is no saved arena {id[:20]!r}; choose one of the list, or run one on the Arena page")


def saved_arena(folder: ArenaFolder) -> SavedArena:
    """Describe a saved arena; a file that cannot be read has a problem instead of numbers."""
    saved = SavedArena(
        id=folder.id,
        name=folder.name,
        changed=str(folder.changed),
        seconds=None,
        seeds=None,
        scale=None,
        runs=0,
        problem=None,
    )
    try:
        result = read_arena(folder.path)
        settings = result["settings"]
        runs = sum(len(entry["qualities"]) for entry in [*result["entries"], *result["curve"]])
        saved["seconds"], saved["scale"] = settings["seconds"], settings["scale"]
        saved["seeds"], saved["runs"] = result["seeds"], runs
    except RowspaceError as error:
        saved["problem"] = str(error)
    except (KeyError, TypeError, AttributeError):
        saved["problem"] = f"{folder.path / RESULTS_NAME}: is damaged; run the arena again"
    return saved


def count_saved_runs(folder: Path, seeds: int) -> int:
    """Count the finished runs of a folder with seeds up to this one; none if it cannot be read."""
    try:
        finished = SavedResults(folder, {}).finished
        return sum(int(key.rpartition("/")[2]) <= seeds for key in finished)
    except (RowspaceError, ValueError):
        return 0


def _with_results(parent: Path, *, is_own: bool) -> Iterator[ArenaFolder]:
    """Yield the folders in `parent` that have results."""
    try:
        inside = list(islice(parent.iterdir(), _MAX_FOLDERS))
    except OSError:  # there are no runs yet, or the folder may not be read
        return
    for path in inside:
        yield from _results_of(path, is_own=is_own)


def _results_of(path: Path, *, is_own: bool) -> Iterator[ArenaFolder]:
    try:
        yield ArenaFolder(path, is_own, (path / RESULTS_NAME).stat().st_mtime_ns)
    except OSError:
        return
