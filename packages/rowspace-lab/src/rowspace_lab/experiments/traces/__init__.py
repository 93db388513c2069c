"""Byte-pair encoding merge by merge: `training.py` learns it from a text, `encoding.py` applies a tokenizer."""
