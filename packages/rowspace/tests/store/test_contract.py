"""Tests that every format must pass; tests of one format are in the file named after it."""

import copy
import multiprocessing
import operator
import pickle
import shutil
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from tests.store.cases import CASES, storable_tokens, table_of, tokenizer_of

from rowspace import store
from rowspace.errors import FileFormatError, UnseenTokenWarning, UsageError
from rowspace.table import Table

each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.label)


def assert_same(actual, expected, case):
    assert list(actual.vocabulary) == list(expected.vocabulary)
    if case.format == "fasttext" and case.with_ngrams:  # this format computes rows from the n-gram rows
        np.testing.assert_array_equal(actual.subwords.own, expected.subwords.own)
    else:
        assert actual.rows.dtype == expected.rows.dtype
        assert actual.rows.tobytes() == expected.rows.tobytes()
    assert (actual.counts is None) == (expected.counts is None)
    assert actual.counts is None or actual.counts.tolist() == expected.counts.tolist()
    assert (actual.subwords is None) == (expected.subwords is None)


def files_of(path):
    return [path] if path.is_file() else sorted(file for file in path.iterdir() if file.is_file())


@each_case
def test_saved_table_loads_bit_for_bit_equal(tmp_path, case):
    for dtype in case.dtypes:
        table = table_of(case, storable_tokens(case), dtype)
        path = case.save(table, tmp_path)
        assert store.format_of(path).name == case.format
        assert_same(store.load(path), table, case)


@each_case
def test_table_without_counts_loads_without_counts(tmp_path, case):
    table = Table(["[UNK]", "cat"], np.eye(2, 4, dtype=np.float32))
    counts = store.load(case.save(table, tmp_path)).counts
    assert counts is None or case.format == "fasttext"  # fastText files always have counts


@each_case
def test_empty_table_round_trips_or_is_refused(tmp_path, case):
    empty = table_of(case, ["[UNK]"] if case.has_unknown else [])
    if case.format == "glove":
        with pytest.raises(UsageError, match="number of columns could not be detected"):
            case.save(empty, tmp_path)
    elif case.format == "tsv":
        case.save(empty, tmp_path)  # an empty file, which cannot be recognized
    else:
        assert_same(store.load(case.save(empty, tmp_path)), empty, case)


@each_case
def test_unsupported_token_is_refused_and_nothing_is_written(tmp_path, case):
    for token in [f"a{character}b" for character in case.forbidden] + ["\ud800"]:
        with pytest.raises(UsageError, match=r"\(id 1\)"):
            case.save(table_of(case, ["[UNK]", token]), tmp_path)
    assert not list(tmp_path.iterdir())


@each_case
def test_longdouble_rows_are_converted_or_refused(tmp_path, case):
    table = Table(["[UNK]", "cat"], np.array([[0, 1], [2, 3]], np.longdouble))
    if case.dtypes == (np.float32,) and case.format != "native":
        assert store.load(case.save(table, tmp_path)).rows.tolist() == [[0, 1], [2, 3]]
        return
    with pytest.raises(UsageError, match="cannot be saved; convert them to float32"):
        case.save(table, tmp_path)
    assert not list(tmp_path.iterdir())


@each_case
def test_rows_are_mapped_read_only_if_the_format_allows_it(tmp_path, case):
    rows = store.load(case.save(table_of(case), tmp_path)).rows
    if case.is_mapped:
        assert not rows.flags.writeable
        assert not rows.flags.owndata
    else:
        assert rows.flags.c_contiguous


@each_case
def test_table_can_overwrite_the_file_it_is_mapped_from(tmp_path, case):
    table = table_of(case)
    path = case.save(table, tmp_path)
    opened = store.load(path)
    case.save(opened, tmp_path)
    again = store.load(path)
    case.save(table_of(case, ["[UNK]", "other"]), tmp_path)
    assert_same(opened, table, case)
    assert_same(again, table, case)


@each_case
def test_unrelated_files_are_not_replaced(tmp_path, case):
    path = tmp_path / case.name
    (path.mkdir() or path / "thesis" if case.is_folder else path).write_bytes(b"thesis")
    for act in (lambda: case.save(table_of(case), tmp_path), lambda: store.check_target(path, format=case.format)):
        with pytest.raises(UsageError, match="cannot save to"):
            act()
    assert (path / "thesis" if path.is_dir() else path).read_bytes() == b"thesis"


@pytest.mark.parametrize("case", [case for case in CASES if not case.is_folder], ids=lambda case: case.label)
def test_empty_file_is_replaced(tmp_path, case):
    (tmp_path / case.name).touch()
    assert_same(store.load(case.save(table_of(case), tmp_path)), table_of(case), case)


# GloVe is left out: it has no header that would show truncation.
@pytest.mark.parametrize("case", CASES[:-1], ids=lambda case: case.label)
def test_truncated_file_is_refused(tmp_path, case):
    path = case.save(table_of(case), tmp_path)
    for file in files_of(path):
        content = file.read_bytes()
        for length in {0, 1, 9, *range(2, len(content) - 1, 1 + len(content) // 12), len(content) - 1}:
            file.write_bytes(content[:length])
            if is_harmless(file.name, content, length):
                continue
            with pytest.raises(FileFormatError, match=str(tmp_path)):
                _ = store.load(path).rows[0]
        file.write_bytes(content)


def is_harmless(name, content, length):
    """Whether truncation is undetectable: a final newline, digits of the last number, or all of modules.json."""
    if length >= len(content.rstrip()):
        return True
    if name.endswith((".vec", ".txt", ".tsv")):
        return length > content[:-1].rfind(b" " if b" " in content else b"\t")
    return name == "modules.json"


@each_case
def test_file_with_other_leading_bytes_is_not_recognized(tmp_path, case):
    path = case.save(table_of(case), tmp_path)
    for file in files_of(path):
        if file.suffix != ".json":
            file.write_bytes(b"\xfe\xff\xfe\xff\0\0\0\0" + file.read_bytes()[8:])
    with pytest.raises(FileFormatError, match=str(tmp_path)):
        store.load(path)


@pytest.mark.parametrize("case", [case for case in CASES if case.has_tokenizer], ids=lambda case: case.label)
def test_tokenizer_round_trips_unchanged(tmp_path, case):
    plain = table_of(case)
    table = Table(plain.vocabulary, plain.rows, tokenizer=tokenizer_of(plain.vocabulary))
    assert store.load(case.save(table, tmp_path)).tokenizer == table.tokenizer


def second_row(table):
    return table["cat"].tolist(), table.tokenizer, table.settings


def opened_tables(folder):
    """Yield a loaded table of each format, with a tokenizer, n-grams and settings where the format supports them."""
    for number, case in enumerate(CASES):
        place = folder / str(number)
        place.mkdir()
        plain = table_of(case)
        tokenizer = tokenizer_of(plain.vocabulary) if case.has_tokenizer else None
        settings = {"window": 5} if case.format == "native" else None
        table = Table(
            plain.vocabulary, plain.rows, plain.counts, tokenizer=tokenizer, settings=settings, subwords=plain.subwords
        )
        yield case, store.load(case.save(table, place))


def test_pickled_and_copied_tables_do_not_need_their_files(tmp_path):
    for case, table in opened_tables(tmp_path):
        expected = second_row(store.load(tmp_path / str(CASES.index(case)) / case.name))
        pickled = pickle.dumps(table)
        twins = [copy.copy(table), copy.deepcopy(table), pickle.loads(pickled)]  # our own
        shutil.rmtree(tmp_path / str(CASES.index(case)))
        for twin in twins:
            assert second_row(twin) == expected, case.label
            assert_same(twin, table, case)
            if case.with_ngrams:
                with pytest.warns(UnseenTokenWarning):
                    assert twin["cats"].tolist() == [1, 1, 1, 1]


def test_tables_of_every_format_can_be_sent_to_another_process(tmp_path):
    tables = [table for _, table in opened_tables(tmp_path)]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        found = list(pool.map(operator.itemgetter("cat"), tables))
    np.testing.assert_array_equal(found, [table["cat"] for table in tables])


@each_case
def test_check_target_allows_what_save_would_replace(tmp_path, case):
    path = case.save(table_of(case), tmp_path)
    if case.format == "safetensors":  # it owns the tokenizer.json next to it
        assert path.with_name("tokenizer.json").exists()
    store.check_target(path, format=case.format)
