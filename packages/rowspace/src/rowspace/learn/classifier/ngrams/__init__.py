"""A linear model on TF-IDF of n-grams of words and characters.

| file | contents |
|---|---|
| `features.py` | texts → a sparse matrix of TF-IDF |
| `linear.py` | `NgramModel`: texts → scores of labels |
| `kernels.py` | dual coordinate descent for all labels at once |
"""
