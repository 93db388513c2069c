"""N-grams in a native folder: they round-trip, memory-mapped, and are refused if they do not fit the table."""

import numpy as np
import pytest

from rowspace.errors import FileFormatError, UsageError
from rowspace.files.safetensors_header import header_bytes
from rowspace.store import load, native, save
from rowspace.store.native.manifest import SUBWORDS
from rowspace.store.native.subwords import map_subwords, subword_pieces
from rowspace.subwords.hashing import NO_ROW, Subwords
from rowspace.table import Table

ROWS = np.random.default_rng(4).normal(size=(3, 5)).astype(np.float32)


def subwords(**changes):
    places = np.full(100, NO_ROW, np.int32)
    places[[3, 70]] = 1, 0
    parts = {"rows": ROWS[:2], "own": ROWS * 2, "places": places, "min_n": 2, "max_n": 4}
    return Subwords(**parts | changes)


def test_ngrams_round_trip_memory_mapped(tmp_path):
    table = Table(["a", "b", "c"], ROWS, subwords=subwords())
    save(table, tmp_path / "t")
    again = load(tmp_path / "t", verify=True).subwords
    for name in ("rows", "own", "places"):
        np.testing.assert_array_equal(getattr(again, name), getattr(table.subwords, name))
        assert isinstance(getattr(again, name), np.memmap)
    assert (again.min_n, again.max_n) == (2, 4)
    assert load(tmp_path / "t", limit=2).subwords.own.tolist() == (2 * ROWS[:2]).tolist()
    save(Table(["a"], ROWS[:1]), tmp_path / "t")
    assert load(tmp_path / "t").subwords is None
    assert not (tmp_path / "t" / SUBWORDS).exists()


def test_table_without_any_ngram_rows_can_be_saved(tmp_path):
    none = Subwords(np.zeros((0, 5), np.float16), ROWS, np.full(9, NO_ROW, np.int32))
    save(Table(["a", "b", "c"], ROWS, subwords=none), tmp_path / "t")
    assert load(tmp_path / "t").subwords.rows.shape == (0, 5)


def test_unsupported_row_dtype_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"rows of .* cannot be saved; convert them to float32"):
        native.save(
            Table(["a"], ROWS[:1], subwords=subwords(own=ROWS[:1], rows=ROWS.astype(np.longdouble))), tmp_path / "t"
        )
    assert not (tmp_path / "t").exists()


def written(tmp_path, change=lambda data: data):
    path = tmp_path / "subwords.safetensors"
    path.write_bytes(change(b"".join(subword_pieces(subwords()))))
    return path


@pytest.mark.parametrize("shape", [(2, 5), (3, 4)])
def test_ngrams_of_another_table_are_refused(tmp_path, shape):
    path = written(tmp_path)
    with (
        path.open("rb") as file,
        pytest.raises(FileFormatError, match=r"subwords.safetensors: does not hold the n-gra"),
    ):
        map_subwords(file, str(path), shape)


def test_row_numbers_out_of_range_are_refused(tmp_path):
    path = written(tmp_path, lambda data: data[:-16] + b"\x07\0\0\0" + data[-12:])
    with (
        path.open("rb") as file,
        pytest.raises(FileFormatError, match="places range from -1 to 7, but the n-grams have 2 rows"),
    ):
        map_subwords(file, str(path), (3, 5))


@pytest.mark.parametrize("tensors", [{}, {"own": ("F32", (1,))}, {"own": ("I32", (0, 5)), "rows": ("F32", (0, 5)),
                                     "places": ("I32", (0,)), "sizes": ("I32", (0,))}])  # fmt: skip
def test_unexpected_tensors_are_refused(tmp_path, tensors):
    path = written(tmp_path, lambda _: header_bytes(tensors) + bytes(4 * ("own" in tensors and len(tensors) == 1)))
    with path.open("rb") as file, pytest.raises(FileFormatError, match="does not hold the n-grams of a table"):
        map_subwords(file, str(path), (0, 5))
