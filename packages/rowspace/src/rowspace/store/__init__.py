"""Reading and writing tables: one module per format, in subfolders by kind. Start with `formats.py`.

`save` and `load` are the main functions. `check_target` checks before long work whether a save is possible;
`save_quantized` writes rows of fewer bits; `read_manifest` reads rowspace.json of a native folder without its rows.
"""

from rowspace.store.formats import FORMATS, Format, check_target, format_of, load, save
from rowspace.store.model_formats.quantized import check_quantized_target, save_quantized
from rowspace.store.native import read_manifest
from rowspace.store.native.manifest import FileRecord, Manifest

__all__ = [
    "FORMATS",
    "FileRecord",
    "Format",
    "Manifest",
    "check_quantized_target",
    "check_target",
    "format_of",
    "load",
    "read_manifest",
    "save",
    "save_quantized",
]
