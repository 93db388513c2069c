"""Pieces, compared with the regular expressions of the `tokenizers` library."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from tests.encode.scanners.byte_bpe.tokenizers_of_kinds import PATTERNS
from tests.encode.scanners.code_points import ASSIGNED
from tokenizers import Regex, pre_tokenizers

from rowspace.encode.scanners.byte_bpe.character_classes import character_classes
from rowspace.encode.scanners.byte_bpe.kernels.cut import cut_gpt2, cut_llama3

pytestmark = pytest.mark.kernels

SPLITS = {kind: pre_tokenizers.Split(Regex(pattern), "isolated") for kind, pattern in PATTERNS.items()}
DIGITS = {"gpt2": 0, "llama3": 3, "qwen2": 1}
# Each class and each special case of a pattern
CHARACTERS = " \n\r\t\u00a0\u2003'sSlLrReEvVtmd\u017fKa1²٣é日!.\u0301😀\x00\x85"


def pieces(text: str, kind: str) -> list[str]:
    """Cut a text by the kernel."""
    data: NDArray[np.uint8] = np.frombuffer(text.encode() + bytes(16), np.uint8)
    position, end, found = 0, data.size - 16, []
    while position < end:
        if kind == "gpt2":
            stop = cut_gpt2(data, position, end, character_classes())
        else:
            stop = cut_llama3(data, position, end, character_classes(), DIGITS[kind])
        found.append(data[position:stop].tobytes().decode())
        position = stop
    return found


def assert_pieces_equal_those_of_the_library(text: str) -> None:
    """Compare all patterns on one text."""
    for kind, split in SPLITS.items():
        assert pieces(text, kind) == [piece for piece, _ in split.pre_tokenize_str(text)], (kind, text)


@given(st.text(CHARACTERS, max_size=20))
def test_classes_and_special_cases_in_any_order(text: str) -> None:
    assert_pieces_equal_those_of_the_library(text)


@given(st.text(max_size=20))
def test_any_text(text: str) -> None:
    assert_pieces_equal_those_of_the_library(text)


def test_contractions_in_either_case() -> None:
    endings = [
        "",
        *map("".join, product("slrvtmd\u017feESLRK", repeat=1)),
        *map("".join, product("slrevLREVS", repeat=2)),
    ]
    for ending in endings:
        assert_pieces_equal_those_of_the_library("'" + ending)
        assert_pieces_equal_those_of_the_library(f"a'{ending}x '{ending} ''{ending}")


@pytest.mark.parametrize("template", ["{0}", "a{0}b", " {0}", "'{0}", "1{0}1"])
@pytest.mark.large
@pytest.mark.long
def test_every_code_point(template: str) -> None:
    assert_pieces_equal_those_of_the_library("\n".join(template.format(chr(code)) for code in ASSIGNED))


@pytest.mark.parametrize("text", ["a" * 300, "é" * 300, " " * 300, "1" * 300, "." * 300 + "\n" * 9, " \n" * 150 + "a"])
def test_long_runs(text: str) -> None:
    assert_pieces_equal_those_of_the_library(text)
