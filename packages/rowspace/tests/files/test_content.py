"""Tables in .gz and .zip files, byte-order marks, and pandas headers."""

import gzip
import zipfile

import numpy as np
import pytest
from tests.store.cases import CASES, table_of

from rowspace import store
from rowspace.errors import FileFormatError, RowspaceError
from rowspace.table import Table

COMPRESSIBLE = [case for case in CASES if case.format in ("word2vec", "word2vec-text", "glove", "fasttext")]


@pytest.mark.parametrize("case", COMPRESSIBLE, ids=lambda case: case.label)
def test_compressed_table_loads_like_the_original(tmp_path, case):
    path = case.save(table_of(case), tmp_path)
    expected = store.load(path)
    content = path.read_bytes()
    path.with_suffix(".gz").write_bytes(gzip.compress(content))
    with zipfile.ZipFile(path.with_suffix(".zip"), "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        archive.writestr("folder/inside", content)
        archive.writestr("__MACOSX/._inside", b"x")
    for suffix in (".gz", ".zip"):
        table = store.load(path.with_suffix(suffix))
        assert store.format_of(path.with_suffix(suffix)).name == case.format
        assert list(table.vocabulary) == list(expected.vocabulary)
        assert (table.rows == expected.rows).all()
        assert list(store.load(path.with_suffix(suffix), limit=1).vocabulary) == ["[UNK]"]


@pytest.mark.parametrize("case", COMPRESSIBLE, ids=lambda case: case.label)
def test_damaged_compressed_table_is_refused(tmp_path, case):
    rows = np.random.default_rng(0).normal(size=(300, 100)).astype(np.float32)
    content = gzip.compress(case.save(Table([f"w{i}" for i in range(300)], rows), tmp_path).read_bytes())
    for damaged in (content[:-9], content[:80_000], content[:-8] + bytes(8), content + b"trailing"):
        (tmp_path / "t.gz").write_bytes(damaged)
        with pytest.raises(FileFormatError, match=r"t\.gz: cannot be unpacked \(.*\); download it again"):
            store.load(tmp_path / "t.gz")


def test_compressed_file_is_not_replaced(tmp_path):
    (tmp_path / "v.bin").write_bytes(gzip.compress(b"1 1\ncat \0\0\0\0"))
    with pytest.raises(ValueError, match="a file of another kind is there"):
        store.save(Table(["a"], np.eye(1)), tmp_path / "v.bin")


@pytest.mark.parametrize("suffix", [".gz", ".zip"])
def test_file_with_an_implausible_compression_ratio_is_refused(tmp_path, suffix):
    content = b"cat 1 2\n" * (1 << 23)  # 64 MiB, plus one line below
    path = tmp_path / f"v{suffix}"
    if suffix == ".gz":
        path.write_bytes(gzip.compress(content + b"a 1 2\n", compresslevel=1))
    else:
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("v.txt", content + b"a 1 2\n")
    with pytest.raises(FileFormatError, match="unpacks to more than 20 times its size"):
        store.load(path)


@pytest.mark.parametrize(
    "content", ["2 2\ncat 0.5 1\ndog 2 3\n", "cat 0.5 1\ndog 2 3\n", "cat\t0.5\t1\r\ndog\t2\t3\r\n"]
)
def test_byte_order_mark_is_skipped(tmp_path, content):
    (tmp_path / "v").write_text(content, "utf-8-sig", newline="")
    table = store.load(tmp_path / "v")
    assert list(table.vocabulary) == ["cat", "dog"]
    assert table.rows.tolist() == [[0.5, 1], [2, 3]]


@pytest.mark.parametrize("name", ["v.npy", "v.tsv"])
def test_byte_order_mark_in_a_separate_vocabulary_is_skipped(tmp_path, name):
    store.save(Table(["cat", "dog"], np.eye(2, dtype=np.float32)), tmp_path / name)
    for path in tmp_path.iterdir():
        if path.suffix != ".npy":
            path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert list(store.load(tmp_path / name).vocabulary) == ["cat", "dog"]


@pytest.mark.parametrize(("name", "format"), [("v.npy", None), ("v.tsv", None), ("v.txt", "glove")])
def test_first_token_that_begins_with_a_byte_order_mark_is_refused(tmp_path, name, format):
    with pytest.raises(ValueError, match=r"begins with U\+FEFF, which would be read as a byte-order mark"):
        store.save(Table(["\ufeffcat", "dog"], np.eye(2)), tmp_path / name, format=format)
    assert not list(tmp_path.iterdir())
    store.save(Table(["cat", "\ufeffdog"], np.eye(2)), tmp_path / name, format=format)
    assert list(store.load(tmp_path / name).vocabulary) == ["cat", "\ufeffdog"]


@pytest.mark.parametrize("header", ["\t0\t1", "token\t0\t1", "word\tx\ty", "Unnamed: 0\t0\t1"])
def test_pandas_column_header_is_skipped(tmp_path, header):
    (tmp_path / "v.tsv").write_text(f"{header}\ncat\t0.5\t1\ndog\t2\t3\n")
    table = store.load(tmp_path / "v.tsv")
    assert list(table.vocabulary) == ["cat", "dog"]
    assert table.rows.tolist() == [[0.5, 1], [2, 3]]


def test_first_word_whose_row_looks_like_column_numbers_is_not_skipped(tmp_path):
    (tmp_path / "v.txt").write_text("of\t0\t1\ncat\t0.5\t1\n")
    assert list(store.load(tmp_path / "v.txt").vocabulary) == ["of", "cat"]


@pytest.mark.parametrize("read", [store.load, store.format_of])
def test_a_failed_read_names_the_file(read):
    # Linux's file of a process's own memory, which is empty at its start, fails like a file on a damaged disk.
    with pytest.raises(RowspaceError, match=r"/proc/self/mem: cannot be read: Input/output error; check the disk"):
        read("/proc/self/mem")
