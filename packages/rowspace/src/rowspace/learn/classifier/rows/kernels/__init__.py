"""Compiled loops of the supervised model.

| file | contents |
|---|---|
| `words.py` | bytes of texts → words, and their ids in a dictionary |
| `features.py` | words → ids of words, n-grams of words and n-grams of characters |
| `train.py` | rows and outputs learned together, for four losses |
| `predict.py` | texts → mean rows, and a tree of nodes → probabilities |
"""
