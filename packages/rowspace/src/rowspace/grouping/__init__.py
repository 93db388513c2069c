"""Texts → groups of texts.

| file | contents |
|---|---|
| `duplicates.py` | `dedupe`: texts that nearly repeat an earlier one, by kernels in `kernels.py` |
| `clusters.py` | `cluster_texts`: clusters with labels from their words |
| `keep.py` | `write_kept`: the lines or records of a file to keep, in a file of the same kind |

Read next: `duplicates.py`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
