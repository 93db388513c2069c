"""Shared by byte-level BPE and SentencePiece: merges; the compiled part, with caches of pieces, is in kernels/."""
