"""The kernels of SentencePiece-like BPE and Unigram. All indices are of bytes.

| in this folder | what flows in → out |
|---|---|
| `merges.py` | texts → ids of BPE |
| `units.py` | a text → units that no merge crosses, and their first symbols |
| `unigram.py` | texts → ids of Unigram |
| `viterbi.py` | a piece → the tokens with the highest sum of scores |
"""
