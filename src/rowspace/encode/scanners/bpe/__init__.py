"""What byte-level BPE and SentencePiece share: merges, and the memory of short pieces; all in kernels/."""
