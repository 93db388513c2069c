"""Text → ids → pooled vectors, at the speed of memory.

| in this folder | what flows in → out |
|---|---|
| `encoder.py` | a table → `Encoder`: texts → one vector each |
| `stream/` | files, generators, Parquet columns → files of vectors, with bounded memory |
| `text_encoder.py` | `TextEncoder`: a transformer of scikit-learn |
| `texts.py` | texts → one UTF-8 buffer; ids of many texts as two flat arrays |
| `flat_tokenizer.py` | a tokenizer.json → ids of a buffer, by a scanner where one is exact, else by `tokenizers` |
| `scanners/` | one tokenizer.json of a known kind → a kernel with the same ids |

Read next: `encoder.py`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
