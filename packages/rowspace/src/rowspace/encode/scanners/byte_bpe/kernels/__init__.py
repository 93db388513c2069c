"""The kernels of byte-level BPE. All indices are of bytes.

| in this folder | what flows in → out |
|---|---|
| `scan.py` | texts → ids |
| `cut.py` | a text → pieces, as the regular expressions cut it |
| `guard.py` | a text → whether NFC may change it |
| `pieces.py` | a piece → ids |
"""
