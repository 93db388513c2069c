import json
from collections import Counter
from functools import cache
from pydoc_data.topics import topics

import pytest
from hypothesis import given, strategies as st
from tokenizers import AddedToken, Tokenizer, models, pre_tokenizers, processors, trainers

from rowspace.errors import UsageError
from rowspace.text import (
    SplitToken,
    minimum_size,
    split_tokens,
    tokenize_at_sizes,
    truncate_counts,
    truncate_vocabulary,
)
from rowspace.text.tokenizers.tiktoken_reader import open_ranks

LINES = "\n".join(topics.values()).split("\n")
AWKWARD = ["", "a", " ", "🙂 class", "안녕하세요", "e\u0301 é", "a\0b", "x" * 3000, "\ud800 a", "the [MASK] class"]

UNKNOWN = {"unk_token": "[UNK]"}


@cache
def trained(kind: str, size: int) -> Tokenizer:
    """Return a tokenizer trained by the `tokenizers` library to this vocabulary size."""
    options = {"vocab_size": size, "show_progress": False, "special_tokens": ["[UNK]", "[MASK]"]}
    model, trainer = {
        "bytes": (models.BPE(), trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)),
        "bpe": (models.BPE(**UNKNOWN), trainers.BpeTrainer(**options)),
        "prefix": (
            models.BPE(**UNKNOWN, continuing_subword_prefix="##"),
            trainers.BpeTrainer(continuing_subword_prefix="##", **options),
        ),
        "wordpiece": (models.WordPiece(**UNKNOWN), trainers.WordPieceTrainer(**options)),
        "unigram": (models.Unigram(), trainers.UnigramTrainer(**UNKNOWN, **options)),
        "words": (models.WordLevel(**UNKNOWN), trainers.WordLevelTrainer(**options)),
    }[kind]
    library = Tokenizer(model)
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.pre_tokenizer = byte_level if kind == "bytes" else pre_tokenizers.Whitespace()
    library.train_from_iterator(LINES, trainer)
    return library


def ordered(library: Tokenizer) -> list[str]:
    vocabulary = library.get_vocab(with_added_tokens=True)
    return sorted(vocabulary, key=vocabulary.__getitem__)


@pytest.mark.parametrize("kind", ["bytes", "bpe", "words"])
def test_truncated_vocabulary_equals_training_to_that_size(kind: str) -> None:
    # Parity with the `tokenizers` library, trained to the smaller size. Where tokens inside a word have a prefix, the
    # library numbers them in a different order each time, which changes how it breaks ties.
    cut, small = truncate_vocabulary(trained(kind, 700), 420), trained(kind, 420)
    assert ordered(cut) == ordered(small)
    for text in [*LINES[:300], *AWKWARD[:-2]]:
        assert cut.encode(text).ids == small.encode(text).ids


@pytest.mark.parametrize("kind", ["bytes", "bpe", "prefix", "wordpiece", "unigram", "words"])
@pytest.mark.parametrize("text", AWKWARD)
def test_full_size_gives_the_original_tokens(kind: str, text: str) -> None:
    library = trained(kind, 700)
    size = library.get_vocab_size()
    encoding = library.encode(text.replace("\ud800", "�"), add_special_tokens=False)
    expected = [SplitToken(token, number) for token, number in zip(encoding.tokens, encoding.ids, strict=True)]
    assert split_tokens(text, library) == tokenize_at_sizes(text, library, [size])[size] == expected


@pytest.mark.parametrize("kind", ["wordpiece", "words"])
def test_truncation_keeps_the_first_tokens(kind: str) -> None:
    library = trained(kind, 700)
    assert ordered(truncate_vocabulary(library, 420)) == ordered(library)[:420]
    last = Tokenizer(models.WordPiece({"a": 0, "b": 1, "c": 2, "[UNK]": 3}, **UNKNOWN))
    assert ordered(truncate_vocabulary(last, 3)) == ["a", "b", "[UNK]"]


def test_unigram_keeps_the_best_pieces() -> None:
    library = trained("unigram", 700)
    scores = dict(json.loads(library.to_str())["model"]["vocab"])
    cut = truncate_vocabulary(library, 300)
    kept, gone = set(cut.get_vocab()), set(library.get_vocab()) - set(cut.get_vocab())
    assert len(kept) == 300
    assert {piece for piece in scores if len(piece) == 1} | {"[UNK]", "[MASK]"} <= kept
    best_gone = max(scores[piece] for piece in gone)
    assert all(scores[piece] >= best_gone for piece in kept if len(piece) > 1)
    assert cut.encode("ⱷ").tokens == ["ⱷ"]
    assert cut.encode("ⱷ").ids == [cut.token_to_id("[UNK]")]


@given(text=st.text("theclas fr.", max_size=40))
def test_tokenize_at_sizes_returns_ids_of_the_full_vocabulary(text: str) -> None:
    library = trained("bytes", 700)
    for pieces in tokenize_at_sizes(text, library, [300, 500]).values():
        assert [library.id_to_token(piece.id) for piece in pieces] == [piece.token for piece in pieces]
        assert "".join(piece.token for piece in pieces) == text.replace(" ", "Ġ")


def test_smaller_vocabularies_split_into_more_tokens() -> None:
    sizes = tokenize_at_sizes("statement", trained("bpe", 700), [200, 400, 700])
    lengths = [len(pieces) for pieces in sizes.values()]
    assert list(sizes) == [200, 400, 700]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]


@pytest.mark.parametrize("kind", ["bytes", "bpe", "prefix", "words"])
def test_truncate_counts_equals_counting_again(kind: str) -> None:
    library = trained(kind, 700)

    def counted(by: Tokenizer) -> Counter[str]:
        return Counter(token for line in LINES for token in by.encode(line).tokens)

    known = counted(library)
    for size in (420, 600, 700):
        cut = truncate_counts(library, known, size)
        assert cut is not None
        assert Counter(cut) == counted(truncate_vocabulary(library, size))


def test_truncate_counts_is_none_if_counts_cannot_be_derived() -> None:
    assert truncate_counts(trained("unigram", 700), {"a": 1}, 300) is None
    two_ways = {"a": 0, "b": 1, "ab": 2, "ba": 3, "aba": 4}
    merges = [("a", "b"), ("b", "a"), ("ab", "a"), ("a", "ba")]
    assert truncate_counts(Tokenizer(models.BPE(two_ways, merges)), {"aba": 1}, 4) is None


def test_tokenize_at_sizes_adds_counts_of_merged_tokens() -> None:
    library = Tokenizer(models.BPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]))
    sizes = tokenize_at_sizes("abb", library, [2, 3], counts={"ab": 7, "b": 1})
    assert sizes[2] == [SplitToken("a", 0, 7), SplitToken("b", 1, 8), SplitToken("b", 1, 8)]


def test_merges_of_removed_tokens_are_removed() -> None:
    # Merges out of training order: the merge of "abc" remains, but its part "bc" is removed.
    vocabulary = {"a": 0, "b": 1, "c": 2, "abc": 3, "bc": 4}
    library = Tokenizer(models.BPE(vocabulary, [("a", "bc"), ("b", "c")]))
    assert truncate_vocabulary(library, 4).encode("abc").tokens == ["a", "b", "c"]
    assert library.encode("abc").tokens == ["abc"]


def test_added_tokens_are_kept_and_count_towards_the_size() -> None:
    library = Tokenizer.from_str(trained("wordpiece", 700).to_str())
    library.add_tokens([AddedToken("two words")])
    library.add_special_tokens(["<pad>"])
    library.enable_padding(length=9)
    library.enable_truncation(2)
    library.post_processor = processors.TemplateProcessing(single="[MASK] $A", special_tokens=[("[MASK]", 1)])
    cut = truncate_vocabulary(library, 300)
    assert cut.get_vocab_size() == 300
    assert sorted(cut.get_vocab().values()) == list(range(300))
    assert cut.encode("two words<pad>").tokens == ["two words", "<pad>"]
    assert [piece.token for piece in split_tokens("two words<pad>the", library)] == ["two words", "<pad>", "the"]


@pytest.mark.parametrize(
    ("kind", "size", "message"),
    [
        ("bpe", 701, "701 tokens is larger than this tokenizer.s, which has 700"),
        ("bpe", 5, "too small: [0-9]+ tokens that no merge makes always stay"),
        ("unigram", 5, "too small: [0-9]+ single characters and special tokens always stay"),
        ("wordpiece", 1, "too small: 2 special tokens always stay"),
        ("words", -1, "too small"),
    ],
)
def test_impossible_sizes_are_refused(kind: str, size: int, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        truncate_vocabulary(trained(kind, 700), size)


@pytest.mark.parametrize("kind", ["bytes", "bpe", "prefix", "wordpiece", "unigram", "words"])
def test_minimum_size_is_the_smallest_allowed_size(kind: str) -> None:
    library = Tokenizer.from_str(trained(kind, 700).to_str())
    library.add_tokens([AddedToken("two words")])
    least = minimum_size(library)
    assert truncate_vocabulary(library, least).get_vocab_size() == least
    with pytest.raises(UsageError, match=f"too small: {least} "):
        truncate_vocabulary(library, least - 1)


def test_truncation_needs_a_tokenizer_json(ranks_file: bytes) -> None:
    tokenizer = open_ranks(ranks_file, "x", pattern="gpt2")
    for call in (
        lambda: truncate_vocabulary(tokenizer, 300),
        lambda: tokenize_at_sizes("a", tokenizer, [300]),
        lambda: truncate_counts(tokenizer, {}, 300),
    ):
        with pytest.raises(UsageError, match=r"^a smaller vocabulary needs a tokenizer\.json, and this tok"):
            call()
