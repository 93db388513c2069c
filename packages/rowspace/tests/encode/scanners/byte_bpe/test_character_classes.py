"""The generated tables, compared with the installed `tokenizers` library on every code point."""

import numpy as np
import pytest
from tests.encode.scanners.code_points import CODE_POINTS
from tokenizers import Regex, normalizers, pre_tokenizers

from rowspace.encode.scanners.byte_bpe.character_classes import (
    LETTER,
    NUMBER,
    OTHER,
    SPACE,
    changed_by_nfc,
    character_classes,
)


def test_classes_are_those_of_the_regular_expressions_of_the_library() -> None:
    # If this fails after an upgrade of tokenizers, run python scripts/make_byte_bpe_tables.py.
    expressions = {LETTER: r"\p{L}", NUMBER: r"\p{N}", SPACE: r"\s", OTHER: r"[^\s\p{L}\p{N}]"}
    characters = list(map(chr, CODE_POINTS))
    texts = ["".join(characters[first : first + 8192]) for first in range(0, len(characters), 8192)]
    for kind, expression in expressions.items():
        split = pre_tokenizers.Split(Regex(f"(?:{expression})+"), "removed", invert=True)
        expected = [ord(each) for text in texts for run, _ in split.pre_tokenize_str(text) for each in run]
        found = np.flatnonzero(character_classes() == kind)
        assert [code for code in found.tolist() if not 0xD800 <= code < 0xE000] == expected, expression


@pytest.mark.long
def test_nfc_changes_no_text_of_safe_characters() -> None:
    # The library's NFC: alone, after a letter with which many compose, and all of them in one text
    normalize = normalizers.NFC().normalize_str
    safe = [chr(code) for code in CODE_POINTS if not changed_by_nfc()[code]]
    for text in ("".join(safe), "a".join(safe), "가".join(safe)):
        assert normalize(text) == text


def test_characters_that_nfc_leaves_alone_are_safe_if_they_join_nothing() -> None:
    # Only the speed depends on this: é, Korean and Chinese are scanned, combining marks are not.
    unsafe = changed_by_nfc()
    assert not unsafe[[ord(character) for character in "éüßñ안한中文яعकก😀"]].any()
    assert unsafe[[0x301, 0x345, 0x1100 + 0x61, 0x212A, 0x958, 0x3099]].all()
