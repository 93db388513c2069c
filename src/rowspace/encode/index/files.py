"""Files and folders → the files to index, without those that .gitignore files exclude."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rowspace.errors import MissingExtraError, UsageError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

__all__ = ["DATASET", "FoundFile", "find_files", "resolve_roots"]

DATASET = "chunks.lance"
"""The folder in an index that holds its chunks."""

_Specs = tuple[tuple[str, "GitIgnoreSpec"], ...]  # the folder of each .gitignore and its patterns, the outermost first


class FoundFile(NamedTuple):
    """A file, with what shows whether it has changed.

    Attributes:
        path: Its absolute path.
        size: Its bytes.
        mtime_ns: When it was last modified, in nanoseconds.
    """

    path: str
    size: int
    mtime_ns: int


def resolve_roots(files: str | Path | Iterable[str | Path], *, known: Sequence[str] = ()) -> list[str]:
    """Return the absolute paths of files and folders.

    Args:
        files: One or more paths.
        known: Paths that may be missing, since the index has their files, which will be removed.

    Returns:
        Each path once, without those inside another one.

    Raises:
        UsageError: If a path is empty or does not exist.
    """
    given = [files] if isinstance(files, str | Path) else list(files)
    if "" in given:
        raise UsageError("the path of a file is empty; name files and folders to index, '.' for the current folder")
    paths = [os.path.realpath(path) for path in given]
    for path in paths:
        if not Path(path).exists() and path not in known:
            raise UsageError(f"{path} does not exist; name files and folders to index")
    return [
        path
        for path in dict.fromkeys(paths)
        if not any(path.startswith(other.rstrip("/") + "/") for other in paths if Path(other).is_dir())
    ]


def find_files(roots: Iterable[str]) -> Iterator[FoundFile]:
    """Yield the files of folders, in the order of their names, and files that are named themselves.

    In a folder, these are left out: what its .gitignore files and those above it in a repository exclude, names that
    begin with a dot, symbolic links, and indexes.

    Args:
        roots: Absolute paths; a missing one has no files.

    Yields:
        Each file once, if no root lies in another one.
    """
    for root in roots:
        if Path(root).is_dir():
            yield from _walk(root, _specs_above(root))
        elif Path(root).is_file():
            status = Path(root).stat()
            yield FoundFile(root, status.st_size, status.st_mtime_ns)


def _walk(folder: str, specs: _Specs) -> Iterator[FoundFile]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:  # no permission, or removed in the meantime
        return
    names = {entry.name for entry in entries}
    if DATASET in names:
        return
    if ".gitignore" in names:
        specs = (*specs, (folder, _read_spec(folder)))
    for entry in entries:
        if entry.name.startswith(".") or entry.is_symlink():
            continue
        is_folder = entry.is_dir()
        if _is_ignored(entry.path, specs, is_folder=is_folder):
            continue
        if is_folder:
            yield from _walk(entry.path, specs)
        elif entry.is_file():
            status = entry.stat()
            yield FoundFile(entry.path, status.st_size, status.st_mtime_ns)


def _is_ignored(path: str, specs: _Specs, *, is_folder: bool) -> bool:
    """Whether the innermost .gitignore with a matching pattern excludes a path."""
    for folder, spec in reversed(specs):
        relative = path[len(folder.rstrip("/")) + 1 :] + "/" * is_folder
        if (decision := spec.check_file(relative).include) is not None:
            return decision
    return False


def _specs_above(root: str) -> _Specs:
    """Return the .gitignore files above a folder, up to that of the repository; none outside of a repository."""
    above = []
    for folder in [Path(root), *Path(root).parents]:
        if str(folder) != root and (folder / ".gitignore").is_file():
            above.append(str(folder))
        if (folder / ".git").exists():
            return tuple((each, _read_spec(each)) for each in reversed(above))
    return ()


def _read_spec(folder: str) -> "GitIgnoreSpec":
    try:
        from pathspec import GitIgnoreSpec
    except ImportError as error:
        raise MissingExtraError("an index needs pathspec to read .gitignore: pip install 'rowspace[search]'") from error
    text = Path(folder, ".gitignore").read_text(errors="replace")
    lines = []
    for line in text.splitlines():
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:  # a malformed pattern matches nothing, as in git
            continue
        lines.append(line)
    return GitIgnoreSpec.from_lines(lines)
