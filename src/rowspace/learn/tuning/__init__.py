"""A table for retrieval, from pairs of texts: `rowspace.learn.tune`.

| file | contents |
|---|---|
| `tune.py`, `options.py` | `tune`, its options and its progress |
| `pairs.py` | pairs from JSON lines or tab-separated lines |
| `ranking.py` | the loss, and recall of held-out pairs |
"""
