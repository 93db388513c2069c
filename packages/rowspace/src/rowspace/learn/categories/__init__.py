"""Rows for the categories of tabular data, learned against a target.

| file | contents |
|---|---|
| `encoder.py` | `CategoryEncoder`, a transformer of scikit-learn |
| `effects.py` | the shrunk effects of categories on a target |
| `levels.py` | values of a column → ids of categories |

Read next: `encoder.py`, then `effects.py`.
"""
