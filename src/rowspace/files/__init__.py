"""Bytes on disk ↔ arrays and strings: JSON, headers, memory maps, vocabularies. No tables, and no PyTorch."""
