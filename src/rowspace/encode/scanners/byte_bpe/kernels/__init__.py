"""The kernels of byte-level BPE. All indices are of bytes.

| in this folder | what flows in → out |
|---|---|
| `scan.py` | texts → ids |
| `cut.py` | a text → pieces, as the regular expressions cut it |
| `guard.py` | a text → whether it has to be left to the library |
| `merge.py` | a piece → ids, by merges |
| `heap.py` | a long piece → ids, by merges |
| `remember.py` | a short piece → the ids that it had before |
"""
