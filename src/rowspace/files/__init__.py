"""Bytes on disk, before they are a table or a tokenizer: which files of a folder may be opened."""
