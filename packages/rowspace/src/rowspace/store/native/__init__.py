"""rowspace's own format: a folder that is mapped, and that model2vec and sentence-transformers open too.

`folder.py` is the place to start reading.
"""

from rowspace.store.native.folder import check_target, load, read_manifest, recognizes, save

__all__ = ["check_target", "load", "read_manifest", "recognizes", "save"]
