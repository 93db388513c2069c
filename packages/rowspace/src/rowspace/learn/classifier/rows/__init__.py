"""fastText's supervised model: rows of words and n-grams, learned together with the labels.

| file | contents |
|---|---|
| `dictionary.py` | the words of the texts |
| `features.py` | texts → features for learning |
| `learning.py` | `learn_rows`: texts and labels → a model |
| `model.py` | `SupervisedModel`: texts → probabilities; the Huffman tree of hierarchical softmax |
| `fasttext_file.py` | fastText's .bin and .ftz read and written |
| `kernels/` | the compiled loops |
"""
