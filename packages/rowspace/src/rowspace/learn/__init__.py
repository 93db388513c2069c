"""Learn rows from text, and from graphs.

| file | contents |
|---|---|
| `fit.py`, `options.py` | `rowspace.fit` and its options |
| `word2vec/` | skip-gram and CBOW: trainer, kernels, saved state |
| `graph/` | `fit_graph`: rows for the nodes of a graph, from random walks |
| `items/` | `fit_items`: rows of items and users, from baskets and events |
| `default_table.py` | the table of commands that are given none |
| `run_folder.py` | shared by all learning methods |
| `documents/` | PV-DBOW: documents → a row for each, and rows of other documents |
| `distillation/` | `distill`: a sentence encoder on disk → a table |
| `categories/` | `CategoryEncoder`: rows for the categories of tabular data |
| `merging/` | `align`, `rowspace.compare` and `rowspace.merge`: several tables in one space |
| `classifier/` | `rowspace.Classifier`: labels for texts, by the model that held-out texts favor |
| `tuning/` | `tune`: rows for retrieval, from pairs of texts; `TextClassifier`, saved with its encoder |

Read next: `fit.py`, then `word2vec/trainer.py` and `word2vec/kernels`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
