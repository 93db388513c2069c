"""Rows of documents: PV-DBOW with the kernels of `word2vec`.

| file | contents |
|---|---|
| `documents.py`, `options.py` | `fit_documents` and its options; `Documents`, which infers rows of other documents |
| `texts.py` | documents → ids of words, in memory |
| `passes.py` | passes over documents with the kernel |
"""
