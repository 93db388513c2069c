import pytest
from tokenizers import Tokenizer, models

from rowspace.text import SplitToken, split_tokens
from rowspace.text.tokenizers.sentencepiece_reader import open_sentencepiece
from rowspace.text.tokenizers.tiktoken_reader import open_ranks

AWKWARD = ["", "a", " ", "🙂 class", "안녕하세요", "e\u0301 é", "a\0b", "x" * 3000, "\ud800 a", "the [MASK] class"]


def test_tokens_carry_their_counts() -> None:
    library = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    assert split_tokens("abb", library, counts={"ab": 7}) == [SplitToken("ab", 2, 7), SplitToken("b", 1, 0)]


@pytest.mark.parametrize("text", AWKWARD)
def test_split_tokens_accepts_other_tokenizers(text: str, ranks_file: bytes, bpe_model: bytes) -> None:
    for tokenizer in (open_ranks(ranks_file, "x", pattern="gpt2"), open_sentencepiece(bpe_model, "x")):
        pieces = split_tokens(text, tokenizer, counts={tokenizer.token(97): 5})
        assert [piece.id for piece in pieces] == tokenizer.encode(text).tolist()
        assert [piece.token for piece in pieces] == [tokenizer.token(piece.id) for piece in pieces]
        assert all(piece.count == 5 * (piece.id == 97) for piece in pieces)
