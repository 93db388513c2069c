"""Tables typed into the page."""

import pytest
from hypothesis import given, strategies as st

from rowspace.errors import UsageError
from rowspace_lab.tables.examples import table_text
from rowspace_lab.tables.typed import MAX_DIM, MAX_WORDS, read_rows, typed_choice

COUNT = "a typed table has 2 to 200 words, one per line, not "
WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Z", "C"], exclude_characters=","), min_size=1, max_size=9
)
NUMBERS = st.floats(-1e6, 1e6)


@given(
    st.integers(1, 4).flatmap(lambda dim: st.dictionaries(WORDS, st.tuples(*[NUMBERS] * dim), min_size=2, max_size=5))
)
def test_written_rows_are_read_again(rows: dict[str, tuple[float, ...]]) -> None:
    assert read_rows(table_text(rows)) == rows


def test_commas_tabs_empty_lines_and_minus_signs_are_accepted() -> None:
    assert read_rows("cat\t1,2\r\n\n  dog −1 , .5\n") == {"cat": (1.0, 2.0), "dog": (-1.0, 0.5)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", COUNT + "0"),
        ("cat 1 2", COUNT + "1"),
        ("\n".join(f"w{n} 1" for n in range(MAX_WORDS + 1)), COUNT + "201"),
        ("cat 1 2\ndog 1", "line 2: 'dog' has 1 number, but the first word has 2"),
        ("cat 1\n\ncat 2", "line 3: 'cat' is already on a line above; write each word once"),
        ("cat", "line 1: 'cat' needs 1 to 64 numbers, not 0"),
        ("cat" + " 1" * (MAX_DIM + 1), "line 1: 'cat' needs 1 to 64 numbers, not 65"),
        ("cat 1\ndog x", "line 2: 'x' is not a number; write a word without spaces, then its numbers"),
        ("cat nan", "line 1: 'nan' is too large; use numbers from -1,000,000 to 1,000,000"),
        ("cat 1e400", "line 1: '1e400' is too large; use numbers from -1,000,000 to 1,000,000"),
        ("w" * 101 + " 1", "line 1: a word has at most 100 characters, not 101"),
    ],
)  # fmt: skip
def test_wrong_text_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_rows(text)
    assert str(refused.value) == message


def test_first_five_wrong_lines_are_listed() -> None:
    with pytest.raises(UsageError) as refused:
        read_rows("\n".join(f"w{number} x" for number in range(8)))
    *lines, more = str(refused.value).split("\n")
    assert [line.split(":")[0] for line in lines] == [f"line {number}" for number in range(1, 6)]
    assert more == "and 3 other lines"


def test_id_depends_on_the_text_only() -> None:
    one, other = typed_choice("a 1\nb 2"), typed_choice("a 1\nb 3")
    assert one.id == typed_choice("a 1\nb 2").id != other.id
    assert one.open().id == one.id
