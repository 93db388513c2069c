"""The kernels of merges and of the caches of pieces.

| in this folder | what flows in → out |
|---|---|
| `merge.py` | symbols → ids |
| `heap.py` | many symbols → ids |
| `remember.py` | a short piece → the ids that it had before |
| `eight_bytes.py` | eight bytes as one number |
"""
