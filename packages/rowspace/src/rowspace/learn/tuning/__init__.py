"""A table for retrieval, from pairs of texts, and a classifier saved with its encoder, from texts with labels.

| file | contents |
|---|---|
| `tune.py`, `options.py` | `tune` with its loss and recall, its options and its progress |
| `pairs.py` | pairs from JSON lines or tab-separated lines |
| `classifier.py`, `saved_classifier.py` | `TextClassifier`, and its folder |
"""
