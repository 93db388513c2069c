"""Learn rows for the nodes of a graph: edges → random walks → skip-gram.

| file | contents |
|---|---|
| `fit_graph.py`, `options.py` | `rowspace.fit_graph` and its options |
| `edges.py`, `read_edges.py` | files, arrays, matrices and NetworkX graphs → edges |
| `graph.py` | edges → compressed sparse rows |
| `walks.py`, `kernels.py` | random walks, which the trainer of `word2vec` reads as sentences |
"""
