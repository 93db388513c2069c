import subprocess
import sys
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from rowspace.errors import FileFormatError, MissingExtraError
from rowspace.store.array_formats import parquet
from rowspace.table import Table

ROWS = np.array([[0.5, -1.25], [np.pi, 0.0], [1e-30, 3e38]], np.float32)
WORDS = ["cat", "né😀\n한국", ""]


def read_by_pyarrow(path):
    return pa.parquet.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()


@pytest.mark.parametrize("name", ["v.parquet", "v.arrow", "v.feather"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("counts", [None, np.array([9, 0, 2**40])])
def test_pyarrow_opens_saved_file_and_it_round_trips(tmp_path, name, dtype, counts):
    with np.errstate(over="ignore"):
        rows = ROWS.astype(dtype)
    parquet.save(Table(WORDS, rows, counts), tmp_path / name)
    assert parquet.recognizes(tmp_path / name)
    columns = read_by_pyarrow(tmp_path / name)
    assert columns["token"].to_pylist() == WORDS
    assert np.array(columns["row"].to_pylist(), dtype).tobytes() == rows.tobytes()
    again = parquet.load(tmp_path / name)
    assert again.vocabulary == WORDS
    assert again.rows.tobytes() == rows.tobytes()
    assert again.rows.dtype == dtype
    assert (again.counts is None) if counts is None else (again.counts == counts).all()


@pytest.mark.parametrize("name", ["v.parquet", "v.arrow"])
def test_big_endian_rows_are_saved(tmp_path, name):
    parquet.save(Table(WORDS, ROWS.astype(">f4")), tmp_path / name)
    assert parquet.load(tmp_path / name).rows.tobytes() == ROWS.tobytes()


def test_arrow_rows_are_memory_mapped(tmp_path):
    parquet.save(Table([str(number) for number in range(10_000)], np.ones((10_000, 100))), tmp_path / "v.arrow")
    before = pa.total_allocated_bytes()
    table = parquet.load(tmp_path / "v.arrow")
    assert table.rows.sum() == 1_000_000
    assert pa.total_allocated_bytes() - before < table.rows.nbytes / 10


LISTS = pa.array(ROWS.tolist(), pa.list_(pa.float32()))


@pytest.mark.parametrize(
    "columns",
    [
        {"token": WORDS, "row": LISTS, "count": [3, 2, 1]},
        {
            "frequency": pa.array([3, 2, 1], pa.uint8()),
            "embedding": LISTS.cast(pa.large_list(pa.float32())),
            "word": WORDS,
        },
        {"id": WORDS, "what": LISTS.cast(pa.list_(pa.float32(), 2)), "count": [3, 2, 1]},
        {"token": pa.array(WORDS).dictionary_encode(), "note": ["x", "y", "z"], "row": LISTS, "count": [3, 2, 1]},
        {"token": pa.array(WORDS, pa.large_string()), "row": LISTS, "spare": LISTS, "count": [3, 2, 1]},
    ],
)
@pytest.mark.parametrize("write", [pa.parquet.write_table, pa.feather.write_feather])
@pytest.mark.parametrize("limit", [None, 0, 2, 9])
def test_files_written_by_pyarrow_load(tmp_path, columns, write, limit):
    write(pa.table(columns), tmp_path / "v")
    assert parquet.recognizes(tmp_path / "v")
    table = parquet.load(tmp_path / "v", limit=limit)
    assert table.vocabulary == WORDS[:limit]
    assert table.rows.tobytes() == ROWS[:limit].tobytes()
    assert table.counts.tolist() == [3, 2, 1][:limit]


@pytest.mark.parametrize("limit", [None, 1, 4, 6, 99])
def test_row_groups_are_concatenated(tmp_path, limit):
    columns = pa.table({"token": list("abcdefg"), "row": np.arange(14.0).reshape(7, 2).tolist()})
    pa.parquet.write_table(columns, tmp_path / "p", row_group_size=3)
    pa.feather.write_feather(columns, tmp_path / "f", chunksize=3)
    for name in ("p", "f"):
        table = parquet.load(tmp_path / name, limit=limit)
        assert table.vocabulary == list("abcdefg")[:limit]
        assert table.rows.tolist() == np.arange(14.0).reshape(7, 2)[:limit].tolist()


@pytest.mark.parametrize("write", [pa.parquet.write_table, pa.feather.write_feather])
def test_one_column_per_dimension_as_pandas_writes_it_loads(tmp_path, write):
    numbered = {str(column): ROWS[:, column] for column in range(ROWS.shape[1])}
    write(pa.table({**numbered, "count": [3, 2, 1], "__index_level_0__": WORDS}), tmp_path / "v")
    table = parquet.load(tmp_path / "v")
    assert table.vocabulary == WORDS
    assert table.rows.tobytes() == ROWS.tobytes()
    assert table.counts.tolist() == [3, 2, 1]


@pytest.mark.parametrize(("kind", "dtype"), [(pa.int8(), np.float32), (pa.int64(), np.float64)])
def test_integers_become_floats(tmp_path, kind, dtype):
    numbers = [[1, -2], [3, 4], [5, 6]]
    lists = {"token": WORDS, "row": pa.array(numbers, pa.list_(kind))}
    wide = {"token": WORDS, "d1": pa.array([1, 3, 5], kind), "d2": pa.array([-2, 4, 6], kind)}
    for columns in (lists, wide):
        pa.parquet.write_table(pa.table(columns), tmp_path / "v")
        table = parquet.load(tmp_path / "v")
        assert table.rows.dtype == dtype
        assert table.rows.tolist() == numbers


def test_duplicate_token_keeps_the_first_row_with_a_warning_that_names_it(tmp_path):
    pa.parquet.write_table(pa.table({"token": ["a", "b", "b"], "row": LISTS}), tmp_path / "v")
    with pytest.warns(UserWarning, match="1 word is duplicated, the first is kept; one is 'b'"):
        assert parquet.load(tmp_path / "v").vocabulary == ["a", "b"]


@pytest.mark.long
def test_token_repeated_a_million_times_uses_the_memory_of_one_row(tmp_path):
    size = 1_000_000
    rows = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(2 * size, np.float32)), 2)
    pa.parquet.write_table(pa.table({"token": ["cat" * 100] * size, "row": rows}), tmp_path / "v", compression="zstd")
    del rows
    before = pa.total_allocated_bytes()
    tracemalloc.start()
    with pytest.warns(UserWarning, match="999,999 words are duplicated, the first is kept; one is 'catcat"):
        assert parquet.load(tmp_path / "v").vocabulary == ["cat" * 100]
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()
    assert pa.total_allocated_bytes() - before < 16 << 20


def test_token_in_several_row_groups_keeps_the_first_row(tmp_path):
    columns = pa.table({"token": ["a", "b", "c", "b", "d", "b"], "row": np.arange(6.0)[:, None].tolist()})
    for kept in (columns, columns.set_column(0, "token", columns["token"].dictionary_encode())):
        pa.parquet.write_table(kept, tmp_path / "v", row_group_size=2)
        with pytest.warns(UserWarning, match="2 words are duplicated, the first is kept; one is 'b'"):
            table = parquet.load(tmp_path / "v")
        assert (table.vocabulary, table.rows.ravel().tolist()) == (["a", "b", "c", "d"], [0, 1, 2, 4])


# Damaged files.


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"row": LISTS}, r"0 of its columns \(row\) hold text; name one 'token'"),
        ({"a": WORDS, "b": WORDS, "row": LISTS}, r"2 of its columns \(a, b, row\) hold text; name one 'token'"),
        ({"word": WORDS, "vector": LISTS, "embedding": LISTS}, r"2 of its columns .* lists of numbers; name one 'row'"),
        ({"token": WORDS}, "0 of its columns .* hold lists of numbers; name one 'row'"),
        ({"token": WORDS, "height": [1.5, 2, 3], "age": [1, 2, 3]}, "0 of its columns .* hold lists of numbers"),
        ({"token": WORDS, "x1": [1.5, 2, 3], "x3": [1.0, 2, 3]}, "0 of its columns .* hold lists of numbers"),
        ({"token": WORDS, "x1": [1.5, 2, 3]}, "0 of its columns .* hold lists of numbers"),
        ({"token": WORDS, "x1": [1.5, 2, None], "x2": [1.0, 2, 3]}, "column 'x1': lists must have the same length"),
        ({"token": [None, "a", "b"], "row": LISTS}, "column 'token': token 0 is missing"),
        ({"token": pa.array([None, "a", "b"]).dictionary_encode(), "row": LISTS}, "column 'token': token 0 is missing"),
        (
            {"token": WORDS, "row": LISTS, "count": pa.array([1, 2**63, 2], pa.uint64())},
            "9,223,372,036,854,775,808",
        ),
        ({"token": ["a", None, "b"], "row": LISTS}, "column 'token': token 1 is missing"),
        ({"token": WORDS, "row": [[1.0], [2.0, 3.0], [4.0]]}, "column 'row': lists must have the same length"),
        ({"token": WORDS, "row": [[1.0], None, [4.0]]}, "column 'row': lists must have the same length"),
        ({"token": WORDS, "row": [[1.0], [None], [4.0]]}, "column 'row': lists must have the same length"),
        ({"token": WORDS, "row": [None, [1.0], [4.0]]}, "column 'row': lists must have the same length"),
        (
            {"token": WORDS, "row": pa.array([[]] * 3, pa.list_(pa.float32()))},
            "lists must have the same length, of at least 1",
        ),
        ({"token": WORDS, "row": LISTS, "count": [1, None, 2]}, "column 'count': has missing values"),
    ],
)
def test_unsuitable_columns_are_refused(tmp_path, columns, complaint):
    pa.parquet.write_table(pa.table(columns), tmp_path / "v")
    with pytest.raises(FileFormatError, match=complaint):
        parquet.load(tmp_path / "v")


def test_offsets_beyond_the_end_of_the_file_are_refused(tmp_path):
    parquet.save(Table(["cat", "dog"], np.ones((2, 1))), tmp_path / "v.arrow")
    content = (tmp_path / "v.arrow").read_bytes()
    wild = content.replace(np.int32([0, 3, 6]).tobytes(), np.int32([0, 3, 2**30]).tobytes())
    assert wild != content
    (tmp_path / "v.arrow").write_bytes(wild)
    with pytest.raises(FileFormatError, match=r"v\.arrow: pyarrow cannot read it"):
        parquet.load(tmp_path / "v.arrow")


def test_missing_file_is_named_in_the_error(tmp_path):
    with pytest.raises(FileFormatError, match=r"v.parquet: missing"):
        parquet.load(tmp_path / "v.parquet")


# Saving.


def test_missing_pyarrow_error_gives_the_install_command(tmp_path, monkeypatch):
    parquet.save(Table(WORDS, ROWS), tmp_path / "v.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for act in (parquet.load, lambda path: parquet.save(Table(WORDS, ROWS), path)):
        with pytest.raises(MissingExtraError, match=r"need pyarrow: pip install 'rowspace\[arrow\]'"):
            act(tmp_path / "v.parquet")
    assert parquet.recognizes(tmp_path / "v.parquet")


FLIP_EVERY_BIT = """
import sys
from pathlib import Path
from rowspace.errors import RowspaceError
from rowspace.store.array_formats import parquet

path, copy = Path(sys.argv[1]), Path(sys.argv[2])
content = path.read_bytes()
footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
for place in range(footer, len(content) - 8):
    for bit in range(8):
        damaged = bytearray(content)
        damaged[place] ^= 1 << bit
        copy.write_bytes(damaged)
        try:
            parquet.load(copy)
        except RowspaceError:
            pass
print("all read")
"""


@pytest.mark.long
def test_flipped_bits_in_the_footer_never_crash_the_process(tmp_path):
    table = pa.table({"token": ["a", "b", None], "row": [[1.0, 2.0], [3.0, 4.0], None]})
    pa.parquet.write_table(table, tmp_path / "good.parquet")
    paths = [str(tmp_path / "good.parquet"), str(tmp_path / "damaged.parquet")]
    child = subprocess.run([sys.executable, "-c", FLIP_EVERY_BIT, *paths], capture_output=True, text=True, check=False)
    assert child.stdout == "all read\n", child.stderr[-300:]
