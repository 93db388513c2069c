"""A linear model on TF-IDF of n-grams of words and characters.

| file | contents |
|---|---|
| `linear.py` | `NgramModel`: texts → a sparse matrix of TF-IDF → scores of labels |
| `kernels.py` | dual coordinate descent for all labels at once |
"""
