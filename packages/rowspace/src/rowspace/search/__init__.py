"""Files → an index of passages, searched by meaning and by words.

| file | contents |
|---|---|
| `index.py` | `Index`: build, open, update, search |
| `options.py` | `IndexOptions`; what an index needs of an encoder |
| `files.py`, `patterns.py` | folders → files, without what .gitignore excludes |
| `documents/` | files → text, the line of each position, and named sections |
| `chunks.py` | documents → passages |
| `reader.py`, `reader_worker.py` | files → passages, in a process with limits of time and memory |
| `update.py` | new and changed files → rows |
| `refresh.py`, `mcp_server.py` | an index that follows its files, as a server of MCP |
| `store.py`, `dataset.py` | the rows, in a dataset of Lance; where it is, and its columns |
| `places.py` | the location of an index: existence, the lock of its writer, replacement |
| `query_encoder.py` | a query → its vector |
| `coverage.py` | a text → the share of its letters that its vector is made of |
| `settings.py` | what an index was made with |
| `vectors.py` | the vectors of an index |
| `bridge/` | queries by another encoder, through a learned map |
| `words.py` | text → the words of the full-text index |
| `search.py` | a query → passages: by their words, by the cosine, or by both |
| `evaluate.py` | queries with the files that answer them → recall and mean reciprocal rank |
| `evidence.py` | a passage that was found → what each word adds to its cosine and to its BM25 score |

Needs `rowspace[search]`. Read next: `index.py`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
