"""Files and folders → the files to index, without those that .gitignore files exclude."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from rowspace.errors import RowspaceError, UsageError, missing_file, reason_of
from rowspace.files.open_folder import open_regular
from rowspace.files.remote import check_plain_url, is_url, remote_files
from rowspace.search.reading.patterns import IgnoreFile
from rowspace.store.native.manifest import MARKER

__all__ = [
    "CHANGES",
    "DATASET",
    "RECORD_CHANGES",
    "Change",
    "FileTime",
    "FoundFile",
    "file_time",
    "find_files",
    "resolve_roots",
    "times_of_files",
]

DATASET = "chunks.lance"
"""The folder in an index that holds its chunks."""

CHOSEN = _HIDDEN, _LINK, _IGNORED, _SPECIAL = ("hidden", "symbolic link", "excluded by .gitignore", "special file")
"""Why files and folders are left out that their owner has chosen."""

_LOCK_FILE, _MINIFIED, _INDEX, _TABLE = "lock file", "minified", "index of rowspace", "table of rowspace"

_LOCK_FILES = frozenset(
    (
        *("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "deno.lock"),
        *("poetry.lock", "uv.lock", "pdm.lock", "pylock.toml", "Pipfile.lock", "pixi.lock", "conda-lock.yml"),
        *("Cargo.lock", "go.sum", "Gemfile.lock", "composer.lock", "mix.lock", "pubspec.lock", "Podfile.lock"),
        *("Package.resolved", "Cartfile.resolved", "packages.lock.json", "gradle.lockfile", "flake.lock"),
        *("renv.lock", "rebar.lock", "stack.yaml.lock", "cabal.project.freeze", "Chart.lock", "MODULE.bazel.lock"),
    )
)
_MINIFIED_NAME = re.compile(r".*[.-]min\.(?:[cm]?js|css|html?)(?:\.map)?|.*\.(?:[cm]?js|css)\.map", re.IGNORECASE)

_IGNORE, _EXCLUDE = ".gitignore", ".git/info/exclude"
_MAX_IGNORE = 200_000  # bytes of a .gitignore; each pattern costs time for each file

Change = Literal["changed", "gone"]
"""What has happened to a file since it was indexed."""

CHANGES: dict[Change, str] = {
    "changed": "  [the file has changed since it was indexed]",
    "gone": "  [the file is gone since it was indexed]",
}
"""How an answer shows it."""

RECORD_CHANGES: dict[Change, str] = {
    "changed": "  [a file of the records has changed since it was indexed]",
    "gone": "  [a file of the records is gone since it was indexed]",
}
"""How an answer shows that of a record."""

FileTime = tuple[int, int]
"""The size of a file or folder, and when it was last modified, in nanoseconds."""

_Ignores = tuple[tuple[str, IgnoreFile], ...]  # the folder of each .gitignore and its patterns, the outermost first


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
    """Return the absolute paths of files and folders; URLs stay as they are.

    Args:
        files: One or more paths or URLs.
        known: Paths that may be missing, since the index has their files, which will be removed.

    Returns:
        Each path once, without those inside another one.

    Raises:
        UsageError: If a path is empty, does not exist, or is neither a file nor a folder, or a URL has a user or
            options.
    """
    given = [files] if isinstance(files, str | Path) else list(files)
    if "" in given:
        raise UsageError("the path of a file is empty; name files and folders to index, '.' for the current folder")
    paths = list(map(_real_path, given))
    for path in paths:
        if is_url(path):
            continue  # its files are listed when they are read
        if not (Path(path).is_file() or Path(path).is_dir()) and path not in known:
            if not Path(path).exists():
                raise missing_file(path)
            raise UsageError(f"{path} is neither a file nor a folder; name files and folders to index")
    return [
        path
        for path in dict.fromkeys(paths)
        if not any(path.startswith(other.rstrip("/") + "/") for other in paths if is_url(other) or Path(other).is_dir())
    ]


def _real_path(path: str | Path) -> str:
    if isinstance(path, str) and is_url(path):
        check_plain_url(path)
        return path.rstrip("/")
    try:
        Path(path).exists()
        return os.path.realpath(path)
    except (ValueError, OSError) as error:  # NUL, a lone surrogate, or too long a name
        raise UsageError(f"{str(path)[:80]!r} cannot be opened ({reason_of(error)}); name files and folders") from error


def find_files(
    roots: Iterable[str], problems: dict[str, str] | None = None, left_out: dict[str, str] | None = None
) -> Iterator[FoundFile]:
    """Yield the files of folders, in the order of their names, and files that are named themselves.

    In a folder, these are left out: what its .gitignore files and those above it in a repository exclude, names that
    begin with a dot, symbolic links, lock files of package managers, minified files, indexes and tables of rowspace.

    Args:
        roots: Absolute paths and URLs; a missing path has no files.
        problems: Gets the folders and .gitignore files that cannot be read, each with the reason.
        left_out: Gets the files and folders that are left out, each with the reason; not what is in such a folder.

    Yields:
        Each file once, if no root lies in another one.
    """
    walk = _Walk({} if problems is None else problems, {} if left_out is None else left_out)
    for root in roots:
        yield from walk.files_of(root)


def times_of_files(roots: Iterable[str]) -> dict[str, FileTime | None]:
    """Return the times of what `find_files` yields, and of the folders and .gitignore files that decide on it."""
    walk = _Walk({}, {})
    files = {found.path: (found.size, found.mtime_ns) for root in roots for found in walk.files_of(root)}
    return walk.times | files


def file_time(path: str) -> FileTime | None:
    """Return the time of a file or folder; None if there is none."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


class _Walk:
    def __init__(self, problems: dict[str, str], left_out: dict[str, str]) -> None:
        self._problems, self._left_out = problems, left_out
        self.times: dict[str, FileTime | None] = {}  # of folders and .gitignore files, before they are read

    def files_of(self, root: str) -> Iterator[FoundFile]:
        """Yield the files of a root."""
        if is_url(root):
            yield from map(FoundFile._make, remote_files(root))
        elif Path(root).is_dir():
            yield from self._below(root)
        elif Path(root).is_file():
            status = Path(root).stat()
            yield FoundFile(root, status.st_size, status.st_mtime_ns)

    def _below(self, root: str) -> Iterator[FoundFile]:
        """Yield the files of a folder; not recursive, since folders can be nested a thousand deep."""
        pending = [self._opened(root, self._above(root))]
        while pending:
            entries, ignores = pending[-1]
            entry = next(entries, None)
            if entry is None:
                pending.pop()
                continue
            try:
                if reason := _reason(entry, ignores):
                    self._left_out[entry.path] = reason
                elif entry.is_dir():
                    pending.append(self._opened(entry.path, ignores))
                else:
                    status = entry.stat()
                    yield FoundFile(entry.path, status.st_size, status.st_mtime_ns)
            except FileNotFoundError:  # removed in the meantime
                continue
            except OSError as error:
                self._name_unreadable(entry.path, error)

    def _opened(self, folder: str, ignores: _Ignores) -> tuple[Iterator[os.DirEntry[str]], _Ignores]:
        """Return the entries of a folder by name, and the patterns that apply to them."""
        time = file_time(folder)
        try:
            with os.scandir(folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            self._name_unreadable(folder, error)
            return iter(()), ignores
        names = {entry.name for entry in entries}
        if not names.isdisjoint((DATASET, MARKER)):
            self._left_out[folder] = _INDEX if DATASET in names else _TABLE
            return iter(()), ignores
        self.times[folder] = time
        if ".git" in names:  # a repository in another one has its own patterns and the user's only
            ignores = (*self._of_user(folder), *self._read(folder, _EXCLUDE))
        if _IGNORE in names:
            ignores = (*ignores, *self._read(folder))
        return iter(entries), ignores

    def _name_unreadable(self, path: str, error: OSError) -> None:
        self._problems[path] = f"cannot be read ({error.strerror}); left out"

    def _above(self, root: str) -> _Ignores:
        """Return the .gitignore files above a folder, up to that of the repository; none outside of a repository."""
        above = list[str]()
        for folder in [] if os.path.lexists(f"{root}/.git") else map(str, Path(root).parents):
            above.append(folder)
            if os.path.lexists(f"{folder}/.git"):
                files = [(folder, _EXCLUDE), *((each, _IGNORE) for each in reversed(above))]
                return (*self._of_user(folder), *(patterns for file in files for patterns in self._read(*file)))
        return ()

    def _of_user(self, folder: str) -> _Ignores:
        """Return the patterns that a user has for all repositories, for one in this folder."""
        path = excludes_file(*(os.environ.get(name, "") for name in ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL")))
        return self._read(folder, path) if path else ()

    def _read(self, folder: str, name: str = _IGNORE) -> _Ignores:
        """Return the patterns of a file for a folder; none, as in git, if it is missing, a link or cannot be read."""
        path = Path(folder, name)
        self.times[str(path)] = file_time(str(path))
        if not os.path.lexists(path):
            return ()
        try:
            if path.is_symlink():
                raise RowspaceError(f"{path}: a symbolic link")
            with open_regular(path) as file:
                data = file.read(_MAX_IGNORE + 1)
            if len(data) > _MAX_IGNORE:
                raise RowspaceError(f"{path}: larger than {_MAX_IGNORE // 1000} kB")
        except (RowspaceError, OSError) as error:
            reason = str(error).removeprefix(f"{path}: ").split(";")[0]
            self._problems[str(path)] = f"not applied ({reason})"
            return ()
        lines = data.decode("latin-1").removeprefix("\xef\xbb\xbf").split("\n")
        return ((folder, IgnoreFile([line.removesuffix("\r") for line in lines])),)


@lru_cache(maxsize=8)
def excludes_file(home: str, config_home: str, config: str) -> str:
    """Return the file of git's `core.excludesFile`, without links; by default, and without git, `~/.config/git/ignore`.

    The arguments are those variables of the environment on which the answer depends.
    """
    command = ["git", "config", "--global", "--type=path", "--get", "core.excludesFile"]
    try:
        answer = subprocess.run(command, check=False, capture_output=True, text=True, timeout=10, cwd="/")  # noqa: S603  constant
    except (OSError, subprocess.SubprocessError):
        answer = None
    if answer is not None and answer.returncode == 0:
        path = Path(answer.stdout.removesuffix("\n"))
    else:
        path = Path(config_home or Path(home, ".config"), "git", "ignore")
    return os.path.realpath(path) if path.is_absolute() else ""


def _reason(entry: os.DirEntry[str], ignores: _Ignores) -> str:
    """Return why an entry of a folder is left out; empty if it is not."""
    if entry.name.startswith("."):
        return _HIDDEN
    if entry.is_symlink():
        return _LINK
    if _is_ignored(entry.path, ignores, is_folder=entry.is_dir()):
        return _IGNORED
    if entry.is_dir():
        return ""
    if not entry.is_file():
        return _SPECIAL
    if entry.name in _LOCK_FILES:
        return _LOCK_FILE
    return _MINIFIED if _MINIFIED_NAME.fullmatch(entry.name) else ""


def _is_ignored(path: str, ignores: _Ignores, *, is_folder: bool) -> bool:
    """Whether the innermost .gitignore with a matching pattern excludes a path."""
    for folder, patterns in reversed(ignores):
        relative = os.fsencode(path[len(folder.rstrip("/")) + 1 :]).decode("latin-1")
        if (decision := patterns.decision(relative, is_folder=is_folder)) is not None:
            return decision
    return False
