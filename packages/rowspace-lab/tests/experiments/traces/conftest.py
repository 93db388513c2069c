"""The small tokenizers of tiktoken and SentencePiece of the library's tests."""

from tests.text.conftest import bpe_model, ranks_file, tiny_ranks, train_sentencepiece, words_pattern

__all__ = ["bpe_model", "ranks_file", "tiny_ranks", "train_sentencepiece", "words_pattern"]
