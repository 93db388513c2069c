"""A table for retrieval, from pairs of texts, and a classifier saved with its encoder, from texts with labels.

| file | contents |
|---|---|
| `tune.py`, `options.py` | `tune`, its options and its progress |
| `pairs.py` | pairs from JSON lines or tab-separated lines |
| `ranking.py` | the loss, and recall of held-out pairs |
| `classifier.py`, `saved_classifier.py` | `TextClassifier`, and its folder |
"""
