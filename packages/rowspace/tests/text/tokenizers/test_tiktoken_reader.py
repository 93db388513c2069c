import hashlib
import random
import sys
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from tests.text.tokenizers.awkward_text import FIXED, PIECES as COMMON, awkward_text
from tiktoken import _educational
from tiktoken_ext import openai_public

from rowspace.errors import FileFormatError, MissingExtraError, RowspaceError, UsageError
from rowspace.text.tokenizers.tiktoken_encodings import ENCODINGS, PublishedEncoding
from rowspace.text.tokenizers.tiktoken_reader import TiktokenTokenizer, open_encoding, open_ranks

PIECES = [*COMMON, "<|endoftext|>", "<|x|>", "'ll", "1234"]
TEXT = awkward_text(*PIECES)


@pytest.fixture(scope="module")
def theirs(tiny_ranks: dict[bytes, int], words_pattern: str) -> tiktoken.Encoding:
    return tiktoken.Encoding("x", pat_str=words_pattern, mergeable_ranks=tiny_ranks, special_tokens={})


@pytest.fixture(scope="module")
def ours(ranks_file: bytes) -> TiktokenTokenizer:
    return open_ranks(ranks_file, "tiny.tiktoken", pattern="gpt2")


@FIXED
@given(text=TEXT)
def test_ids_equal_those_of_tiktoken(ours: TiktokenTokenizer, theirs: tiktoken.Encoding, text: str) -> None:
    found = ours.encode(text)
    assert found.tolist() == theirs.encode_ordinary(text)
    assert found.dtype == np.int32


@FIXED
@given(text=TEXT)
def test_ids_equal_those_of_tiktokens_educational_module(
    ours: TiktokenTokenizer, tiny_ranks: dict[bytes, int], words_pattern: str, text: str
) -> None:
    # A second reference, in pure Python: tiktoken._educational.
    slow = _educational.SimpleBytePairEncoding(pat_str=words_pattern, mergeable_ranks=tiny_ranks)
    assert ours.encode(text).tolist() == slow.encode(text, visualise=None)


@FIXED
@given(text=TEXT)
def test_bytes_of_the_tokens_concatenate_to_the_text(ours: TiktokenTokenizer, text: str) -> None:
    assert b"".join(ours.token_bytes(number) or b"" for number in ours.encode(text).tolist()) == text.encode()


@FIXED
@given(text=TEXT)
def test_offsets_equal_those_of_tiktoken(ours: TiktokenTokenizer, theirs: tiktoken.Encoding, text: str) -> None:
    (found,) = ours.encode_with_offsets([text])
    assert found.ids.tolist() == ours.encode(text).tolist()
    assert found.offsets.shape == (len(found.ids), 2)
    _, starts = theirs.decode_with_offsets(found.ids.tolist())  # computed by tiktoken
    assert found.offsets[:, 0].tolist() == starts
    for token, number, (begin, end) in zip(found.tokens, found.ids.tolist(), found.offsets.tolist(), strict=True):
        assert (ours.token_bytes(number) or b"") in text[begin:end].encode()
        assert token == ours.token(number)


def test_text_that_the_pattern_skips_has_no_tokens(ranks_file: bytes) -> None:
    tokenizer = open_ranks(ranks_file, "x", pattern="[a-z]+")
    text = "é the 안 the!"
    (found,) = tokenizer.encode_with_offsets([text])
    assert "".join(text[begin:end] for begin, end in found.offsets.tolist()) == "thethe"
    assert (found.offsets.min(), found.offsets.max()) == (2, 11)
    assert found.ids.tolist() == tokenizer.encode(text).tolist()


@pytest.mark.parametrize("pattern", [r"\h", r"\x{61}"])
def test_pattern_with_another_meaning_in_python_is_refused(ranks_file: bytes, pattern: str) -> None:
    tokenizer = open_ranks(ranks_file, "x", pattern=pattern)
    with pytest.raises(UsageError, match="means something else in tiktoken"):
        tokenizer.words("abc 123")


def test_encode_batch_equals_encode(ours: TiktokenTokenizer) -> None:
    found = ours.encode_batch(["", *PIECES])
    assert [ids.tolist() for ids in found] == [ours.encode(text).tolist() for text in ["", *PIECES]]
    assert ours.encode_batch([]) == []


def test_lone_surrogate_is_replaced(ours: TiktokenTokenizer) -> None:
    assert ours.encode("a\ud800b").tolist() == ours.encode("a\ufffdb").tolist()


def test_properties_and_token_text(ours: TiktokenTokenizer, tiny_ranks: dict[bytes, int]) -> None:
    assert (ours.kind, ours.json, ours.unknown_id, len(ours)) == ("bpe", None, None, len(tiny_ranks))
    assert ours.token(tiny_ranks[b" the"]) == " the"
    assert ours.token(tiny_ranks[b"\xec"]) == "<0xEC>"
    assert ours.token_bytes(tiny_ranks[b"\xec"]) == b"\xec"


@pytest.mark.parametrize("number", [-1, 10**6])
def test_id_out_of_range_is_refused(ours: TiktokenTokenizer, number: int) -> None:
    for ask in (ours.token, ours.token_bytes):
        with pytest.raises(UsageError, match=f"token id {number} is out of range"):
            ask(number)


def test_id_without_a_token_gets_a_placeholder(ranks_file: bytes) -> None:
    tokenizer = open_ranks(ranks_file + b"enp6enp6 500\n", "x", pattern="gpt2")
    assert (len(tokenizer), tokenizer.token(500), tokenizer.token(499)) == (501, "zzzzzz", "[id 499 has no token]")
    assert tokenizer.token_bytes(499) is None
    assert tokenizer.unused_ids == set(range(400, 500))


def test_pattern_can_be_an_encoding_name_or_a_regular_expression(
    ranks_file: bytes, ours: TiktokenTokenizer, words_pattern: str
) -> None:
    written = open_ranks(ranks_file, "x", pattern=words_pattern)
    other = open_ranks(ranks_file, "x", pattern="cl100k_base")
    text = "it's 12345 THE'S\n\n  x"
    assert written.encode(text).tolist() == ours.encode(text).tolist() != other.encode(text).tolist()


def test_default_pattern_gives_a_warning(ranks_file: bytes) -> None:
    with pytest.warns(UserWarning, match=r"tiny\.tiktoken: holds ranks only.*pattern of cl100k_base"):
        tokenizer = open_ranks(ranks_file, "tiny.tiktoken")
    assert (
        tokenizer.encode("12345").tolist()
        == open_ranks(ranks_file, "x", pattern="cl100k_base").encode("12345").tolist()
    )


@pytest.mark.parametrize(
    ("pattern", "message"), [("cl100k_bas", "one of gpt2, r50k_base"), ("(", "not a regular expression")]
)
def test_invalid_pattern_is_refused(ranks_file: bytes, pattern: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_ranks(ranks_file, "x", pattern=pattern)


@pytest.fixture
def tiny_encoding(ranks_file: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of an encoding with data in tiktoken's cache."""
    digest = hashlib.sha256(ranks_file).hexdigest()
    published = PublishedEncoding(
        openai_public.r50k_pat_str, {"<|endoftext|>": 450}, "https://example.invalid/tiny", digest
    )
    monkeypatch.setitem(ENCODINGS, "tiny1k_base", published)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    name = hashlib.sha1(b"https://example.invalid/tiny", usedforsecurity=False).hexdigest()
    (tmp_path / name).write_bytes(ranks_file)
    return "tiny1k_base"


@FIXED
@given(text=TEXT)
def test_ids_of_a_named_encoding_equal_tiktokens(tiny_encoding: str, text: str) -> None:
    published = ENCODINGS[tiny_encoding]
    ranks = tiktoken.load.load_tiktoken_bpe(published.url, published.sha256)  # read from the cache
    theirs = tiktoken.Encoding(
        tiny_encoding, pat_str=published.pattern, mergeable_ranks=ranks, special_tokens=dict(published.special_tokens)
    )
    assert open_encoding(tiny_encoding).encode(text).tolist() == theirs.encode_ordinary(text)


def test_special_tokens_of_an_encoding_are_not_encoded_from_text(tiny_encoding: str) -> None:
    tokenizer = open_encoding(tiny_encoding)
    assert (len(tokenizer), tokenizer.token(450), tokenizer.token_bytes(450)) == (451, "<|endoftext|>", None)
    assert tokenizer.special_ids == {450}
    assert 450 not in tokenizer.encode("<|endoftext|>")


def test_ranks_of_a_known_encoding_are_recognized(tiny_encoding: str, ranks_file: bytes) -> None:
    tokenizer = open_ranks(ranks_file, "x")  # does not warn
    assert len(tokenizer) == len(open_ranks(ranks_file, "x", pattern=tiny_encoding)) == 451
    assert len(open_ranks(ranks_file, "x", pattern="gpt2")) == 400  # another pattern makes it another tokenizer
    assert tokenizer.encode("it's 12345").tolist() == open_encoding(tiny_encoding).encode("it's 12345").tolist()


@pytest.mark.parametrize("seed", range(20))
def test_mutated_files_give_a_tokenizer_or_a_rowspace_error(ranks_file: bytes, seed: int) -> None:
    drawn = random.Random(seed)
    data = bytearray(ranks_file)
    for _ in range(drawn.choice([1, 1, 3])):
        data[drawn.randrange(len(data))] = drawn.choice(b"\n 0123456789=ABCz\xff")
    try:
        tokenizer = open_ranks(bytes(data), "x", pattern="gpt2")
    except RowspaceError:
        return
    assert (
        b"".join(tokenizer.token_bytes(i) or b"" for i in tokenizer.encode("the naïve 안").tolist())
        == "the naïve 안".encode()
    )


# The first pattern backtracks for too long, the second matches the empty string.
@pytest.mark.parametrize("pattern", [r"(?=(a|aa)+$)(?!.*b\1)x", "[0-9]*"])
def test_text_on_which_the_pattern_fails_is_refused(ranks_file: bytes, pattern: str) -> None:
    tokenizer = open_ranks(ranks_file, "x", pattern=pattern)
    with pytest.raises(UsageError, match=r"the tokenizer fails on this text \(.*\); check its pattern"):
        tokenizer.encode("a" * 5000)


def test_missing_tiktoken_error_gives_the_install_command(ranks_file: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiktoken", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[tiktoken\]'"):
        open_ranks(ranks_file, "x")


def test_damaged_file_is_named_in_the_error(ranks_file: bytes) -> None:
    with pytest.raises(FileFormatError, match=r"^tiny: line 2: "):
        open_ranks(ranks_file.replace(b"\n", b"\n!", 1), "tiny")
