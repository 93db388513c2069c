"""The tables of characters, compared with the `tokenizers` library on every code point."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.encode.scanners.code_points import ASSIGNED, CODE_POINTS
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

import rowspace._base.jit  # noqa: F401  # texts are scanned once Numba is imported
from rowspace.encode.scanners.added import AddedTokens
from rowspace.encode.scanners.wordpiece.characters import (
    CLASS_BITS,
    CLASS_MASK,
    LEAVE,
    SEQUENCE,
    BertNormalization,
    character_numbers,
)
from rowspace.encode.scanners.wordpiece.scanner import BertScanner, WordPiece
from rowspace.encode.texts import TextBuffer

pytestmark = [pytest.mark.kernels, pytest.mark.large]

NONE = np.empty(0, np.uint8)


def words_of(text: str, options: BertNormalization) -> list[str]:
    """Return the words of a text by the library."""
    normalized = BertNormalizer(**options._asdict()).normalize_str(text)
    return [word for word, _ in BertPreTokenizer().pre_tokenize_str(normalized)]


def leaves(options: BertNormalization) -> NDArray[np.bool_]:
    """Return which code points make the scanner leave a text: bool (1114112,)."""
    return character_numbers(options)[:0x110000] == LEAVE


def check(codes: list[int], form: str, options: BertNormalization) -> None:
    """Compare the words of code points in `form`, one text each, with the library's words, as ids of a vocabulary."""
    left = leaves(options)
    texts = [form.format(chr(code)) for code in codes if not left[code]]
    expected = words_of("\n".join(texts), options)
    vocabulary = {word: index for index, word in enumerate(dict.fromkeys(expected))}
    scanner = BertScanner(WordPiece(vocabulary, "", "##", 100), options, AddedTokens((), ()), NONE)

    found, remaining = scanner.scan(TextBuffer.of(texts), 0, len(texts))

    words = list(vocabulary)
    assert remaining.size == 0
    assert [words[number] for number in found.ids.tolist()] == expected


# If this fails after an upgrade of tokenizers, run python scripts/make_bert_characters.py.
@pytest.mark.long
def test_every_code_point_with_all_options() -> None:
    for values in product([False, True], repeat=4):
        codes = CODE_POINTS if all(values) else ASSIGNED
        check(codes, "{}", BertNormalization(*values))
        check(codes, "Ab{}é", BertNormalization(*values))


def test_few_code_points_are_left_to_the_library() -> None:
    assert not leaves(BertNormalization(strip_accents=False)).any()
    left = np.flatnonzero(leaves(BertNormalization()))
    assert left.size < 150
    assert left.min() > 0x800


def test_a_character_becomes_at_most_as_many_characters_as_it_has_bytes() -> None:
    # The scanner makes room for one id for each byte.
    for values in product([False, True], repeat=4):
        numbers = character_numbers(BertNormalization(*values))
        codes = np.flatnonzero(numbers[:0x110000] & CLASS_MASK == SEQUENCE)
        lengths = numbers[numbers[codes] >> CLASS_BITS]
        assert (lengths <= np.where(codes < 0x800, 2, 3)).all()
