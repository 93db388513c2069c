"""rowspace's own format: a directory that is mapped, and that model2vec and sentence-transformers open too.

`directory.py` is the place to start reading.
"""

from rowspace.store.native.directory import check_target, load, read_manifest, recognizes, save

__all__ = ["check_target", "load", "read_manifest", "recognizes", "save"]
