"""Files → an index of passages, searched by meaning and by words.

| file | contents |
|---|---|
| `index.py` | `Index`: build, open, update, search |
| `options.py` | `IndexOptions`; what an index needs of an encoder |
| `files.py` | folders → files, without what .gitignore excludes |
| `documents/` | files → text, the line of each position, and named sections |
| `chunks.py` | documents → passages |
| `update.py` | new and changed files → rows |
| `store.py` | the rows, in a dataset of Lance |
| `settings.py` | what an index was made with |
| `search.py` | a query → passages: vectors, BM25, and reciprocal rank fusion |

Needs `rowspace[search]`. Read next: `index.py`.
"""

from rowspace.encode.index.index import Index
from rowspace.encode.index.options import IndexOptions
from rowspace.encode.index.search import Hit
from rowspace.encode.index.update import Summary

__all__ = ["Hit", "Index", "IndexOptions", "Summary"]
