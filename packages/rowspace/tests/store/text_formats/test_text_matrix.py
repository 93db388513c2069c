from itertools import product

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from rowspace.errors import FileFormatError
from rowspace.store.text_formats import text_matrix
from rowspace.store.text_formats.text_matrix import Text, lines_in, table_of_lines, text_of

pytestmark = pytest.mark.kernels


def text(content, begin=0):
    return Text(np.frombuffer(content, np.uint8), "v.txt", begin)


def parsed(content, dim):
    return table_of_lines(text(content), lines_in(text(content)), dim)


def bits(number):
    """Return the bits of the float32 that Python's float and numpy parse: the expected result."""
    with np.errstate(over="ignore"):
        return np.float32(float(number)).view(np.uint32)


def parsed_bits(numbers):
    return parsed(f"w {' '.join(numbers)}\n".encode(), len(numbers)).rows.view(np.uint32)[0].tolist()


# Numbers.

AWKWARD = """0 -0 -0.0 +0 00012.5000 1. .5 -.5 1E5 1e+05 1e-5 1e-45 7e-46 7.1e-46 -1e-60 -1e-400 1e400 -1e400 nan -nan
    NaN inf -inf Infinity 3.4028235e38 3.4028236e38 3.40282356779733e38 3.4028235677973366e38 1.17549435e-38
    1.1754942e-38 5.877471754111438e-39 1e-38 0.1 0.10000000149011612 16777216 16777217 16777219 1.00000005960464477539
    1.000000059604644775390625 1.0000000596046447753906250000000000000000001 33554433 9007199254740993
    123456789012345678901234567890 0.000000000000000000000000000000123456789012345678901234567890 1e22 1e23 1e-22 1e-23
    0.3e-7 99999999999999999999999999999999999999e-0 0e999999999999999999999 1e-99999999999999999999 0.0000000000e5
    8.589973e9 1.7976931348623157e308 2.2250738585072014e-308 0.1e1 1e1 1e01""".split()  # noqa: SIM905  # shorter than a list


@pytest.mark.parametrize("number", AWKWARD)
def test_edge_case_numbers_parse_as_in_python_bit_for_bit(number):
    assert parsed_bits([number]) == [bits(number)]


ORDINARY = st.floats(width=32, allow_nan=False).map(repr)
PRINTED = st.builds("{:.{}{}}".format, st.floats(-1e39, 1e39), st.integers(0, 40), st.sampled_from("efg"))
BUILT = st.from_regex(r"[-+]?([0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})([eE][-+]?[0-9]{1,3})?", fullmatch=True)
# The midpoint between two adjacent float32 in full, with a digit that may decide the rounding.
MIDDLES = st.builds(
    lambda number, more: (
        f"{(np.float64(number) + np.float64(np.nextafter(number, np.float32(np.inf)))) / 2:.60e}".replace(
            "0e", f"{more}e"
        )
    ),
    st.floats(width=32, min_value=0, max_value=2.0**126).map(np.float32),
    st.integers(0, 9),
)


@given(st.lists(ORDINARY | PRINTED | BUILT | MIDDLES, min_size=1, max_size=20))
def test_numbers_parse_as_in_python_bit_for_bit(numbers):
    assert parsed_bits(numbers) == list(map(bits, numbers))


def test_numbers_print_as_in_numpy():
    rows = np.random.default_rng(0).integers(0, 2**32, 300, np.uint32).view(np.float32)
    # In between, a midpoint may print shorter: see the next test.
    rows = rows[(abs(rows) < 2**24) | (abs(rows) > 2**60)]
    rows = np.concatenate([rows, rows.clip(-2e6, 2e6), np.round(rows.clip(-9, 9), 3), np.float32([0, -0.0, np.inf])])
    edges = [1e-4, 9.9999e-5, 1e5, 999999.9, 1e6, 1e7, 1e-5, 1e10, 123456, 100, 3, 1e-45, 3.4028235e38, -np.inf]
    rows = np.concatenate([rows, np.float32(edges)])[:, np.newaxis]
    printed = b"".join(text_of([b"w"] * len(rows), rows)).decode().splitlines()
    assert printed == [f"w {row[0]!s}" for row in rows]


@given(st.lists(st.floats(width=32), min_size=1))
@example([97474816.0])  # numpy prints the midpoint to the next float32, 9.747482e+07, which rounds to this even one
@example(np.ldexp(1.0, np.arange(-149, 128)).tolist())  # powers of two: the float32 below is nearer than the one above
def test_printed_numbers_parse_back_bit_for_bit(numbers):
    row = np.array([numbers], np.float32)
    (line,) = text_of([b"w"], row)
    again = parsed(line, len(numbers)).rows
    assert np.where(np.isnan(row), 0, row).tobytes() == np.where(np.isnan(again), 0, again).tobytes()
    assert (np.isnan(row) == np.isnan(again)).all()


# Lines and words.


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", []),
        (b"\n\r\n\n", []),
        (b"a 1 2", ["a"]),
        (b"a 1 2\nb 3 4\n", ["a", "b"]),
        (b"a 1 2\r\nb 3 4\r\n\r\n", ["a", "b"]),
        (b"\n\na 1 2\n\n\nb 3 4\n\n", ["a", "b"]),
        (b"a 1 2 \nb 3 4 \t\n", ["a", "b"]),
        (b"a\t1\t2\nb\t3  4\n", ["a", "b"]),
        (b" 1 2\n", [""]),
        (b"  1 2\n", [" "]),
        (b"a  1 2\n", ["a"]),
        (b"a\t1 2\nb\t 3  4\nc \t5\t6\n", ["a", "b", "c"]),
        (b"New  York   1 2\n", ["New  York"]),
        (b" a 1 2\n", [" a"]),
        (b"New York 1 2\n. . . 3 4\n", ["New York", ". . ."]),
        (b"66 1 2\nroute 66 3 4\n", ["66", "route 66"]),
        ("\u00a0 1 2\na\u2028b 3 4\n\u3000\x85 5 6\n".encode(), ["\u00a0", "a\u2028b", "\u3000\x85"]),
        (b"\r 1 2\nb\r 3 4\na\x0b\x0c\x1c 5 6\n", ["\r", "b\r", "a\x0b\x0c\x1c"]),
        ("né😀 1 2\n한국어 3 4\ne\u0301 5 6\n".encode(), ["né😀", "한국어", "e\u0301"]),
    ],
)
def test_last_fields_are_the_row_and_the_rest_is_the_word(content, words):
    table = parsed(content, 2)
    assert table.vocabulary == words
    assert table.rows.tolist() == [[2 * number + 1, 2 * number + 2] for number in range(len(words))]
    assert table.counts is None


@given(
    st.lists(
        st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])).filter(
            lambda word: not word.strip(" \t") or not word.endswith((" ", "\t"))
        ),
        unique=True,
        min_size=1,
    ),
    st.integers(1, 5),
)
def test_every_word_that_ends_in_no_blank_round_trips(vocabulary, dim):
    rows = np.random.default_rng(dim).standard_normal((len(vocabulary), dim)).astype(np.float32)
    table = parsed(b"".join(text_of([token.encode() for token in vocabulary], rows)), dim)
    assert table.vocabulary == vocabulary
    assert table.rows.tobytes() == rows.tobytes()


def test_invalid_utf8_in_words_is_replaced_with_a_warning():
    with pytest.warns(UserWarning, match=r"v.txt: 1 word is not valid UTF-8.*first in 'n\ufffd'"):
        assert parsed(b"n\xc3 1\nb 2\n", 1).vocabulary == ["n\ufffd", "b"]


def test_duplicate_word_keeps_the_first_row_with_a_warning():
    with pytest.warns(UserWarning, match="v.txt: 1 word is duplicated, the first is kept; one is 'a'"):
        table = parsed(b"a 1\nb 2\na 3\n", 1)
    assert table.vocabulary == ["a", "b"]
    assert table.rows.tolist() == [[1], [2]]


@pytest.mark.large
def test_several_threads_parse_and_print_every_line():
    rows = np.random.default_rng(0).standard_normal((1500, 300)).astype(np.float32)
    words = [b"w" * (number % 50) + b"%d" % number for number in range(len(rows))]
    content = b"".join(text_of(words, rows))
    assert len(content) > max(3 * text_matrix.MIN_SHARE, text_matrix.PRINTED_AT_ONCE)
    content = content.replace(b"\n", b"\n\n\r\n", 100)
    table = parsed(content, 300)
    assert table.vocabulary == [word.decode() for word in words]
    assert (table.rows == rows).all()
    again = b"".join(text_of([token.encode() for token in table.vocabulary], table.rows))
    assert again == content.replace(b"\n\n\r\n", b"\n")


def test_more_odd_fields_than_one_thread_collects_are_all_parsed():
    times = text_matrix.ODD_FIELDS
    lines = [b"a%d nan inf 1\nb%d 1e99 2 -inf\nc%d 3 nan 4\n" % (number, number, number) for number in range(times)]
    expected = np.array([[np.nan, np.inf, 1], [np.inf, 2, -np.inf], [3, np.nan, 4]])
    np.testing.assert_array_equal(parsed(b"".join(lines), 3).rows, np.tile(expected, (times, 1)))


def test_line_longer_than_a_threads_share_is_found_once():
    length = 4 * text_matrix.MIN_SHARE
    found = lines_in(text(b"a 1\n" + b"b" * length + b"\nc 3\n"))
    assert found.tolist() == [[0, 3], [4, 4 + length], [5 + length, 8 + length]]


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 9])
def test_limit_finds_the_first_lines(limit):
    some = text(b"\na 1\n\nb 2\nc 3")
    assert lines_in(some, limit=limit).tolist() == [[1, 4], [6, 9], [10, 13]][:limit]


# Damaged files.


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"a 1 2\nb 3\n", "line 2: expected a word and 2 numbers, but found fewer fields: 'b 3'"),
        (b"a 1 2\n\n\r\n3 4\nb 5 6\n", "line 4: expected a word and 2 numbers, but found fewer fields: '3 4'"),
        (b"aaaa 1 2\nbbbb  5\n", "line 2: expected a word and 2 numbers"),
        (b"a 1 2\n  \t\n", "line 2: expected a word and 2 numbers"),
        (b"a 1 2\nb\n", "line 2: expected a word and 2 numbers"),
        (b"a 1 2\nb 3 x4\n", "line 2: 'x4' is not a number"),
        (b"a 1 2\nb 3,5 4,5\n", "line 2: '3,5' is not a number"),
        (b"a 1 2\nb 1_0 2\n", "line 2: '1_0' is not a number"),
        (b"a 1:5 2\n", "line 1: '1:5' is not a number"),  # ":" follows "9" in ASCII
        (b"a 0x1p3 2\n", "line 1: '0x1p3' is not a number"),
        (b"a 1e 2\n", "line 1: '1e' is not a number"),
        (b"a 1 -\n", "line 1: '-' is not a number"),
        (b"a 1 .\n", "line 1: '.' is not a number"),
        (b"a 1 --2\n", "line 1: '--2' is not a number"),
        ("a 1 \u0662\n".encode(), "line 1: '\u0662' is not a number"),
        (b"a 1 \xff\n", "line 1: '\ufffd' is not a number"),
    ],
)
def test_malformed_line_is_refused_with_its_number(content, complaint):
    with pytest.raises(FileFormatError, match=f"v.txt: {complaint}"):
        parsed(content, 2)


def test_huge_number_of_columns_is_refused_without_allocating():
    with pytest.raises(FileFormatError, match="line 1: expected a word and 1,000,000,000,000,000 numbers"):
        parsed(b"a 1 2\n", 10**15)


@given(st.binary(max_size=60) | st.text("a1.e-+ \t\n\rn", max_size=60).map(str.encode), st.integers(1, 3))
@example(b" 1  2", 3)
@pytest.mark.filterwarnings("ignore:.*not valid UTF-8:UserWarning", "ignore:.*duplicated, the first:UserWarning")
def test_arbitrary_bytes_give_a_table_or_a_file_format_error(content, dim):
    try:
        table = parsed(content, dim)
    except FileFormatError:
        return
    assert table.dim == dim


@pytest.mark.kernels
def test_number_parser_does_not_read_past_the_end_of_the_text():
    """More digits follow the end of the text in memory, as they can in a mapped file."""
    numbers = ("1", "1.", "1.5", ".5", "-1", "1e1", "1e-1", "1E+1", "12345678901234567890")
    for number, following in product(numbers, ("5", "e5", "E-3", ".25")):
        content = f"a {number}".encode()
        text = Text(np.frombuffer(content + following.encode(), np.uint8)[: len(content)], "x", 0)
        found = table_of_lines(text, lines_in(text), 1).rows.tolist()
        assert found == [[np.float32(float(number))]], f"{number} before {following}"
