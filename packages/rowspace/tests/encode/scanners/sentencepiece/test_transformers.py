"""Tokenizers as transformers makes them from the pieces of a model."""

import pytest
import transformers
from tests.encode.scanners.sentencepiece.parity import TEXTS, check, made_of
from tests.encode.scanners.sentencepiece.tokenizers_of_kinds import bpe_parts, precompiled_charsmap, unigram_pieces
from tokenizers import Tokenizer

pytestmark = pytest.mark.kernels

CHAT = made_of(["<s>", "</s>", "<pad>", "<extra_id_0>", "<mask>", " ", "the cat", "\n", "é", "<start_of_turn>"], 100)


@pytest.mark.parametrize(
    ("name", "scanned"),
    [("LlamaTokenizer", 1), ("GemmaTokenizer", 1), ("T5Tokenizer", 0.4), ("XLMRobertaTokenizer", 0.4)],
)
@pytest.mark.long
def test_tokenizers_of_transformers_are_scanned(name: str, scanned: float) -> None:
    if name in ("LlamaTokenizer", "GemmaTokenizer"):
        vocabulary, merges = bpe_parts()
        made = getattr(transformers, name)(vocab=vocabulary, merges=merges)
    else:
        pieces = list(unigram_pieces())
        made = getattr(transformers, name)(vocab=pieces, _spm_precompiled_charsmap=precompiled_charsmap())
    check(Tokenizer.from_str(made.backend_tokenizer.to_str()), [*TEXTS, *CHAT], scanned=scanned)
