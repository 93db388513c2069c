"""Files of a folder that may be links: which are followed, and which lead somewhere else.

A link is followed inside of its folder, and from a snapshot in the cache of huggingface_hub to the blobs of the same
repository, of which such a snapshot is made:

    models--org--name/blobs/4a1f...                              the files themselves
    models--org--name/snapshots/REVISION/model.safetensors  →    ../../blobs/4a1f...
"""

import os
from pathlib import Path

from rowspace.errors import FileFormatError

__all__ = ["resolve_inside"]

LONGEST_NAME = 255  # bytes, on the usual file systems


def resolve_inside(folder: Path, name: str) -> Path:
    """Return the path of the file `name` in `folder`; raises `FileFormatError` for a name or a link that leads out."""
    path = folder / name
    try:
        if len(name.encode()) > LONGEST_NAME:
            raise ValueError(name)
        real = Path(os.path.realpath(path))
    except ValueError:  # too long, a NUL, or half of a surrogate pair
        raise FileFormatError(
            f"{folder}: {name[:80]!r} cannot be the name of a file; restore the file that says so"
        ) from None
    if not name or Path(name).name != name or name == "..":
        raise FileFormatError(f"{folder}: the file name {name!r} leads out of the folder; put the file itself into it")
    home = Path(os.path.realpath(folder))
    if not real.is_relative_to(home) and real.parent != _blobs_of(home):
        raise FileFormatError(
            f"{path}: a link out of the folder, to {real}, which is not followed; open a copy of the folder that holds "
            f"the files themselves, made with: cp -rL {folder} COPY"
        )
    return path


def _blobs_of(folder: Path) -> Path | None:
    """The blobs that a snapshot in the cache of huggingface_hub, or a folder in it, links to."""
    for place in folder.parents:
        if place.name == "snapshots" and place.parent.name.startswith("models--"):
            return place.parent / "blobs"
    return None
