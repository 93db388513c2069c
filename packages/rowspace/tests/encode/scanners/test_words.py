"""The scanner of the word tokenizer, compared with the `tokenizers` library on the same tokenizer.json."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tokenizers import AddedToken, Tokenizer

import rowspace._base.jit  # noqa: F401  # texts are scanned once Numba is imported
from rowspace.encode import FlatTokenizer, TextBuffer
from rowspace.encode.scanners.words import KEPT_BYTES, recognize_words
from rowspace.text import WordTokenizer, whitespace_json

pytestmark = pytest.mark.kernels

WORDS = ["the", "don't", "i\u0307", "naïve", "한국", "Straße", "ﬁ", "e\u0301", "x_1", "Cat"]
TEXTS = [
    "The cat don't, DON'T, don’t",
    "",
    "   \n\n",
    "İ naïve NAÏVE 한국 한국어 STRASSE Straße ﬁ é",
    "x_1 _x __init__ x-1 [UNK] unk Cat CAT",
    "\ud800the\udcff the\x00the\u200bthe",
    "the " * 4000,
    "y" * 100_000,
]


def document(text: str) -> dict[str, object]:
    """The content of a tokenizer.json as the library writes it."""
    return json.loads(Tokenizer.from_str(text).to_str())


def check(text: str, texts: list[str]) -> None:
    """Compare a scanner with the library; no text may be left to the library."""
    flat = FlatTokenizer(text)
    assert flat.scanner is not None
    found, expected = flat.encode(texts), FlatTokenizer(text, scan=False).encode(texts)
    assert found.indptr.tolist() == expected.indptr.tolist()
    assert np.array_equal(found.ids, expected.ids)
    assert flat.usage.library_texts == 0


def test_ids_equal_those_of_the_library() -> None:
    with_unknown_first = whitespace_like(["[UNK]", *WORDS])
    for text in (WordTokenizer(WORDS).to_json(), WordTokenizer(WORDS, cased=True).to_json(), with_unknown_first):
        check(text, TEXTS)
        check(text, TEXTS * 300)  # several threads
    check(WordTokenizer([]).to_json(), TEXTS)


def whitespace_like(words: list[str]) -> str:
    """The word tokenizer with the unknown token in another place than the last."""
    made = document(WordTokenizer(words[1:]).to_json())
    made["model"]["vocab"] = {word: number for number, word in enumerate(words)}
    return json.dumps(made)


@settings(max_examples=50)
@given(st.lists(st.text(max_size=12), max_size=8))
def test_any_texts(texts: list[str]) -> None:
    check(WordTokenizer(WORDS).to_json(), [*texts, " ".join(texts)])


@pytest.mark.large
def test_texts_larger_than_the_cache_are_scanned() -> None:
    flat = FlatTokenizer(WordTokenizer(WORDS).to_json())
    text = "the don't " * (KEPT_BYTES // 10 + 1)
    assert flat.encode([text, "the"]).ids.tolist() == [0, 1] * (KEPT_BYTES // 10 + 1) + [0]
    assert flat.encode(["the", text]).indptr.tolist() == [0, 1, 3 + 2 * (KEPT_BYTES // 10)]


def test_threads_share_a_scanner() -> None:
    flat = FlatTokenizer(WordTokenizer(WORDS).to_json())
    expected = flat.encode(TEXTS * 50)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(flat.encode, [TEXTS * 50] * 12):
            assert np.array_equal(found.ids, expected.ids)


def test_pickled_scanner_gives_the_same_ids() -> None:
    scanner = recognize_words(document(WordTokenizer(WORDS, cased=True).to_json()))
    assert scanner is not None
    buffer = TextBuffer.of(["Cat the cat", "the"])
    expected = scanner.scan(buffer, 1, 2)[0]
    again = pickle.loads(pickle.dumps(scanner)).scan(buffer, 1, 2)[0]
    assert again.ids.tolist() == expected.ids.tolist() == [0]


def test_other_tokenizers_of_words_are_left_to_the_library() -> None:
    made = Tokenizer.from_str(WordTokenizer(WORDS).to_json())
    made.add_tokens([AddedToken("the cat")])
    with_gap = document(WordTokenizer(["a"]).to_json())
    with_gap["model"]["vocab"] = {"a": 0, "[UNK]": 2}
    without_unknown = document(WordTokenizer(["a"]).to_json())
    without_unknown["model"]["vocab"] = {"a": 0}
    for other in (made.to_str(), whitespace_json(WORDS), json.dumps(with_gap), json.dumps(without_unknown)):
        assert recognize_words(document(other)) is None
