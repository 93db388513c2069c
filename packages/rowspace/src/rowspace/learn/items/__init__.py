"""Learn rows of items from what belongs together: purchases, sessions, dependencies.

| file | contents |
|---|---|
| `fit_items.py`, `options.py` | `rowspace.fit_items` and its options |
| `interactions.py` | `Interactions`: which user has which items; `hold_out` |
| `reading.py`, `events.py` | baskets and events, of Python or of files → `Interactions` |
| `item2vec.py` | skip-gram and CBOW with the whole basket as the window |
| `als.py`, `kernels.py` | matrix factorization by alternating least squares |
| `two_tower.py`, `features.py` | embeddings of ids and features, learned with PyTorch |
| `model.py`, `saved_items.py` | `Items`, the result, and its folder |
| `evaluate.py` | recall and NDCG on held-out interactions |
"""
