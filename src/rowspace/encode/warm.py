"""Compile the kernels of encoding, so that a first large text does not have to wait.

`scripts/setup` runs `python -m rowspace.encode.warm`; compiled code is cached on disk (`rowspace._base.jit`).
"""

import json

from rowspace.encode.flat_tokenizer import FlatTokenizer

__all__ = ["warm_scanners"]

BERT = {
    "version": "1.0",
    "added_tokens": [],
    "normalizer": {
        "type": "BertNormalizer",
        "clean_text": True,
        "handle_chinese_chars": True,
        "strip_accents": None,
        "lowercase": True,
    },
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {"[UNK]": 0, "a": 1, "##b": 2},
    },
}


def warm_scanners() -> None:
    """Run each scanner once, on enough texts that it loads its kernels."""
    for document in (BERT,):
        FlatTokenizer(json.dumps(document)).encode(["a ab, é"] * 1000)


if __name__ == "__main__":
    warm_scanners()
    print("kernels of encoding are compiled")
