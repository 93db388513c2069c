import random
import sys

import numpy as np
import pytest
import sentencepiece
from hypothesis import given
from tests.text.tokenizers.awkward_text import FIXED, PIECES as COMMON, awkward_text

from rowspace.errors import FileFormatError, MissingExtraError, RowspaceError, UsageError
from rowspace.text.tokenizers.sentencepiece_reader import is_sentencepiece, open_sentencepiece

PIECES = [*COMMON, "\n", "\t  ", "<s>", "</s>", "<unk>", "<0x41>", "▁", "ﬁ①"]
TEXT = awkward_text(*PIECES)


@pytest.fixture(params=["unigram", "bpe"])
def model(request: pytest.FixtureRequest) -> bytes:
    data: bytes = request.getfixturevalue(f"{request.param}_model")
    return data


@FIXED
@given(text=TEXT)
def test_ids_equal_those_of_sentencepiece(model: bytes, text: str) -> None:
    expected = sentencepiece.SentencePieceProcessor(model_proto=model).encode(text)
    found = open_sentencepiece(model, "x").encode(text)
    assert found.tolist() == expected
    assert found.dtype == np.int32


@pytest.mark.parametrize("kind", ["unigram", "bpe", "word", "char"])
def test_every_kind_of_model_opens(kind: str, train_sentencepiece) -> None:
    model = train_sentencepiece(kind, vocab_size=300, hard_vocab_limit=False)
    tokenizer = open_sentencepiece(model, "x")
    names = {"word": "words", "char": "characters"}
    assert tokenizer.kind == names.get(kind, kind)
    assert tokenizer.encode("the cat").tolist() == sentencepiece.SentencePieceProcessor(model_proto=model).encode(
        "the cat"
    )


def test_encode_batch_equals_encode(model: bytes) -> None:
    tokenizer = open_sentencepiece(model, "x")
    found = tokenizer.encode_batch(["", *PIECES])
    assert [ids.tolist() for ids in found] == [tokenizer.encode(text).tolist() for text in ["", *PIECES]]
    assert tokenizer.encode_batch([]) == []


def test_lone_surrogate_is_replaced(model: bytes) -> None:
    tokenizer = open_sentencepiece(model, "x")
    assert tokenizer.encode("a\ud800b").tolist() == tokenizer.encode("a\ufffdb").tolist()


def test_pieces_and_their_bytes_equal_sentencepieces(bpe_model: bytes) -> None:
    tokenizer = open_sentencepiece(bpe_model, "x")
    processor = sentencepiece.SentencePieceProcessor(model_proto=bpe_model)
    ids = range(len(tokenizer))
    assert (
        tokenizer.vocabulary == [tokenizer.token(number) for number in ids] == [processor.id_to_piece(i) for i in ids]
    )
    assert tokenizer.token_bytes(processor.piece_to_id("<0xE2>")) == b"\xe2"
    assert tokenizer.token_bytes(processor.piece_to_id("▁the")) == b" the"
    special = [processor.piece_to_id(piece) for piece in ("<unk>", "<s>", "</s>")]
    assert [tokenizer.token_bytes(number) for number in special] == [None, None, None]
    assert (tokenizer.unknown_id, sorted(tokenizer.special_ids)) == (special[0], special[1:])
    assert (tokenizer.unused_ids, tokenizer.json) == (frozenset(), None)


@FIXED
@given(text=TEXT)
def test_bytes_of_the_tokens_concatenate_to_the_text(bpe_model: bytes, text: str) -> None:
    # The model has a token for every byte; its only normalization is to trim and collapse spaces.
    tokenizer = open_sentencepiece(bpe_model, "x")
    found = b"".join(tokenizer.token_bytes(number) or b"?" for number in tokenizer.encode(text).tolist()).decode()
    processor = sentencepiece.SentencePieceProcessor(model_proto=bpe_model)
    assert found.replace("▁", " ") == processor.normalize(text).replace("▁", " ")


@pytest.mark.parametrize("number", [-1, 10**6])
def test_id_out_of_range_is_refused(model: bytes, number: int) -> None:
    for ask in (open_sentencepiece(model, "x").token, open_sentencepiece(model, "x").token_bytes):
        with pytest.raises(UsageError, match=f"token id {number} is out of range"):
            ask(number)


def test_offsets_locate_the_tokens_in_the_text(bpe_model: bytes, unigram_model: bytes) -> None:
    text = "the naïve 안"
    tokenizer = open_sentencepiece(bpe_model, "x")
    (found,) = tokenizer.encode_with_offsets([text])
    assert found.ids.tolist() == tokenizer.encode(text).tolist()
    pieces = dict(zip(found.tokens, [text[a:b] for a, b in found.offsets.tolist()], strict=True))
    assert pieces["▁the"] == "the"
    assert [pieces[f"<0x{byte:02X}>"] for byte in "안".encode()] == ["안"] * 3  # each byte token spans its character
    (found,) = open_sentencepiece(unigram_model, "x").encode_with_offsets(["the 안"])
    assert found.tokens[-1] == "안"  # unknown pieces are shown as in the text


def test_format_is_recognized_from_content(model: bytes, ranks_file: bytes) -> None:
    assert is_sentencepiece(model[:20])
    for start in (b"", b"\n", b"\n\n", b"\n" * 99, b"{}", ranks_file, b"\n\xff", b"\n\x05\n\x09hello"):
        assert not is_sentencepiece(start)


def test_truncated_file_error_names_the_byte(model: bytes) -> None:
    with pytest.raises(
        FileFormatError, match=r"^m: byte \d+: not a field of a message, or one that extends beyond its end"
    ):
        open_sentencepiece(model[:1000], "m")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "holds no pieces"),
        (b"\n\x03\n\x01a", "sentencepiece cannot open it"),
        (b"\n\x06\n\x01a\x15\x00", "byte 0"),
        (b"\x12\x02\x18\x09", "an unknown type of model (9)"),
        (b"\x12\x02\x1a\x09", "byte 2"),
    ],
)
def test_damaged_models_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=r"^m: ") as caught:
        open_sentencepiece(data, "m")
    assert message in str(caught.value)


def test_piece_that_sentencepiece_skips_is_refused(unigram_model: bytes) -> None:
    with pytest.raises(FileFormatError, match="m: has 401 pieces, of which sentencepiece reads 400"):
        open_sentencepiece(unigram_model + b"\x08\x01", "m")


@pytest.mark.parametrize("seed", range(20))
def test_mutated_models_give_a_tokenizer_or_a_rowspace_error(model: bytes, seed: int) -> None:
    drawn = random.Random(seed)
    data = bytearray(model)
    pieces = model.find(b"nmt_nfkc") if b"nmt_nfkc" in model else len(model)
    for _ in range(drawn.choice([1, 1, 3, 20])):
        data[drawn.randrange(pieces)] = drawn.randrange(256)
    if drawn.random() < 0.2:
        del data[drawn.randrange(len(data)) :]
    try:
        tokenizer = open_sentencepiece(bytes(data), "m")
        ids = tokenizer.encode("the naïve 안 cat")
    except RowspaceError:
        return
    assert all(0 <= number < len(tokenizer) for number in ids.tolist())


def test_missing_sentencepiece_error_gives_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[sentencepiece\]'"):
        open_sentencepiece(b"", "m")
