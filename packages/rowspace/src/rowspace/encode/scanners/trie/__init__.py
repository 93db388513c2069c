"""A vocabulary as a trie of bytes: trie.py builds it, kernels.py walks it."""

from rowspace.encode.scanners.trie.trie import build_trie, node_of

__all__ = ["build_trie", "node_of"]
