"""The generated tables, compared with the installed `tokenizers` library on every code point."""

import numpy as np
import pytest
from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers

from rowspace.text import WordTokenizer
from rowspace.text.characters import character_table
from rowspace.text.characters.table import BETWEEN, DOTTED_I, JOINER, WORD
from rowspace.text.characters.unicode_tables import LONG_LOWER

CODE_POINTS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
ALONE = "\n".join(map(chr, CODE_POINTS))  # one per line, so that adjacent ones never form a word


@pytest.mark.long
@pytest.mark.parametrize("cased", [False, True])
def test_every_code_point_is_split_and_lowercased_as_in_tokenizers(cased):
    # Parity: tokenizers. If this fails after an upgrade, run python scripts/make_unicode_tables.py.
    tokenizer = WordTokenizer([], cased=cased)
    library = Tokenizer.from_str(tokenizer.to_json())
    text = ALONE if cased else library.normalizer.normalize_str(ALONE)

    expected = [word for word, _ in library.pre_tokenizer.pre_tokenize_str(text)]

    assert tokenizer.split(ALONE) == expected


def test_word_characters_equal_those_of_the_library_regex():
    # Parity: Oniguruma, through tokenizers
    split = pre_tokenizers.Split(Regex(r"[\p{L}\p{M}\p{N}]"), behavior="removed", invert=True)
    expected = {ord(character) for character, _ in split.pre_tokenize_str(ALONE)}

    found = np.flatnonzero(character_table(cased=True) >= WORD)

    assert set(found.tolist()) == expected | {ord("\N{HEBREW PUNCTUATION GERESH}")}


def test_only_dotted_i_has_a_two_character_lowercase():
    # The scanner special-cases its two characters.
    assert LONG_LOWER == {0x130: normalizers.Lowercase().normalize_str("İ")} == {0x130: "i\u0307"}
    assert character_table(cased=False)[0x130] == DOTTED_I
    assert character_table(cased=True)[0x130] == 0x130


@pytest.mark.parametrize("joiner", "'’_\u05f4\u200c\u200d")
def test_joiners_have_their_own_class(joiner):
    assert character_table(cased=False)[ord(joiner)] == JOINER


def test_surrogates_end_words():
    assert (character_table(cased=False)[0xD800:0xE000] == BETWEEN).all()
