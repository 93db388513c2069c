"""Bytes on disk ↔ arrays and strings: JSON, headers, memory maps, vocabularies, tokenizer.json.

No tables, and no PyTorch.
"""
