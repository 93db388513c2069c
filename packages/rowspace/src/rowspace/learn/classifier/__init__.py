"""`Classifier`: labels for texts, by the model that held-out texts favor.

| file | contents |
|---|---|
| `classifier.py`, `options.py` | the estimator and its options |
| `estimator.py` | the contract of scikit-learn |
| `choosing.py`, `calibration.py` | candidates on held-out texts, their probabilities and their average |
| `members.py` | the candidates |
| `rows/` | fastText's supervised model |
| `ngrams/` | a linear model on TF-IDF of n-grams |
| `targets.py`, `examples.py` | labels as numbers, and files of texts with labels |
| `measures.py` | figures on texts with labels |
| `saved.py` | the folder of a classifier |

Read next: `classifier.py`, then `choosing.py`.
"""
