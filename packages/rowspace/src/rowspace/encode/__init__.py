"""Text → ids → pooled vectors, at the speed of memory.

| in this folder | what flows in → out |
|---|---|
| `encoder.py` | a table → `Encoder`: texts → one vector each |
| `contextual_encoder.py` | the folder of a sentence encoder → `ContextualEncoder`: the same, by running it |
| `executor.py` | texts and a plan → vectors, in pieces, by several threads; the rows that make a vector |
| `options.py`, `modes.py` | options, and the rules of a library → what to do with ids |
| `stream/` | files, generators, Parquet columns → files of vectors, with bounded memory |
| `text_encoder.py` | `TextEncoder`: a transformer of scikit-learn |
| `texts.py` | texts → one UTF-8 buffer; ids of many texts as two flat arrays |
| `flat_tokenizer.py` | a tokenizer.json → ids of a buffer, by a scanner where one is exact, else by `tokenizers` |
| `scanners/` | one tokenizer.json of a known kind → a kernel with the same ids |
| `unseen.py` | words out of the vocabulary → rows, from their n-grams |
| `pooling.py`, `kernels.py` | ids and rows → vectors, in NumPy and compiled |
| `precision.py` | vectors → float16, int8 or bits |
| `usage.py`, `fingerprint.py` | what was encoded; a hash of all that decides the vectors |

Read next: `encoder.py`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
