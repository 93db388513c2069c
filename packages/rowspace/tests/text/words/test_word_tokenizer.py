"""The word tokenizer gives the same ids as its tokenizer.json in the `tokenizers` library."""

import json
import os
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tokenizers import Tokenizer

from rowspace.errors import FileFormatError, UsageError
from rowspace.text import WordTokenizer, whitespace_json

pytestmark = pytest.mark.kernels

LENGTH = 1 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 1000  # kernels run as Python are slow
AWKWARD = {
    "empty": "",
    "one character": "x",
    "one joiner": "'",
    "combining accents": "e\u0301te\u0301 \u0301 A\u0301\u0302",
    "emoji": "a👍🏽b 👨‍👩‍👧 ❤️ 1️⃣",
    "emoji joined and changed": "👩🏽‍🚀👨‍👩‍👧‍👦❤️‍🔥🏴󠁧󠁢󠁥󠁮󠁧󠁿🏳️‍🌈x👍🏽🏽 👍‍ 👍‍a 🏽 ️👍 👍\u0301",
    "flags": "🇰🇷🇩🇪 🇰 🇰🇷🇩a🇩b 🇩🏽",
    "persian and hindi": "می‌خواهم خانه‌ها‌ क्‍ष ‌a‍‍b",
    "hebrew": 'צה"ל צה״ל "שלום" א"a a"א ג׳ורג׳ א""א א" "א א"א"א',
    "signs that are not emoji": "© ® ™ ↔ ‼ ☎ ⌚",
    "catalan": "col·lecció ·a a· a··b a·'b L·L",
    "korean": "안녕하세요 세계 \u1112\u1161\u11ab",
    "chinese": "你好,世界。三四",
    "NUL": "a\0b \0",
    "joiner at start": "'a _b ’c",
    "joiner at end": "a' b_ c’",
    "joiners doubled": "a''b c__d e’’f g'_h",
    "joiner at the very end": "ab'",
    "joined thrice": "a'b_c’d",
    "dunder": "__init__ don't snake_case",
    "CRLF": "a\r\nb\r\n",
    "other line ends": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "dotted capital I": "İstanbul İ'İ aİ İ_",
    "sharp s": "Straße STRASSE ẞ",
    "final sigma": "ΟΔΥΣΣΕΥΣ Σ ΑΣ ΑΣΒ",
    "kelvin, angstrom, ohm": "\u212a \u212b \u2126",
    "title-case digraphs": "ǅ ǈ ǋ Ǳ ᾈ",
    "lowercase is longer": "Ⱥ Ⱦ",
    "new in unicode 16 and 17": "\u1c89\ua7cb\ua7d2\ua7d4\U00010d50",
    "beyond the first plane": "\U0001d400 𐐀 \U0001d7d8 \U0010ffff",
    "byte order mark": "\ufeffa\ufeffb",
    "the unknown token": "[UNK] unk",
    "width": "\u00ad\u200b\u200d\u2060a\u200db",
    "fractions": "½ x² Ⅷ ٣",
}
LETTERS = st.one_of(
    st.sampled_from("ab1'’_ \n\r\0İΣßKǅȺ\u0301안👍[]❤🏽🇰🇷א\u05f3\u05f4\"\u200c\u200d\ufe0f\U000e0067Ⓜ"),
    st.characters(exclude_categories=["Cs"]),
)


def words_by_library(text, *, cased):
    """Return the words that the tokenizers library finds in a text."""
    library = Tokenizer.from_str(WordTokenizer([], cased=cased).to_json())
    if library.normalizer:
        text = library.normalizer.normalize_str(text)
    return [word for word, _ in library.pre_tokenizer.pre_tokenize_str(text)]


@pytest.mark.parametrize("cased", [False, True])
@pytest.mark.parametrize("text", AWKWARD.values(), ids=AWKWARD)
def test_unusual_text_is_split_as_in_tokenizers(text, cased):
    assert WordTokenizer([], cased=cased).split(text) == words_by_library(text, cased=cased)


@pytest.mark.parametrize("cased", [False, True])
@given(text=st.text(LETTERS, max_size=60))
def test_ids_of_random_text_equal_those_of_tokenizers(text, cased):
    vocabulary = sorted(set(words_by_library(text, cased=cased)))[::2]  # the others are unknown
    tokenizer = WordTokenizer(vocabulary, cased=cased)

    ids = tokenizer.encode(text)

    assert ids.dtype == np.int32
    assert ids.tolist() == Tokenizer.from_str(tokenizer.to_json()).encode(text).ids  # Parity: tokenizers


def test_unk_in_the_vocabulary_is_used_for_unknown_words():
    tokenizer = WordTokenizer(["a", "[UNK]", "b"])

    assert tokenizer.unknown_id == 1
    assert tokenizer.encode("a b c").tolist() == [0, 2, 1]
    assert Tokenizer.from_str(tokenizer.to_json()).encode("a b c").ids == [0, 2, 1]  # Parity: tokenizers


def test_tokenizer_can_be_shared_between_threads():
    words = [f"word{number}" for number in range(40)]
    tokenizer = pickle.loads(pickle.dumps(WordTokenizer(words)))

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda word: tokenizer.encode(f"{word} " * 100 * LENGTH), words))

    assert [set(ids.tolist()) for ids in found] == [{identity} for identity in range(40)]


def test_lone_surrogate_ends_a_word():
    assert WordTokenizer([]).split("a\ud800b \udc80c") == ["a", "b", "c"]


@pytest.mark.parametrize("cased", [False, True])
@pytest.mark.parametrize("vocabulary", [[], ["a"], ["the", "cat", "İ"], ["x", "[UNK]", "y"], ['"', "\\", "\n"]])
def test_json_round_trip(vocabulary, cased):
    tokenizer = WordTokenizer(vocabulary, cased=cased)

    again = WordTokenizer.from_json(tokenizer.to_json())
    resaved = WordTokenizer.from_json(Tokenizer.from_str(tokenizer.to_json()).to_str())

    assert again.vocabulary == resaved.vocabulary == vocabulary
    assert again.cased == resaved.cased == cased


def with_changes(**changes):
    parts = json.loads(WordTokenizer(["a", "b"]).to_json())
    return json.dumps(parts | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a tokenizer.json"),
        ("{}", "not a tokenizer.json"),
        (whitespace_json(["a"]), "not rowspace's word"),
        (with_changes(normalizer={"type": "NFC"}), "not rowspace's word"),
        (with_changes(model={"type": "WordPiece", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]",
                             "continuing_subword_prefix": "##", "max_input_chars_per_word": 9}), "a WordPiece"),
        (with_changes(model={"type": "WordLevel", "vocab": {"a": 0, "b": 7}, "unk_token": "[UNK]"}), "WordLevel"),
    ],
)  # fmt: skip
def test_other_tokenizers_are_refused(text, message):
    with pytest.raises(FileFormatError, match=message):
        WordTokenizer.from_json(text)


def test_duplicate_token_is_refused():
    with pytest.raises(UsageError, match="'a' is duplicated in the vocabulary, as ids 0 and 2"):
        WordTokenizer(["a", "b", "a"])


def test_lone_surrogate_in_the_vocabulary_is_refused():
    with pytest.raises(UsageError, match="surrogate"):
        WordTokenizer(["a", "b\udc80"])


def test_whitespace_tokenizer_opens_in_tokenizers():
    library = Tokenizer.from_str(whitespace_json(["New", "York", "!"]))

    assert library.encode("New York !\nnew").ids == [0, 1, 2, 3]
