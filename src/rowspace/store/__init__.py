"""Files ↔ `Table`: one file per format, lazy, atomic, safe. `formats.py` is the place to start reading.

`save` and `load` are what most need; `check_target` says before long work whether a save will be possible,
and `read_manifest` reads what stands beside the rows of a native directory.
"""

from rowspace.store.formats import FORMATS, Format, check_target, format_of, load, save
from rowspace.store.native import read_manifest
from rowspace.store.native.manifest import FileRecord, Manifest

__all__ = [
    "FORMATS",
    "FileRecord",
    "Format",
    "Manifest",
    "check_target",
    "format_of",
    "load",
    "read_manifest",
    "save",
]
