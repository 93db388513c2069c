"""The kernels of byte-level BPE. All indices are of bytes.

| in this folder | what flows in → out |
|---|---|
| `scan.py` | texts → ids, except of texts that NFC may change |
| `cut.py` | a text → pieces, as the regular expressions cut it |
| `pieces.py` | a piece → ids |
"""
