"""Trained tokenizers equal the library's, decode to the text, and follow the options."""

import unicodedata

import pytest
from hypothesis import example, given, strategies as st
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from rowspace.errors import UsageError
from rowspace.text import TokenizerOptions, train_tokenizer
from rowspace.text.training import train as module
from rowspace.text.training.train import _RUNS, LLAMA3_PATTERN

TEXTS = ["The lowest tower is lower than the newest tower.", "Don't slow down: 12345 slow towers!"] * 20
KINDS = ["bpe", "wordpiece", "unigram", "bytes", "chars"]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
AWKWARD = "a\n\n  b\t\r\n\0 e\u0301 👩‍👩‍👧 한국어 \u3000ﬁ </w> ##x ▁ Ġ"


def trained(tokens, texts=TEXTS, **options):
    return Tokenizer.from_str(train_tokenizer(iter(texts), TokenizerOptions(tokens, **options)))


@pytest.mark.parametrize("tokens", KINDS)
def test_ids_are_contiguous_and_within_vocabulary_size(tokens):
    size = {} if tokens == "bytes" else {"vocabulary_size": 300}
    tokenizer = trained(tokens, **size)
    ids = tokenizer.get_vocab(with_added_tokens=True)
    assert sorted(ids.values()) == list(range(len(ids)))
    assert len(ids) <= 300


# Parity: the tokenizers library, configured by hand to train like GPT-2 and BERT.
def reference_tokenizer(tokens):
    if tokens == "bpe":
        library = Tokenizer(models.BPE())
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        library.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=300, min_frequency=5, initial_alphabet=alphabet, special_tokens=[], show_progress=False
        )
    else:
        library = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        library.normalizer = normalizers.BertNormalizer()
        library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        library.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(
            vocab_size=300, min_frequency=5, special_tokens=["[UNK]"], show_progress=False
        )
    library.train_from_iterator(TEXTS, trainer)
    return library


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece"])
def test_defaults_equal_the_library_configured_by_hand(tokens):
    expected = reference_tokenizer(tokens)
    found = trained(tokens, vocabulary_size=300)
    for text in [*TEXTS[:2], AWKWARD, ""]:
        assert found.encode(text).tokens == expected.encode(text).tokens
        assert found.decode(found.encode(text).ids) == expected.decode(expected.encode(text).ids)


@pytest.mark.parametrize(
    "options", [{"tokens": "bytes"}, {"tokens": "bpe"}, {"tokens": "bpe", "pretokenize": "llama3"}]
)
@given(text=ANY_TEXT)
@example(text=AWKWARD)
@example(text="")
def test_byte_level_tokens_decode_to_the_original_text(options, text):
    tokenizer = TRAINED.setdefault(str(options), trained(**options))
    assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


TRAINED: dict[str, Tokenizer] = {}


@given(text=ANY_TEXT)
@example(text=AWKWARD)
def test_ids_of_bytes_equal_the_byte_values(text):
    tokenizer = TRAINED.setdefault("bytes", trained("bytes"))
    assert tokenizer.encode(text).ids == list(text.encode())


def test_characters_rarer_than_min_frequency_are_unknown():
    tokenizer = trained("chars", ["aab", "aac\n", "b"], min_frequency=2)
    assert tokenizer.get_vocab() == {"[UNK]": 0, "a": 1, "b": 2}
    assert tokenizer.encode("abcz a").ids == [1, 2, 0, 0, 0, 1]
    assert tokenizer.decode([1, 2, 1]) == "aba"


def test_the_most_frequent_characters_fill_a_small_vocabulary():
    assert trained("chars", ["aaab bb c"], vocabulary_size=3, min_frequency=1).get_vocab() == {
        "[UNK]": 0,
        "a": 1,
        "b": 2,
    }


def test_characters_are_counted_after_normalization():
    assert set(trained("chars", ["ÀA a"], normalize="bert", min_frequency=1).get_vocab()) == {"[UNK]", "a", " "}


@pytest.mark.parametrize("pretokenize", ["bert", "whitespace", "metaspace"])
def test_character_level_bpe_decodes_to_the_original_words(pretokenize):
    tokenizer = trained("bpe", pretokenize=pretokenize, min_frequency=2)
    assert tokenizer.decode(tokenizer.encode("slow lower tower").ids) == "slow lower tower"
    assert "[UNK]" in tokenizer.encode("slow €").tokens


def test_llama3_pattern_splits_as_published():
    tokenizer = trained("bpe", pretokenize="llama3")
    parts = [part for part, _ in tokenizer.pre_tokenizer.pre_tokenize_str("I'LL pay 12345\n\n  (now)!")]
    assert parts == ["I", "'LL", "Ġpay", "Ġ", "123", "45", "ĊĊ", "Ġ", "Ġ(", "now", ")!"]
    assert LLAMA3_PATTERN.count("|") == 12


@pytest.mark.parametrize(
    ("normalize", "text", "expected"),
    [
        ("nfc", "e\u0301", "é"),
        ("nfkc", "ﬁ", "fi"),
        ("lower", "ÀB", "àb"),
        ("bert", "ÀB", "ab"),
        ("none", "À\u0301ﬁ", "À\u0301ﬁ"),
    ],
)
def test_normalize_option_is_applied(normalize, text, expected):
    tokenizer = trained("bytes", normalize=normalize)
    assert tokenizer.decode(tokenizer.encode(text).ids) == expected


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram", "chars"])
def test_special_tokens_get_the_first_ids(tokens):
    tokenizer = trained(tokens, vocabulary_size=400, special=["[UNK]", "[PAD]"])
    assert [tokenizer.id_to_token(number) for number in (0, 1)] == ["[UNK]", "[PAD]"]
    assert tokenizer.get_added_tokens_decoder()[1].special
    assert tokenizer.encode("a[PAD]").ids[-1] == 1


def test_special_tokens_follow_the_256_bytes():
    assert trained("bytes", special=["[PAD]"]).token_to_id("[PAD]") == 256


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("size", [1, 5, 12])
def test_vocabulary_size_too_small_for_the_characters_is_refused(tokens, size):
    with pytest.raises(UsageError, match=rf"vocabulary_size={size} has no room for the .* increase it"):
        trained(tokens, vocabulary_size=size)


@pytest.mark.parametrize("tokens", KINDS)
@pytest.mark.parametrize("texts", [[], [""], ["  "]])
def test_training_without_text_gives_a_small_tokenizer(tokens, texts):
    assert trained(tokens, texts).get_vocab_size() <= 257


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram", "chars"])
def test_very_long_word_is_split_for_training(tokens):
    tokenizer = trained(tokens, ["abcd" * 100_000])
    assert {"a", "b", "c", "d"} <= set(tokenizer.get_vocab())


def test_splitting_long_words_preserves_the_text():
    text = "x" * 2500 + " " + "y" * 999 + " " + "z" * 1000
    parts = list(module._divide([text, "short", ""]))
    assert "".join(parts) == text + "short"
    assert [len(part) for part in parts] == [1000, 1000, 2501, 0, 5, 0]


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram", "chars"])
def test_error_raised_by_the_texts_propagates(tokens):
    def texts():
        yield "some text"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        trained(tokens, texts())


def test_training_word_tokens_is_refused():
    with pytest.raises(UsageError, match="tokens='words' need no training"):
        train_tokenizer([], TokenizerOptions())


@pytest.mark.parametrize(
    "options",
    [{"tokens": "bpe"}, {"tokens": "bpe", "pretokenize": "metaspace"}, {"tokens": "chars"}, {"tokens": "bytes"}],
)
def test_training_is_deterministic_if_repeats_is_true(options):
    options = TokenizerOptions(**options)
    assert options.repeats
    assert train_tokenizer(TEXTS, options) == train_tokenizer(TEXTS, options)


@pytest.mark.parametrize("options", [{"tokens": "wordpiece"}, {"tokens": "bpe", "pretokenize": "bert"}])
def test_training_can_differ_if_repeats_is_false(options):
    options = TokenizerOptions(**options)
    assert not options.repeats
    assert len({train_tokenizer(TEXTS, options) for _ in range(20)}) > 1


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_pieces_do_not_mix_scripts_numbers_and_punctuation(kind):
    texts = [
        "(see, 'the class'), don't! C++ 2024年 我爱中国,你好中国。中国人abc",
        "привет,мир x=1; y=[2] — naïve カタカナです",
    ] * 40
    options = TokenizerOptions(kind, pretokenize="metaspace", vocabulary_size=150)
    tokenizer = Tokenizer.from_str(train_tokenizer(texts, options))
    for piece in tokenizer.get_vocab().keys() - {"[UNK]"}:
        assert len({_kind_of(character) for character in piece.removeprefix("▁")}) <= 1, piece
    joined = [tokenizer.encode(text).tokens for text in texts[:2]]
    runs = pre_tokenizers.Split(Regex(_RUNS), "isolated")
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), runs])
    assert joined == [tokenizer.encode(text).tokens for text in texts[:2]]


def _kind_of(character):
    name = unicodedata.name(character)
    if character.isnumeric() or not character.isalpha():
        return "number" if character.isnumeric() and "CJK" not in name else "other" if "CJK" not in name else "CJK"
    return {"HIRAGANA": "CJK", "KATAKANA": "CJK"}.get(name.split()[0], name.split()[0])
