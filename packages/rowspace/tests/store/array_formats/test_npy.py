import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError, UsageError
from rowspace.store.array_formats import npy
from rowspace.table import Table

ROWS = np.array([[0.5, -1.25], [np.pi, 0.0], [1e-30, 3e38]], np.float32)
WORDS = ["cat", "né😀 \u2028한국", ""]


@pytest.fixture
def table():
    return Table(WORDS, ROWS)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_numpy_opens_saved_file_and_rows_load_memory_mapped(tmp_path, dtype):
    with np.errstate(over="ignore"):
        rows = ROWS.astype(dtype)
    npy.save(Table(WORDS, rows), tmp_path / "v.npy")
    assert npy.recognizes(tmp_path / "v.npy")
    assert np.load(tmp_path / "v.npy").tobytes() == rows.tobytes()
    again = npy.load(tmp_path / "v.npy")
    assert again.vocabulary == WORDS
    assert again.rows.tobytes() == rows.tobytes()
    assert isinstance(again.rows, np.memmap)
    assert again.counts is None


@pytest.mark.parametrize(
    "rows", [ROWS, ROWS.astype(">f4"), np.asfortranarray(ROWS), np.asfortranarray(ROWS.astype(">f8"))]
)
@pytest.mark.parametrize(("name", "end"), [("v.vocab.txt", "\n"), ("vocab.txt", ""), ("vocab.txt", "\r\n")])
def test_arrays_saved_by_numpy_load_with_either_vocabulary_name_and_line_ending(tmp_path, rows, name, end):
    np.save(tmp_path / "v.npy", rows)
    (tmp_path / name).write_bytes(((end or "\n").join(["a", "b", "c"]) + end).encode())
    table = npy.load(tmp_path / "v.npy")
    assert table.vocabulary == ["a", "b", "c"]
    assert table.rows.dtype.isnative
    assert table.rows.tolist() == rows.tolist()


@pytest.mark.parametrize("limit", [0, 1, 3, 9])
def test_limit_loads_only_the_first_rows(tmp_path, table, limit):
    npy.save(table, tmp_path / "v.npy")
    again = npy.load(tmp_path / "v.npy", limit=limit)
    assert again.vocabulary == WORDS[:limit]
    assert (again.rows == ROWS[:limit]).all()


@given(
    st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"])), unique=True).filter(
        lambda words: not any(word.endswith("\r") for word in words)
    )
)
def test_every_single_line_token_round_trips(tmp_path_factory, vocabulary):
    path = tmp_path_factory.mktemp("n") / "v.npy"
    npy.save(Table(vocabulary, np.ones((len(vocabulary), 2))), path)
    assert npy.load(path).vocabulary == vocabulary


def test_duplicate_token_keeps_the_first_row_with_a_warning(tmp_path):
    np.save(tmp_path / "v.npy", ROWS)
    (tmp_path / "vocab.txt").write_text("a\nb\na\n")
    with pytest.warns(UserWarning, match="1 word is duplicated"):
        table = npy.load(tmp_path / "v.npy")
    assert table.vocabulary == ["a", "b"]
    assert (table.rows == ROWS[:2]).all()


def test_header_written_by_python_2_is_read(tmp_path, table):
    npy.save(table, tmp_path / "v.npy")
    content = (tmp_path / "v.npy").read_bytes()
    (tmp_path / "v.npy").write_bytes(content.replace(b"(3, 2), } ", b"(3L, 2L)} "))
    assert (npy.load(tmp_path / "v.npy").rows == ROWS).all()


# Damaged files.


@pytest.mark.parametrize(
    ("array", "complaint"),
    [
        (np.array([["a"]], object), "byte 10: holds pickled objects, which are never opened"),
        (np.zeros((3, 2), int), r"byte 10: int64 of shape \(3, 2\), expected \(V, d\) floats"),
        (np.zeros(3), r"byte 10: float64 of shape \(3,\), expected"),
        (np.zeros((3, 0)), "expected"),
        (np.zeros((3, 2), np.longdouble), "expected"),
        (np.zeros((3, 2), [("x", "f4")]), "is not a supported array"),
    ],
)
def test_unsuitable_array_is_refused(tmp_path, array, complaint):
    np.save(tmp_path / "v.npy", array)
    (tmp_path / "vocab.txt").write_text("a\nb\nc\n")
    with pytest.raises(FileFormatError, match=f"v.npy: .*{complaint}"):
        npy.load(tmp_path / "v.npy")


def test_truth_values_as_sizes_are_refused(tmp_path):
    np.save(tmp_path / "v.npy", np.zeros((1, 22), np.float32))
    content = (tmp_path / "v.npy").read_bytes()
    (tmp_path / "v.npy").write_bytes(content.replace(b"(1, 22)", b"(True,)"))
    (tmp_path / "vocab.txt").write_text("a\n")
    with pytest.raises(FileFormatError, match=r"float32 of shape \(True,\) is not a supported array"):
        npy.load(tmp_path / "v.npy")


def test_vocabulary_file_of_the_same_name_takes_precedence_over_the_shared_one(tmp_path, table):
    npy.save(table, tmp_path / "v.npy")
    (tmp_path / "vocab.txt").write_text("".join(f"other{number}\n" for number in range(len(table))))
    assert npy.load(tmp_path / "v.npy").vocabulary == table.vocabulary
    (tmp_path / "v.vocab.txt").unlink()
    assert npy.load(tmp_path / "v.npy").vocabulary[0] == "other0"


def test_missing_or_mismatched_vocabulary_file_is_named_in_the_error(tmp_path, table):
    npy.save(table, tmp_path / "v.npy")
    (tmp_path / "v.vocab.txt").write_text("a\nb\n")
    with pytest.raises(FileFormatError, match=r"v.vocab.txt: has 2 lines, but .*v.npy has 3 rows"):
        npy.load(tmp_path / "v.npy")
    (tmp_path / "v.vocab.txt").write_bytes(b"a\n\xff\n")
    with pytest.raises(FileFormatError, match=r"v.vocab.txt: byte 2: not valid UTF-8"):
        npy.load(tmp_path / "v.npy")
    (tmp_path / "v.vocab.txt").unlink()
    with pytest.raises(
        FileFormatError, match=r"v.npy: rows without tokens: expected v.vocab.txt or vocab.txt next to it"
    ):
        npy.load(tmp_path / "v.npy")


# Saving.


@pytest.mark.parametrize("token", ["a\nb", "a\r", "\ud800"])
def test_token_with_a_line_break_is_refused_and_nothing_is_written(tmp_path, token):
    with pytest.raises(UsageError, match=r"\(id 1\)"):
        npy.save(Table(["fine", token], np.eye(2)), tmp_path / "v.npy")
    assert not list(tmp_path.iterdir())
