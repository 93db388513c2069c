import io
import zipfile

import numpy as np
import pytest

from rowspace.errors import FileFormatError
from rowspace.store.array_formats import npz
from rowspace.table import Table

ROWS = np.array([[0.5, -1.25], [np.pi, 0.0], [1e-30, 3e38]], np.float32)
WORDS = ["cat", "né😀\n한국", ""]
RUN, OFFSETS = np.frombuffer(b"a\nb\nc\n", np.uint8), np.array([0, 2, 4, 6])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("counts", [None, np.array([9, 0, 2**40])])
def test_numpy_opens_saved_file_and_rows_load_memory_mapped(tmp_path, dtype, counts):
    with np.errstate(over="ignore"):
        rows = ROWS.astype(dtype)
    npz.save(Table(WORDS, rows, counts), tmp_path / "v.npz")
    assert npz.recognizes(tmp_path / "v.npz")
    with np.load(tmp_path / "v.npz") as arrays:
        assert arrays["rows"].tobytes() == rows.tobytes()
        assert arrays["tokens"].tobytes().decode() == "cat\nné😀\n한국\n\n"
        assert ("counts" in arrays) is (counts is not None)
    again = npz.load(tmp_path / "v.npz")
    assert again.vocabulary == WORDS
    assert again.rows.tobytes() == rows.tobytes()
    assert isinstance(again.rows, np.memmap)
    assert (again.counts is None) if counts is None else (again.counts == counts).all()


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("rows", [ROWS, ROWS.astype(">f4"), np.asfortranarray(ROWS), ROWS.astype(np.float64)])
@pytest.mark.parametrize("limit", [None, 0, 2, 9])
def test_archives_saved_by_numpy_load(tmp_path, save, rows, limit):
    save(tmp_path / "v.npz", vectors=rows, vocab=np.array(["a", "né", "한국"]), counts=np.array([3, 2, 1], np.uint16))
    assert npz.recognizes(tmp_path / "v.npz")
    table = npz.load(tmp_path / "v.npz", limit=limit)
    assert table.vocabulary == ["a", "né", "한국"][:limit]
    assert table.rows.tolist() == rows[:limit].tolist()
    assert table.rows.dtype.isnative
    assert table.counts.tolist() == [3, 2, 1][:limit]


def test_duplicate_token_keeps_the_first_row_with_a_warning(tmp_path):
    np.savez(tmp_path / "v.npz", rows=ROWS, words=np.array(["a", "b", "a"]))
    with pytest.warns(UserWarning, match="1 word is duplicated"):
        assert npz.load(tmp_path / "v.npz").vocabulary == ["a", "b"]


def test_other_zip_files_are_not_recognized(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.npz", "w") as archive:
        archive.writestr("archive/data.pkl", b"")
    assert not npz.recognizes(tmp_path / "v.npz")
    (tmp_path / "short").write_bytes(b"PK\3\4")
    assert not npz.recognizes(tmp_path / "short")


# Damaged files.


def unicode_array(*numbers):
    """Return a text array of these code points, which need not be valid Unicode."""
    return np.array(numbers, np.uint32).view("<U1")


@pytest.mark.parametrize(
    ("arrays", "complaint"),
    [
        ({"rows": ROWS}, "holds no tokens: expected an array called tokens or vocabulary or vocab or words"),
        ({"tokens": RUN, "offsets": OFFSETS}, "holds no rows: expected an array called rows or vectors or"),
        ({"rows": ROWS, "vectors": ROWS, "words": WORDS}, "'rows', 'vectors' could all be the rows; keep only one"),
        ({"rows": ROWS, "vocab": WORDS, "words": WORDS}, "'vocab', 'words' could all be the tokens; keep only one"),
        (
            {"rows": ROWS[:2], "words": unicode_array(0x61, 0x110000)},
            "token 1 holds a number that is not a Unicode",
        ),
        (
            {"rows": ROWS[:2], "words": unicode_array(0xDFFF, 0x61)},
            "token 0 holds a number that is not a Unicode",
        ),
        ({"rows": ROWS, "words": np.array(["a"], object)}, "array words: byte 10: holds pickled objects"),
        ({"rows": np.ones((3, 2), int), "words": np.array(["a"])}, r"array rows: int64 of shape \(3, 2\), expected 2"),
        ({"rows": ROWS[0], "words": np.array(["a"])}, r"array rows: float32 of shape \(2,\), expected 2 dim"),
        ({"rows": ROWS[:, :0], "words": np.array(["a", "b", "c"])}, r"rows are float32 of shape \(3, 0\)"),
        ({"rows": ROWS, "words": np.array(["a", "b", "c"]), "counts": np.array([4, -3, 1])}, "counts from -3 to 4"),
        ({"rows": ROWS.astype(np.longdouble), "words": np.array(["a", "b", "c"])}, "rows are .* expected"),
        ({"rows": ROWS, "words": np.array(["a", "b"])}, "has 3 rows, 2 tokens"),
        ({"rows": ROWS, "words": np.array(["a", "b", "c"]), "counts": np.array([1])}, "has 3 rows, 3 tokens, 1 counts"),
        ({"rows": ROWS, "tokens": RUN, "offsets": OFFSETS[:0]}, "array offsets is empty"),
        ({"rows": ROWS, "tokens": RUN, "offsets": OFFSETS + 1}, "token offsets do not increase"),
        ({"rows": ROWS, "words": np.array([1, 2, 3])}, "array words: int64"),
    ],
)
def test_unsuitable_arrays_are_refused(tmp_path, arrays, complaint):
    np.savez(tmp_path / "v.npz", **arrays)
    with pytest.raises(FileFormatError, match=f"v.npz: .*{complaint}"):
        npz.load(tmp_path / "v.npz")


def write_archive(tmp_path, header, *, body=b"", compression=zipfile.ZIP_STORED, twice=False):
    """Write an archive whose rows array has this header, whatever data follows it."""
    rows = io.BytesIO()
    np.lib.format.write_array_header_1_0(rows, header)
    with zipfile.ZipFile(tmp_path / "v.npz", "w", compression) as archive:
        archive.writestr("rows.npy", rows.getvalue() + body)
        if twice:
            with pytest.warns(UserWarning, match="Duplicate name"):
                archive.writestr("rows.npy", b"")
    return tmp_path / "v.npz"


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_header_that_declares_too_many_rows_is_refused_without_allocating(tmp_path, compression):
    header = {"descr": "<f4", "fortran_order": False, "shape": (10**15, 300)}
    path = write_archive(tmp_path, header, body=bytes(1000), compression=compression)
    with pytest.raises(FileFormatError, match="array rows: declares 1,200,000,000,000,000,000 bytes, which cannot fit"):
        npz.load(path)


def test_false_sizes_in_the_zip_directory_are_refused_without_allocating(tmp_path):
    header = {"descr": "<f4", "fortran_order": False, "shape": (2**28, 1)}
    path = write_archive(tmp_path, header)
    content = path.read_bytes()
    entry = content.rindex(b"PK\1\2")
    lie = (2**30 + 128).to_bytes(4, "little")
    path.write_bytes(content[: entry + 20] + lie + lie + content[entry + 28 :])  # compressed and uncompressed size
    refusal = "array rows: declares 1,073,741,824 bytes, which cannot fit|Overlapped entries: 'rows.npy'"
    with pytest.raises(FileFormatError, match=refusal):
        npz.load(path)


def test_duplicate_array_or_other_compression_is_refused(tmp_path):
    header = {"descr": "<f4", "fortran_order": False, "shape": (1, 1)}
    with pytest.raises(FileFormatError, match="an array is duplicated"):
        npz.load(write_archive(tmp_path, header, twice=True))
    with pytest.raises(FileFormatError, match="compressed in a way that numpy does not use"):
        npz.load(write_archive(tmp_path, header, body=bytes(4), compression=zipfile.ZIP_LZMA))
