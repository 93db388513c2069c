"""Bulk work as parts, on one machine or a cluster: the same function on each part; an engine only maps.

| in this folder | what flows in → out |
|---|---|
| `parts.py` | paths, patterns and URLs → parts: files, or row groups of large Parquet files |
| `mapping.py` | a function and parts → results |
| `engines.py` | where parts are worked on: this process, processes, Ray, Dask, an executor |
| `places.py` | the folder of outputs, local or at a URL, in which files appear complete |
| `encode.py` | a table and parts → Parquet files of vectors, with a manifest |
| `manifest.py` | what those files were made of, and which are done |
| `part_files.py` | one part → its file of vectors |
| `batches.py` | `EncodeBatches`: batches of Ray Data, Dask, Spark or Daft → the same with vectors |
| `fit/` | text → a table, its words counted by parts |
| `index.py` | files → the rows of a search index, by workers, in one commit |

Read next: `encode.py`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
