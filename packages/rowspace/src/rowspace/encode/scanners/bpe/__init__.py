"""Shared by byte-level BPE and SentencePiece: merges, and caches of pieces; the compiled part is in kernels/."""
