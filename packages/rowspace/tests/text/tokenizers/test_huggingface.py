import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.text.tokenizers.awkward_text import FIXED, PIECES as COMMON, awkward_text
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from rowspace.errors import FileFormatError, UsageError
from rowspace.text import whitespace_json
from rowspace.text.tokenizers.huggingface import HuggingFaceTokenizer, as_tokenizer, require_huggingface

PIECES = [*COMMON, "<|endoftext|>", "[MASK]", "<unk>"]
TEXT = awkward_text(*PIECES)


def byte_level(lines: list[str]) -> Tokenizer:
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    special = ["<|endoftext|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=alphabet, special_tokens=special, show_progress=False
    )
    made.train_from_iterator(lines, trainer)
    return made


def wordpiece(lines: list[str]) -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer()
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[MASK]"]
    made.train_from_iterator(
        lines, trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    )
    return made


def unigram(lines: list[str]) -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    trainer = trainers.UnigramTrainer(vocab_size=300, unk_token="<unk>", special_tokens=["<unk>"], show_progress=False)
    made.train_from_iterator(lines, trainer)
    return made


KINDS = {"bpe": byte_level, "wordpiece": wordpiece, "unigram": unigram}


@pytest.fixture(scope="module", params=KINDS)
def library(request: pytest.FixtureRequest, english: Path) -> Tokenizer:
    build: Callable[[list[str]], Tokenizer] = KINDS[request.param]
    return build(english.read_text(encoding="utf-8")[:50_000].split("\n"))


@FIXED
@given(text=TEXT)
def test_ids_equal_the_librarys(library: Tokenizer, text: str) -> None:
    found = HuggingFaceTokenizer.from_json(library.to_str(), "x").encode(text)
    assert found.tolist() == library.encode(text, add_special_tokens=False).ids
    assert found.dtype == np.int32


@FIXED
@given(text=TEXT)
def test_offsets_equal_the_librarys(library: Tokenizer, text: str) -> None:
    (found,) = as_tokenizer(library).encode_with_offsets([text])
    expected = library.encode(text, add_special_tokens=False)
    assert (found.ids.tolist(), found.tokens) == (expected.ids, expected.tokens)
    assert [tuple(place) for place in found.offsets.tolist()] == expected.offsets


def test_encode_batch_equals_encode(library: Tokenizer) -> None:
    tokenizer = as_tokenizer(library)
    found = tokenizer.encode_batch(["", *PIECES])
    assert [ids.tolist() for ids in found] == [tokenizer.encode(text).tolist() for text in ["", *PIECES]]
    assert tokenizer.encode_batch([]) == []


def test_vocabulary_equals_the_librarys(library: Tokenizer) -> None:
    tokenizer = as_tokenizer(library)
    ids = library.get_vocab(with_added_tokens=True)
    assert {token: number for number, token in enumerate(tokenizer.vocabulary)} == ids
    assert len(tokenizer) == len(ids)
    assert KINDS[tokenizer.kind]


def test_json_is_kept_unchanged(library: Tokenizer) -> None:
    text = library.to_str(pretty=True)
    assert HuggingFaceTokenizer.from_json(text, "x").json == text
    assert json.loads(as_tokenizer(library).json) == json.loads(text)


def test_bytes_of_byte_level_tokens_concatenate_to_the_text(english: Path) -> None:
    tokenizer = as_tokenizer(byte_level(english.read_text(encoding="utf-8")[:50_000].split("\n")))
    text = "the naïve 안녕 👩‍👩‍👧\n"
    assert b"".join(tokenizer.token_bytes(number) or b"" for number in tokenizer.encode(text).tolist()) == text.encode()
    assert tokenizer.token_bytes(tokenizer.encode("<|endoftext|>")[0]) is None


def test_truncation_and_padding_are_removed_from_a_copy(library: Tokenizer) -> None:
    cut = Tokenizer.from_str(library.to_str())
    cut.enable_truncation(3)
    cut.enable_padding(length=50)
    text = "the cat sat on the mat of the cat"
    assert as_tokenizer(cut).encode(text).tolist() == library.encode(text, add_special_tokens=False).ids
    assert cut.truncation is not None  # the argument is not modified


def llama() -> Tokenizer:
    """Return a tokenizer like Llama 2's: spaces are replaced, and bytes are tokens."""
    pieces = ["<unk>", "<0xE2>", "▁", "a", "▁a"]
    made = Tokenizer(
        models.BPE(dict(zip(pieces, range(5), strict=True)), [("▁", "a")], unk_token="<unk>", byte_fallback=True)
    )
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return made


def t5() -> Tokenizer:
    """Return a tokenizer like T5's: the pre-tokenizer marks spaces."""
    made = Tokenizer(models.Unigram([("<unk>", 0.0), ("▁a", -1.0), ("b", -2.0)], 0))
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    return made


def suffixed() -> Tokenizer:
    """Return a tokenizer like CLIP's: a suffix marks the end of a word."""
    return Tokenizer(models.BPE({"a": 0, "a</w>": 1, "b": 2}, [], end_of_word_suffix="</w>"))


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (llama, [None, b"\xe2", b" ", b"a", b" a"]),
        (t5, [None, b" a", b"b"]),
        (suffixed, [b"a", b"a ", b"b"]),
        (lambda: Tokenizer(models.WordPiece({"[UNK]": 0, "un": 1, "##do": 2})), [None, b"un", b"do"]),
        (lambda: Tokenizer(models.WordLevel({"é": 0, "[UNK]": 1}, unk_token="[UNK]")), ["é".encode(), None]),
    ],
)
def test_token_bytes_of_each_kind_of_tokenizer(make: Callable[[], Tokenizer], expected: list[bytes | None]) -> None:
    tokenizer = as_tokenizer(make())
    assert [tokenizer.token_bytes(number) for number in range(len(tokenizer))] == expected


def test_added_tokens_have_bytes_unless_they_are_special() -> None:
    made = Tokenizer(models.WordPiece({"[UNK]": 0}))
    made.add_tokens(["##x"])
    made.add_special_tokens([AddedToken("[MASK]", special=True)])
    tokenizer = as_tokenizer(made)
    assert (tokenizer.token_bytes(1), tokenizer.token_bytes(2), tokenizer.special_ids) == (b"##x", None, {2})


def test_ids_without_a_token_get_a_placeholder() -> None:
    tokenizer = as_tokenizer(Tokenizer(models.WordLevel({"a": 0, "b": 3}, unk_token="?")))
    assert tokenizer.vocabulary == ["a", "[id 1 has no token]", "[id 2 has no token]", "b"]
    assert (tokenizer.token_bytes(1), sorted(tokenizer.unused_ids), tokenizer.unknown_id) == (None, [1, 2], None)
    for number in (-1, 4):
        with pytest.raises(UsageError, match=f"token id {number} is out of range for a tokenizer of 4 ids"):
            tokenizer.token(number)


def test_empty_token_is_kept() -> None:
    tokenizer = as_tokenizer(Tokenizer(models.WordLevel({"": 0, "b": 1}, unk_token="b")))
    assert tokenizer.vocabulary == ["", "b"]


def test_text_that_cannot_be_encoded_is_refused() -> None:
    tokenizer = as_tokenizer(Tokenizer(models.WordLevel({"a": 0}, unk_token="?")))
    for ask in (tokenizer.encode_batch, tokenizer.encode_with_offsets):
        with pytest.raises(UsageError, match=r"the tokenizer fails on this text .*give it an unknown token"):
            ask(["b"])
        with pytest.raises(UsageError, match=r"texts must be strings, but text 1 is a NoneType"):
            ask(["a", None])


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"model": {"type": "Magic"}}'])
def test_json_that_is_not_a_tokenizer_is_refused(text: str) -> None:
    with pytest.raises(FileFormatError, match=r"^t\.json: does not open as a tokenizer"):
        HuggingFaceTokenizer.from_json(text, "t.json")


def test_implausibly_large_ids_are_refused() -> None:
    # The JSON is edited as text because the library would iterate over all ids in between.
    text = Tokenizer(models.WordLevel({"a": 0, "b": 1}, unk_token="b")).to_str().replace('"a":0', '"a":2000000000')
    with pytest.raises(FileFormatError, match="has ids up to 2000000000 for 2 tokens"):
        HuggingFaceTokenizer.from_json(text, "x")


WHOLE = whitespace_json(["the", "cat"])


@given(st.integers(0, len(WHOLE) - 1), st.text('"{}[],:0123456789abnull', max_size=4), st.integers(0, 5))
def test_mutated_json_gives_a_tokenizer_or_a_rowspace_error(place: int, put: str, gone: int) -> None:
    try:
        tokenizer = HuggingFaceTokenizer.from_json(WHOLE[:place] + put + WHOLE[place + gone :], "x")
        tokenizer.encode("the cat naïve")
    except (FileFormatError, UsageError):
        return
    assert len(tokenizer.vocabulary) == len(tokenizer)


def test_conversions_return_the_same_object_if_possible() -> None:
    made = Tokenizer(models.WordLevel({"a": 0}, unk_token="a"))
    assert require_huggingface(made, "this") is made
    assert require_huggingface(HuggingFaceTokenizer(made), "this") is made
    assert as_tokenizer(wrapped := HuggingFaceTokenizer(made)) is wrapped


def test_merges_that_contradict_the_vocabulary_are_refused_before_the_library_panics(
    capfd: pytest.CaptureFixture[str],
) -> None:
    def text(vocabulary: list[str], merges: list[object], **model: str) -> str:
        document = json.loads(Tokenizer(models.BPE()).to_str())
        ids = {token: number for number, token in enumerate(vocabulary)}
        document["model"] |= {"vocab": ids, "merges": merges} | model
        return json.dumps(document)

    marked = {"continuing_subword_prefix": "##"}
    for wrong, why in (
        (text(["a", "b"], [["a", "b"]]), r"merge 0 of 'a' and 'b' contradicts the vocabulary: 'ab' is not in it"),
        (text(["a", "b", "ab"], ["a b", "ab c"]), r"merge 1 of 'ab' and 'c' .*: 'abc' is not in it"),
        (text(["a", "b", "a"], [["a", "b"]], **marked), r"'b' does not begin with '##'|'a' is not in it"),
        (text(["aa", "b"], [["aa", "b"]], end_of_word_suffix="</w>"), r"'aab' is not in it"),
    ):
        with pytest.raises(FileFormatError, match=why):
            HuggingFaceTokenizer.from_json(wrong, "file")
    assert capfd.readouterr().err == ""  # Rust would print a panic here
    right = HuggingFaceTokenizer.from_json(text(["a", "##b", "ab"], [["a", "##b"]], **marked), "file")
    assert right.encode("ab").tolist() == [2]
