"""A small WordPiece model and texts that are awkward for it; an encoder of few words."""

import string
from collections.abc import Callable

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from rowspace.encode import Encoder
from rowspace.table import Table
from rowspace.text import whitespace_json

WORDS = ["[PAD]", "[UNK]", *string.ascii_lowercase, *(f"##{letter}" for letter in string.ascii_lowercase)]
WORDS += ["the", "cat", "##ing", "sat", "한국", ".", "é", "naïve", "cats"]
FEW_WORDS = ["the", "cat", "sat", "on", "mat", "dog", "é", "안녕"]

TEXTS = [
    "the cat sat.",
    "",
    "   ",
    "the",
    "☃ ☃",
    "cats ☃ sitting, the naïve é e\u0301",
    "한국 한국어",
    "the cat " * 700,
    "x" * 200,
    "☃ " * 30 + "the cat",
    "a\x00b\u200b c\r\nd",
    "unbelievably singing cats " * 30,
]


@pytest.fixture(scope="session")
def wordpiece():
    """`wordpiece()` makes the tokenizer."""

    def make():
        tokenizer = Tokenizer(models.WordPiece({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=False)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        tokenizer.decoder = decoders.WordPiece()
        return tokenizer

    return make


@pytest.fixture(scope="session")
def rows():
    """Rows (V, 20); that of the unknown token is not zeros."""
    return np.random.default_rng(0).standard_normal((len(WORDS), 20), np.float32)


@pytest.fixture
def table(wordpiece, rows):
    counts = np.arange(1, len(WORDS) + 1)
    return Table(WORDS, rows, counts, tokenizer=wordpiece().to_str())


def make_encoder(seed: int = 0, dim: int = 6) -> Encoder:
    """Return an encoder with normal rows."""
    rows = np.random.default_rng(seed).normal(size=(len(FEW_WORDS), dim)).astype(np.float32)
    return Encoder(Table(FEW_WORDS, rows, tokenizer=whitespace_json(FEW_WORDS)))


@pytest.fixture
def encoder() -> Encoder:
    return make_encoder()


@pytest.fixture
def encoder_of() -> Callable[..., Encoder]:
    """`encoder_of(seed, dim)` makes another encoder."""
    return make_encoder
