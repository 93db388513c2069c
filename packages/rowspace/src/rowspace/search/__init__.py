"""Files and records → an index of passages, searched by meaning and by words.

| file | contents |
|---|---|
| `index.py`, `index_reader.py` | `Index`: build, update; open, search |
| `options.py` | `IndexOptions`, `BridgeOptions`; what an index needs of an encoder; the settings of a new one |
| `reading/files.py`, `patterns.py` | folders → files, without what .gitignore excludes |
| `reading/documents/`, `chunks.py` | files → text, the line of each position, and named sections → passages |
| `records.py` | records of files or of Python → ids, texts and metadata |
| `reading/reader.py`, `reader_worker.py` | files → passages, in a process with limits of time and memory |
| `storage/store.py`, `dataset.py`, `settings.py` | the rows, in a dataset of Lance; its columns and settings |
| `storage/words.py`, `vectors.py` | what is stored of a passage: the words of the full-text index, and the vector |
| `ranking/search.py` | a query → the passages that each ranking finds |
| `ranking/scores.py` | what is known of them → their scores: by words, by the cosine, or by both |
| `ranking/reranker.py` | the best passages → their cosines by another encoder |
| `ranking/conditions.py` | conditions on the metadata of records → SQL |
| `ranking/query_encoder.py` | a query → its vector, and the share of its letters that this is made of |
| `ranking/evidence.py` | a passage that was found → what each word adds to its cosine and to its BM25 score |
| `update.py`, `update_records.py` | which files, and which records, are new or have changed |
| `writer.py` | their passages → rows |
| `mcp_server.py` | an index that follows its files, as a server of MCP |
| `places.py` | the location of an index: existence, the lock of its writer, replacement |
| `evaluate.py` | queries with the files that answer them → recall and mean reciprocal rank |
| `bridge/` | queries by another encoder, through a learned map |

Needs `rowspace[search]`. Read next: `index.py`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
