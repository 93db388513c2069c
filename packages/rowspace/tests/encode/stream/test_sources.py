"""Sources give the same texts, in batches of bounded size; others are refused. Texts that are done are skipped."""

import csv
import gzip
import json
import os
from itertools import chain
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st
from pyarrow import parquet

from rowspace.encode.stream import open_source
from rowspace.encode.stream.sources import MAX_CHARACTERS, MIN_TEXTS, TextDigest, batches_of, skip_texts
from rowspace.errors import CorpusError, FileFormatError, UsageError
from rowspace.text.corpus.parquet_column import texts_of as parquet_texts_of

TEXTS = ["the cat", "", "é 안녕 🙂", "the dog"]
LISTS = st.lists(st.lists(st.text(max_size=3), max_size=5), max_size=6)


def texts_of(source, **options):
    return [text for texts in open_source(source, **options).read(None) for text in texts]


@pytest.fixture
def folder(tmp_path):
    """Each kind of file with the same texts."""
    (tmp_path / "a.txt").write_text("\n".join(TEXTS), "utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress("\n".join(TEXTS).encode()))
    (tmp_path / "c.jsonl").write_text("".join(json.dumps({"t": text}) + "\n" for text in TEXTS))
    parquet.write_table(pa.table({"n": range(4), "t": TEXTS}), tmp_path / "d.parquet")
    (tmp_path / "e.json").write_text(json.dumps([{"n": 1, "t": text} for text in TEXTS], indent=1))
    with gzip.open(tmp_path / "f.csv.gz", "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("n", "t"), *((1, text) for text in TEXTS)])
    return tmp_path


def test_each_kind_of_source_gives_its_texts(folder):
    for source, options in [
        (str(folder / "a.txt"), {}),
        (folder / "b.txt.gz", {}),
        (folder / "c.jsonl", {"column": "t"}),
        (folder / "d.parquet", {"column": "t"}),
        (folder / "e.json", {"column": "t"}),
        (folder / "f.csv.gz", {"column": "t"}),
        (TEXTS, {}),
        (tuple(TEXTS), {}),
        (iter(TEXTS), {}),
        (np.array(TEXTS), {}),
    ]:
        assert texts_of(source, **options) == TEXTS, source
    assert texts_of([folder / "b.txt.gz", folder / "a.txt"]) == TEXTS * 2
    assert texts_of(str(folder / "*.txt*")) == TEXTS * 2
    assert texts_of([]) == texts_of(iter([])) == []


def test_folder_is_read_in_the_order_of_its_names(folder):
    for name in ("b.txt.gz", "c.jsonl", "d.parquet", "e.json", "f.csv.gz"):
        (folder / name).unlink()
    (folder / "inner").mkdir()
    (folder / "inner" / "z.txt").write_text("last\n")
    (folder / "B.txt").write_text("first\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\0\0")
    assert texts_of(folder) == ["first", *TEXTS, "last"]


def test_column_of_a_folder_skips_other_files(folder):
    assert texts_of(folder, column="t") == TEXTS * 4
    with pytest.raises(CorpusError, match=r"d.parquet' is a Parquet file; name its column of text, as in --column"):
        texts_of(folder / "d.parquet")


def test_identity_has_path_size_and_time(folder):
    path = folder / "a.txt"
    os.utime(path, ns=(5, 7))
    source = open_source([path, folder / "b.txt.gz"])
    assert source.files[0] == (str(path), path.stat().st_size, 7)
    assert source.total_bytes == path.stat().st_size + (folder / "b.txt.gz").stat().st_size
    assert open_source("-").files == () == open_source(["a"]).files
    assert open_source("-").total_bytes is None


def test_an_iterable_is_read_as_it_comes():
    taken = []

    def endless():
        while True:
            taken.append(1)
            yield "a text"

    lists = open_source(endless()).read(None)
    assert len(next(lists)) == len(taken) < 10_000


def test_reading_reports_all_bytes(folder):
    for name in ("a.txt", "b.txt.gz", "c.jsonl", "d.parquet", "e.json", "f.csv.gz"):
        source, sizes = open_source(folder / name, column=None if ".txt" in name else "t"), []
        assert list(source.read(sizes.append))
        assert sum(sizes) == source.total_bytes, name


def test_invalid_sources_are_refused(folder):
    path = str(folder / "a.txt")
    for source, options, complaint in [
        (7, {}, "a source is a path, several pathlib.Path, or an iterable of texts, not int"),
        (b"bytes", {}, "not bytes"),
        ([path], {}, "every text names a file, such as .*; to read the files, pass pathlib.Path"),
        (pl.DataFrame({"id": ["a"]}), {}, "a source must be one column of texts, not a DataFrame; pass df"),
        ([None, "a"], {}, "item 0 of the source is NoneType, not a text"),
        (["a", 7], {}, "item 1 of the source is int, not a text"),
        ([Path(path), "b"], {}, "this one holds pathlib.Path and then str"),
        (["a"], {"column": "t"}, "column is for files with records, but this source is an iterable"),
        ([Path("-"), Path("-")], {}, r"standard input \('-'\) can be read once only"),
    ]:
        with pytest.raises(UsageError, match=complaint):
            texts_of(source, **options)
    with pytest.raises(UsageError, match="there is no file or folder 'a missing file'"):
        open_source("a missing file")


def test_columns_of_text_of_every_kind(tmp_path):
    path = tmp_path / "t.parquet"
    dictionary = pa.array(TEXTS * 3).dictionary_encode()
    for column in (pa.array(TEXTS), pa.array(TEXTS, pa.large_string()), pa.array(TEXTS, pa.string_view()), dictionary):
        parquet.write_table(pa.table({"t": column}), path, row_group_size=3)
        assert texts_of(path, column="t") == column.to_pylist()
    nested = pa.array([{"b.c": text, "b": {"c": 1, "d.e": text}} for text in TEXTS])
    parquet.write_table(pa.table({"a": nested}), path)
    assert texts_of(path, column="a.b.c") == texts_of(path, column="a.b.d.e") == TEXTS


def test_values_that_are_no_texts_are_none_whatever_their_encoding():
    values = pa.array([b"the cat", None, b"\xff", b"the cat"], pa.binary()).view(pa.string())
    for texts in (values, values.view(pa.string()).cast(pa.large_string(), safe=False), values.dictionary_encode()):
        found, problems = parquet_texts_of("t", texts)
        assert found == ["the cat", None, None, "the cat"], texts.type
        assert [(place, problem.split("has ")[1]) for place, problem in problems] == [
            (1, "no value, expected a text"),
            (2, "bytes that are not UTF-8"),
        ]


def test_columns_without_text_and_damaged_files_are_refused(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(
        pa.table({"n": [1, 2, 3], "t": ["a", None, "b"], "l": [["a"], ["b"], []]}), path, row_group_size=1
    )
    for column, error, complaint in [
        ("x", UsageError, "there is no column 'x'; it has 'l', 'n', 't'"),
        ("n", FileFormatError, "the column 'n' has int64, expected a text; name another column"),
        ("l", FileFormatError, "the column 'l' has list.*, expected a text"),
        ("t", FileFormatError, "row 1: the column 't' has no value, expected a text"),
    ]:
        with pytest.raises(error, match=complaint):
            texts_of(path, column=column)
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(CorpusError, match=r"is a damaged Parquet file: .*; write it again"):
        texts_of(path, column="n")


def joined(lists):
    return list(chain.from_iterable(lists))


def digest_of(*lists):
    digest = TextDigest()
    for texts in lists:
        digest.add(texts)
    return digest.hex()


@given(LISTS, st.integers(1, 7))
def test_batches_have_all_texts_in_order_and_are_bounded(lists, most):
    batches = list(batches_of(lists, limit=most))
    assert joined(batches) == joined(lists)
    assert all(0 < len(batch) <= most for batch in batches)


def test_batches_of_long_texts_are_small():
    long = "x" * (MAX_CHARACTERS // 2 + 1)
    assert [len(batch) for batch in batches_of([["a", long, long, "b"], [long]], limit=10)] == [2, 2, 1]
    assert [len(batch) for batch in batches_of([[long * 3, "b"]], limit=10)] == [1, 1]


def test_small_lists_are_joined():
    assert [len(batch) for batch in batches_of([["a"]] * (MIN_TEXTS + 1), limit=1 << 20)] == [MIN_TEXTS, 1]


@given(LISTS)
def test_digest_does_not_depend_on_the_lists(lists):
    assert digest_of(*lists) == digest_of(joined(lists))


def test_digest_depends_on_texts_and_their_order():
    different = [["a", "b"], ["b", "a"], ["ab"], ["a", "b", ""], ["a"], ["a", "\ud800"], ["a", "é"], []]
    assert len({digest_of(texts) for texts in different}) == len(different)


@given(LISTS, st.data())
def test_skipping_leaves_the_rest(lists, data):
    texts = joined(lists)
    count = data.draw(st.integers(0, len(texts)))
    digest = TextDigest()
    if count or lists:
        rest = skip_texts(iter(lists), count, digest_of(texts[:count]), digest)
        assert joined(rest) == texts[count:]
        assert digest.hex() == digest_of(texts[:count])


def test_other_texts_are_refused():
    expected = digest_of(["a", "b"])
    with pytest.raises(UsageError, match="the first 2 texts of the source differ from those encoded before; it is not"):
        list(skip_texts(iter([["a", "c", "d"]]), 2, expected, TextDigest()))
    with pytest.raises(UsageError, match="the source has only 1 text, but 2 were encoded before"):
        list(skip_texts(iter([["a"]]), 2, expected, TextDigest()))
