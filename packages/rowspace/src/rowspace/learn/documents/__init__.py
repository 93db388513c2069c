"""Rows of documents: PV-DBOW with the kernels of `word2vec`.

| file | contents |
|---|---|
| `fit.py`, `options.py` | `fit_documents` and its options |
| `documents.py` | `Documents`: rows of documents, output rows of words, rows of other documents by inference |
| `texts.py` | documents → ids of words, in memory |
| `passes.py` | passes over documents with the kernel |
"""
