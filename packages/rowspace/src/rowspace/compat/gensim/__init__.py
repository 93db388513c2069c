"""gensim's classes for word vectors: replace `gensim` in an import by `rowspace.compat.gensim`.

| folder | contents |
|---|---|
| `models/` | gensim's modules: `word2vec`, `fasttext`, `keyedvectors`, `phrases`, `doc2vec`, `callbacks` |
| `vectors/` | what `KeyedVectors` is made of: keys and rows, queries, evaluation, word2vec's files |
| `training/` | vocabulary, sentences, and two ways to learn: rowspace's kernels, and one for all other options |
| `utils.py` | tokens of plain text, and the constants of trim rules |
| `saving.py` | the files of `save` and `load` |
| `errors.py` | the exceptions, which are also of the types that gensim raises |

Arguments, attributes and methods are gensim 4.4's; the code is rowspace's. `docs/guides/from-gensim.md` lists what
differs. Read next: `models/keyedvectors.py`, then `models/word2vec.py`.
"""

import logging

from rowspace._base.lazy import lazy_exports
from rowspace.compat.gensim import models as models, utils as utils

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)

logging.getLogger(__name__).addHandler(logging.NullHandler())  # as gensim: silent unless logging is configured
