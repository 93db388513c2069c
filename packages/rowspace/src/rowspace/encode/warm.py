"""Compile the kernels of encoding, so that a first large text does not have to wait.

`scripts/setup` runs `python -m rowspace.encode.warm`; compiled code is cached on disk (`rowspace._base.jit`).
"""

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.encode.pooling import warm_pooling
from rowspace.text import WordTokenizer

__all__ = ["warm"]


def warm() -> None:
    """Run each scanner and each kernel of pooling once."""
    import numba  # noqa: F401  # so that the first text is scanned

    kinds = (_bert(), _byte_bpe(), _sentencepiece_bpe(), _unigram())
    for text in (*(tokenizer.to_str() for tokenizer in kinds), WordTokenizer(["a"]).to_json()):
        FlatTokenizer(text).encode(["a ab, é"])
    warm_pooling()


def _bert() -> Tokenizer:
    """Return BERT's tokenizer with three tokens."""
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def _byte_bpe() -> Tokenizer:
    """Return GPT-2's tokenizer with the tokens of single bytes, and one merge."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: number for number, token in enumerate([*alphabet, "ab"])}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "b")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tokenizer


def _sentencepiece_bpe() -> Tokenizer:
    """Return Gemma's tokenizer with the tokens of single bytes, and one merge."""
    tokens = [*(f"<0x{byte:02X}>" for byte in range(256)), *"▁ab", "ab"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.BPE(vocabulary, [("a", "b")], byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    return tokenizer


def _unigram() -> Tokenizer:
    """Return a Unigram tokenizer with three tokens."""
    tokenizer = Tokenizer(models.Unigram([("[UNK]", 0.0), ("▁", -1.0), ("a", -1.0)], 0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


if __name__ == "__main__":
    warm()
    print("kernels of encoding are compiled")
