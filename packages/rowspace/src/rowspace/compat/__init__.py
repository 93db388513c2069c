"""The names of other libraries on top of rowspace, so that existing code runs with another import.

| folder | contents |
|---|---|
| `gensim/` | `Word2Vec`, `FastText`, `KeyedVectors`, `Phrases` and `Doc2Vec` with gensim 4.4's arguments and methods |
"""
