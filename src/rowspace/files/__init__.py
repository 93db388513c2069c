"""Bytes on disk ↔ arrays and strings: which files of a folder may be opened, tokenizer.json, the byte alphabet."""
