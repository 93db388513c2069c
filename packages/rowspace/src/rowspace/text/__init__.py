"""Text → ids: corpora, words, tokenizers, and ids on disk that training reads.

| in this folder | what flows in → out |
|---|---|
| `characters/` | UTF-8 bytes → characters, and what each is |
| `corpus/` | files, strings → pieces of text |
| `tokenizers/` | files of tokenizers → text → ids |
| `words/` | text → words and their ids |
| `training/` | text → a tokenizer.json |
| `ids/` | a corpus → ids on disk |
| `inspect/` | a tokenizer and a text → splits, coverage |
| `options.py`, `tokenizer_options.py` | the options of a caller |
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
