"""`TokenizerOptions`: defaults of each kind of tokens, and refused combinations."""

import json

import pytest

from rowspace.errors import UsageError
from rowspace.text import TokenizerOptions


def test_default_is_words_without_options():
    options = TokenizerOptions()
    assert (options.is_words, options.is_trained, options.reads_text) == (True, False, False)
    assert options.settings() == {"tokens": "words"}


@pytest.mark.parametrize(
    ("options", "special", "unknown"),
    [
        ({"tokens": "bpe"}, [], None),
        ({"tokens": "bpe", "pretokenize": "llama3", "special": ["<|end|>"]}, ["<|end|>"], None),
        ({"tokens": "bpe", "pretokenize": "whitespace"}, ["[UNK]"], "[UNK]"),
        ({"tokens": "wordpiece", "special": ["[PAD]", "[UNK]"]}, ["[PAD]", "[UNK]"], "[UNK]"),
        ({"tokens": "unigram", "special": ["<s>", "<unk>"]}, ["<s>", "<unk>"], "<unk>"),
        ({"tokens": "unigram", "special": ["<s>"]}, ["[UNK]", "<s>"], "[UNK]"),
        ({"tokens": "bytes", "special": ["[UNK]"]}, ["[UNK]"], None),
        ({"tokens": "chars"}, ["[UNK]"], "[UNK]"),
    ],
)
def test_unknown_token_exists_if_text_can_be_unknown(options, special, unknown):
    made = TokenizerOptions(**options)
    assert made.special_tokens == special
    assert made.unknown_token == unknown


@pytest.mark.parametrize("tokens", ["words", "bpe", "wordpiece", "unigram", "bytes", "chars"])
def test_settings_round_trip(tokens):
    options = TokenizerOptions(tokens, special=["<s>"] if tokens != "words" else None)
    assert TokenizerOptions(**json.loads(json.dumps(options.settings()))) == options


def test_path_is_stored_as_a_string(tmp_path):
    options = TokenizerOptions(tmp_path)
    assert options.tokens == str(tmp_path)
    assert options.is_trained is False
    assert options == TokenizerOptions(str(tmp_path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tokens": "bep"}, "tokens must be one of words, .*not 'bep'; did you mean bpe?"),
        ({"tokens": ""}, "tokens must be one of"),
        ({"tokens": "x" * 300}, "tokens must be one of"),
        ({"tokens": None}, "tokens must be one of"),
        ({"tokens": "bpe", "vocabulary_size": 0}, "vocabulary_size must be a whole number from 1 to 2,000,000, not 0"),
        ({"tokens": "bpe", "vocabulary_size": True}, "vocabulary_size must be"),
        ({"tokens": "bpe", "min_frequency": 1.5}, "min_frequency must be"),
        ({"tokens": "bpe", "normalize": "NFD"}, "normalize must be one of none, nfc, nfkc, lower, bert with tokens="),
        ({"tokens": "unigram", "pretokenize": "gpt2"}, "pretokenize must be one of metaspace with tokens='unigram'"),
        ({"tokens": "chars", "pretokenize": "bert"}, "pretokenize has no meaning with tokens='chars'; leave it out"),
        ({"tokens": "bytes", "vocabulary_size": 300}, "vocabulary_size has no meaning with tokens='bytes'"),
        ({"tokens": "unigram", "min_frequency": 2}, "min_frequency has no meaning with tokens='unigram'"),
        ({"vocabulary_size": 300}, "it is for bpe, wordpiece, unigram, chars; leave it out; see max_vocabulary"),
        ({"pretokenize": "bert"}, "no meaning with tokens='words': it is for bpe, wordpiece, unigram; leave it out"),
        ({"min_frequency": 2}, "no meaning with tokens='words': it is for bpe, wordpiece, chars; leave it out"),
        ({"tokens": "/", "special": ["a"]}, "special has no meaning with tokens='/': it is for bpe"),
        ({"tokens": "bpe", "special": "[PAD]"}, "special must be a list of tokens, not one string"),
        ({"tokens": "bpe", "special": ["a", "a"]}, "special must hold distinct tokens with text, but item 1 is 'a'"),
        ({"tokens": "bpe", "special": [""]}, "item 0 is ''"),
        ({"tokens": "bpe", "special": [3]}, "item 0 is 3"),
    ],
)
def test_invalid_option_is_refused(options, message):
    with pytest.raises(UsageError, match=message):
        TokenizerOptions(**options)


@pytest.mark.parametrize("name", ["cased", "min_count", "max_vocabulary"])
def test_word_options_are_refused_for_other_tokens(name):
    TokenizerOptions().refuse_word_options([name])
    TokenizerOptions("bpe").refuse_word_options(["sentences"])
    with pytest.raises(UsageError, match=f"{name} has no meaning with tokens='bpe'; leave it out; see "):
        TokenizerOptions("bpe").refuse_word_options([name])
