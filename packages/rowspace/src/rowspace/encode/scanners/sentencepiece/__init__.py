"""SentencePiece-like tokenizers: BPE with byte fallback (Llama 2, Mistral, Gemma) and Unigram (T5, XLM-R, our own).

| in this folder | what flows in → out |
|---|---|
| `merges.py` | BPE: a tokenizer.json → `MergesScanner` or None |
| `unigram.py` | Unigram: a tokenizer.json → `UnigramScanner` or None |
| `blanks.py` | the steps before the model → rules |
| `characters.py` | a normalizer → what it makes of each character |
| `kernels/` | the compiled part |
"""

from rowspace.encode.scanners.sentencepiece.merges import recognize_sentencepiece_bpe
from rowspace.encode.scanners.sentencepiece.unigram import recognize_unigram

__all__ = ["recognize_sentencepiece_bpe", "recognize_unigram"]
