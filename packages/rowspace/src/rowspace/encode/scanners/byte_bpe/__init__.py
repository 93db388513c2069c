"""Byte-level BPE: GPT-2, RoBERTa, Llama 3, Qwen 2 and tokenizers trained like them.

| in this folder | what flows in → out |
|---|---|
| `patterns.py` | its steps → how text is cut; its vocabulary and merges → arrays |
| `scanner.py` | a tokenizer.json → `ByteBpeScanner` or None; texts → ids |
| `character_classes.py` | what each character is to the patterns; `unicode_tables.py` is generated |
| `kernels/` | the compiled part |
"""

from rowspace.encode.scanners.byte_bpe.scanner import ByteBpeScanner, recognize_byte_bpe

__all__ = ["ByteBpeScanner", "recognize_byte_bpe"]
