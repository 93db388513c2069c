"""Trained tokenizers are the library's own, give text back, and keep to what was asked for."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from rowspace.errors import UsageError
from rowspace.text import TokenizerOptions, train_tokenizer
from rowspace.text.training import train as module
from rowspace.text.training.train import LLAMA3_PATTERN

TEXTS = ["The lowest tower is lower than the newest tower.", "Don't slow down: 12345 slow towers!"] * 20
KINDS = ["bpe", "wordpiece", "unigram", "bytes", "chars"]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
AWKWARD = "a\n\n  b\t\r\n\0 e\u0301 👩‍👩‍👧 한국어 \u3000ﬁ </w> ##x ▁ Ġ"


def trained(tokens, texts=TEXTS, **options):
    return Tokenizer.from_str(train_tokenizer(iter(texts), TokenizerOptions(tokens, **options)))


@pytest.mark.parametrize("tokens", KINDS)
def test_ids_run_from_zero_and_there_are_no_more_than_asked_for(tokens):
    size = {} if tokens == "bytes" else {"vocabulary_size": 300}
    tokenizer = trained(tokens, **size)
    ids = tokenizer.get_vocab(with_added_tokens=True)
    assert sorted(ids.values()) == list(range(len(ids)))
    assert len(ids) <= 300


# parity: the tokenizers library, told by hand to train as GPT-2, BERT and SentencePiece did
def by_hand(tokens):
    if tokens == "bpe":
        library = Tokenizer(models.BPE())
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        library.decoder = decoders.ByteLevel()
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(
            vocab_size=300, min_frequency=5, initial_alphabet=alphabet, special_tokens=[], show_progress=False
        )
    elif tokens == "wordpiece":
        library = Tokenizer(models.WordPiece(unk_token="[UNK]"))  # noqa: S106
        library.normalizer = normalizers.BertNormalizer()
        library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        library.decoder = decoders.WordPiece()
        trainer = trainers.WordPieceTrainer(
            vocab_size=300, min_frequency=5, special_tokens=["[UNK]"], show_progress=False
        )
    else:
        library = Tokenizer(models.Unigram())
        spaces = normalizers.Replace(Regex(r"\s+"), " ")
        library.normalizer = normalizers.Sequence([normalizers.NFKC(), spaces, normalizers.Strip()])
        library.pre_tokenizer = pre_tokenizers.Metaspace()
        library.decoder = decoders.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=300,
            special_tokens=["[UNK]"],
            unk_token="[UNK]",  # noqa: S106
            show_progress=False,
        )
    library.train_from_iterator(TEXTS, trainer)
    return library


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram"])
def test_defaults_train_what_the_library_trains_by_hand(tokens):
    expected = by_hand(tokens)
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
def test_tokens_over_bytes_give_any_text_back(options, text):
    tokenizer = TRAINED.setdefault(str(options), trained(**options))
    assert tokenizer.decode(tokenizer.encode(text).ids, skip_special_tokens=False) == text


TRAINED: dict[str, Tokenizer] = {}


@given(text=ANY_TEXT)
@example(text=AWKWARD)
def test_an_id_of_bytes_is_the_byte(text):
    tokenizer = TRAINED.setdefault("bytes", trained("bytes"))
    assert tokenizer.encode(text).ids == list(text.encode())


def test_characters_are_counted_and_the_rarer_are_unknown():
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
def test_byte_pairs_over_characters_give_words_back(pretokenize):
    tokenizer = trained("bpe", pretokenize=pretokenize, min_frequency=2)
    assert tokenizer.decode(tokenizer.encode("slow lower tower").ids) == "slow lower tower"
    assert "[UNK]" in tokenizer.encode("slow €").tokens


def test_llama3_pattern_splits_as_its_authors_say():
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
def test_text_is_normalized_before(normalize, text, expected):
    tokenizer = trained("bytes", normalize=normalize)
    assert tokenizer.decode(tokenizer.encode(text).ids) == expected


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram", "chars"])
def test_special_tokens_come_first(tokens):
    tokenizer = trained(tokens, vocabulary_size=400, special=["[UNK]", "[PAD]"])
    assert [tokenizer.id_to_token(number) for number in (0, 1)] == ["[UNK]", "[PAD]"]
    assert tokenizer.get_added_tokens_decoder()[1].special
    assert tokenizer.encode("a[PAD]").ids[-1] == 1


def test_special_tokens_come_after_the_bytes():
    assert trained("bytes", special=["[PAD]"]).token_to_id("[PAD]") == 256


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram"])
@pytest.mark.parametrize("size", [1, 5, 12])
def test_a_vocabulary_without_room_for_the_characters_is_refused(tokens, size):
    with pytest.raises(UsageError, match=rf"vocabulary_size={size} has no room for the .* increase it"):
        trained(tokens, vocabulary_size=size)


@pytest.mark.parametrize("tokens", KINDS)
@pytest.mark.parametrize("texts", [[], [""], ["  "]])
def test_no_text_makes_a_small_tokenizer(tokens, texts):
    assert trained(tokens, texts).get_vocab_size() <= 257


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram", "chars"])
def test_a_word_without_end_is_trained_on_in_parts(tokens):
    tokenizer = trained(tokens, ["abcd" * 100_000])
    assert {"a", "b", "c", "d"} <= set(tokenizer.get_vocab())


def test_cutting_long_words_keeps_the_text():
    text = "x" * 2500 + " " + "y" * 999 + " " + "z" * 1000
    parts = list(module._divide([text, "short", ""]))
    assert "".join(parts) == text + "short"
    assert [len(part) for part in parts] == [1000, 1000, 2501, 0, 5, 0]


@pytest.mark.parametrize("tokens", ["bpe", "wordpiece", "unigram", "chars"])
def test_an_error_of_the_texts_comes_through(tokens):
    def texts():
        yield "some text"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        trained(tokens, texts())


def test_what_needs_no_training_is_refused():
    with pytest.raises(UsageError, match="tokens='words' need no training"):
        train_tokenizer([], TokenizerOptions())


@pytest.mark.parametrize(
    "options",
    [{"tokens": "bpe"}, {"tokens": "bpe", "pretokenize": "metaspace"}, {"tokens": "chars"}, {"tokens": "bytes"}],
)
def test_the_same_text_trains_the_same_tokenizer_where_it_is_said(options):
    options = TokenizerOptions(**options)
    assert options.repeats
    assert train_tokenizer(TEXTS, options) == train_tokenizer(TEXTS, options)


@pytest.mark.parametrize("options", [{"tokens": "wordpiece"}, {"tokens": "bpe", "pretokenize": "bert"}])
def test_where_it_is_not_said_it_may_differ(options):
    options = TokenizerOptions(**options)
    assert not options.repeats
    assert len({train_tokenizer(TEXTS, options) for _ in range(20)}) > 1
