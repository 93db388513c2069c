"""Tiny tiktoken rank files and SentencePiece models, made by those libraries."""

import base64
import io
from collections.abc import Callable
from pathlib import Path

import pytest
import sentencepiece
from tiktoken import _educational
from tiktoken_ext import openai_public

Train = Callable[..., bytes]


@pytest.fixture(scope="session")
def words_pattern() -> str:
    """GPT-2's pattern, from tiktoken."""
    return str(openai_public.r50k_pat_str)


@pytest.fixture(scope="session")
def tiny_ranks(english: Path, words_pattern: str) -> dict[bytes, int]:
    """Ranks trained by tiktoken's educational module."""
    text = english.read_text(encoding="utf-8")[:20_000] + "naïve 안녕 안녕 안녕 🙂🙂🙂 <|endoftext|> <|endoftext|>"
    return dict(_educational.bpe_train(text, 400, words_pattern, visualise=None))


@pytest.fixture(scope="session")
def ranks_file(tiny_ranks: dict[bytes, int]) -> bytes:
    """The content of a rank file with `tiny_ranks`."""
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in tiny_ranks.items())


@pytest.fixture(scope="session")
def train_sentencepiece(english: Path) -> Train:
    """`train(kind, **options)` returns the bytes of a small model trained by sentencepiece."""
    lines = english.read_text(encoding="utf-8").split("\n")[:2000]

    def train(kind: str, *, vocab_size: int = 400, **options: object) -> bytes:
        model = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=model,
            model_type=kind,
            vocab_size=vocab_size,
            minloglevel=2,
            num_threads=1,
            **options,
        )
        return model.getvalue()

    return train


@pytest.fixture(scope="session")
def unigram_model(train_sentencepiece: Train) -> bytes:
    return train_sentencepiece("unigram")


@pytest.fixture(scope="session")
def bpe_model(train_sentencepiece: Train) -> bytes:
    return train_sentencepiece("bpe", byte_fallback=True, normalization_rule_name="identity", vocab_size=500)
