"""What `KeyedVectors` is made of, each file a class that extends that of the one before.

| file | contents |
|---|---|
| `storage.py` | keys, rows, attributes of keys |
| `queries.py` | `most_similar` and other rankings |
| `distances.py` | similarities of given words |
| `evaluation.py` | files of analogies and word pairs |
| `word2vec_format.py` | word2vec's files |
| `keyed_vectors.py` | `KeyedVectors` |
| `fasttext_vectors.py` | `FastTextKeyedVectors`, and n-grams by gensim's names |
"""
