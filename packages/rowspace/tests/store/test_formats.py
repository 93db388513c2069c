import gzip
import os
import pickle
import re
import zipfile

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors, Word2Vec

from rowspace import store
from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.table import Table

WRITTEN = [known for known in store.FORMATS if not known.is_read_only]


@pytest.fixture
def table():
    return Table(["cat", "dog"], np.eye(2, dtype=np.float32), np.array([2, 1]))


@pytest.mark.parametrize(
    ("name", "format_name", "kind"),
    [("t", None, "native"), ("t.bin", None, "word2vec"), ("T.BIN", None, "word2vec"), ("t.v2", None, "native"),
     ("t.bin", "native", "native"), ("t", "word2vec", "word2vec"), ("t.vec", None, "word2vec-text"),
     ("t.txt", None, "word2vec-text"), ("t.txt", "glove", "glove"), ("t.npz", None, "npz"),
     ("t.parquet", None, "parquet"), ("t.feather", None, "parquet")],
)  # fmt: skip
def test_save_takes_format_from_name_or_suffix_and_load_recognizes_content(tmp_path, table, name, format_name, kind):
    store.save(table, tmp_path / name, format=format_name)
    (tmp_path / name).rename(tmp_path / "renamed.any")
    assert store.format_of(tmp_path / "renamed.any").name == kind
    again = store.load(tmp_path / "renamed.any", verify=True)
    assert list(again.vocabulary) == table.vocabulary
    assert (again.rows == table.rows).all()


@pytest.mark.parametrize("name", ["t.npy", "t.tsv"])
def test_format_of_two_files_is_recognized_from_the_rows_file(tmp_path, table, name):
    store.save(table, tmp_path / name)
    assert store.format_of(tmp_path / name).suffixes == (tmp_path.joinpath(name).suffix,)
    assert (store.load(tmp_path / name).rows == table.rows).all()


@pytest.mark.parametrize("known", WRITTEN, ids=lambda known: known.name)
def test_limit_loads_only_the_first_rows_of_each_format(tmp_path, table, known):
    path = tmp_path / f"t{'' if known.is_folder else (*known.suffixes, '.txt')[0]}"
    store.save(table, path, format=known.name)
    for limit, tokens in ((1, ["cat"]), (2, ["cat", "dog"]), (9, ["cat", "dog"])):
        first = store.load(path, limit=limit)
        assert list(first.vocabulary)[:2] == tokens  # some formats add a row for [UNK]
        assert first.rows[:2].tolist() == table.rows[:limit].tolist()
        assert first.tokenizer is None or limit > 1
        if known.has_counts:
            assert first.counts.tolist() == table.counts[:limit].tolist()
    with pytest.raises(UsageError, match="limit must be at least 1, not 0"):
        store.load(path, limit=0)


def test_paths_can_be_strings(tmp_path, table):
    store.save(table, str(tmp_path / "t"))
    assert len(store.load(str(tmp_path / "t"))) == 2


def write_zip(path, names):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "cat 0.5 1\n")


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda path: path.mkdir(), "the folder is empty"),
        (
            lambda path: (path.mkdir(), (path / "b").touch(), (path / "a").touch()),
            "the folder has neither rowspace.json nor model.safetensors (it holds a, b)",
        ),
        (
            lambda path: (path.mkdir(), (path / "config.json").touch(), (path / "pytorch_model.bin").touch()),
            "its weights are in pytorch_model.bin, a pickle, which is never opened, since it can run any code. If you",
        ),
        (lambda path: path.write_bytes(pickle.dumps([1])), "it seems to be a pickle, which is never opened"),
        (lambda path: torch.save({"a": torch.ones(1)}, path), "it is a pickle of PyTorch, which is never opened"),
        (lambda path: path.touch(), "the file is empty"),
        (
            lambda path: path.write_bytes(b"hello, world"),
            "it begins with b'hello, w'",
        ),
        (
            lambda path: path.write_bytes(gzip.compress(b"hello, world")),
            "unpacked, it begins with b'hello, w'",
        ),
        (lambda path: path.write_bytes(gzip.compress(b"cat 1 2\n")[:12]), "the .gz is damaged"),
        (
            lambda path: path.write_bytes(b"PK\3\4" + bytes(99)),
            "a zip archive that holds neither a text table nor arrays",
        ),
        (lambda path: write_zip(path, ["50d.txt", "100d.txt"]), "of 2 files (50d.txt, 100d.txt); unpack it"),
        (lambda path: write_zip(path, ["a\x07.txt", "b.txt"]), "of 2 files (a?.txt, b.txt); unpack it"),
        (
            lambda path: KeyedVectors(2).save(str(path)),
            "KeyedVectors.load(FILE).save_word2vec_format(NEW, binary=True)",
        ),
        (
            lambda path: Word2Vec([["a"]], min_count=1).save(str(path)),
            "Word2Vec.load(FILE).wv.save_word2vec_format(NEW, binary=True)",
        ),
        (
            lambda path: path.write_bytes(b"\x80\x05\x8c\x11pandas.core.frame"),
            "pandas.read_pickle(FILE).to_parquet(NEW)",
        ),
        (lambda path: path.write_text("cat 1 2\n", "utf-16"), "UTF-16; convert it with iconv -f UTF-16"),
        (lambda path: path.write_text("cat 1 2\n", "utf-32"), "UTF-32; convert it with iconv -f UTF-32"),
        (lambda path: path.write_text("cat 1 2\n", "utf-16-le"), "UTF-16LE; convert it with iconv -f UTF-16LE"),
        (lambda path: path.write_bytes(b"cat 0.5 1\rdog 2 3\r"), "end in CR alone; convert it with tr"),
        (lambda path: path.write_bytes(b"2 2\rcat 0.5 1\rdog 2 3\r"), "end in CR alone; convert it with tr"),
        (lambda path: path.write_text("<unk>\t0\n▁the\t-3.25\n"), "the vocabulary of a SentencePiece model"),
        (
            lambda path: path.write_text("\tword\t0\t1\n0\tcat\t0.5\t1\n1\tdog\t2\t3\n"),
            "it has an index or a second column of text; write it with to_csv(NEW, sep=",
        ),
    ],
)
def test_error_describes_a_path_that_is_not_a_table(tmp_path, make, complaint):
    make(tmp_path / "it")
    with pytest.raises(FileFormatError, match=f"it is not a table: .*{re.escape(complaint)}"):
        store.load(tmp_path / "it")


@pytest.mark.parametrize("path", ["missing", "", "a\0b", "missing/below/it"])
def test_missing_path_is_named_in_the_error(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=rf"there is no file or folder {re.escape(repr(path))}; check the path$"):
        store.load(path)


def test_path_refused_by_the_system_raises_a_clear_error(tmp_path):
    with pytest.raises(RowspaceError, match="cannot be read: File name too long"):
        store.load(tmp_path / ("n" * 300))


def test_pipe_is_refused_without_blocking(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileFormatError, match="not a regular file"):
        store.load(tmp_path / "pipe")


def test_error_explains_a_save_interrupted_between_its_renames(tmp_path, table):
    from rowspace._base.atomic import temporaries

    store.save(table, tmp_path / "t")
    kept = temporaries.hidden_sibling(tmp_path / "t", "old")
    (tmp_path / "t").rename(kept)
    with pytest.raises(
        UsageError, match=f"a save to it was interrupted; the old one is complete in {kept}: rename that"
    ):
        store.load(tmp_path / "t")


@pytest.mark.parametrize(("path", "complaint"), [("t", "it is a file"), ("folder.bin", "it is a folder")])
def test_check_target_raises_the_same_error_as_save(tmp_path, table, path, complaint):
    (tmp_path / "t").write_bytes(b"x")
    (tmp_path / "folder.bin").mkdir()
    for act in (store.check_target, lambda path: store.save(table, path)):
        with pytest.raises(UsageError, match=complaint):
            act(tmp_path / path)
    store.check_target(tmp_path / "new")
    store.check_target(tmp_path / "new", format="word2vec")


def test_unknown_format_is_refused(tmp_path, table):
    with pytest.raises(UsageError, match=r"unknown format 'excel'; give 'native', .* or 'glove', or leave it out"):
        store.save(table, tmp_path / "t", format="excel")


@pytest.mark.parametrize("known", WRITTEN, ids=lambda known: known.name)
def test_values_beyond_float32_are_stored_or_refused_but_never_become_infinite(tmp_path, known):
    path = tmp_path / f"t{'' if known.is_folder else (*known.suffixes, '.txt')[0]}"
    rows = np.array([[1e300, np.inf], [1e-300, np.nan]])
    if known.name in {"native", "model2vec", "sentence-transformers", "safetensors", "npz", "npy", "parquet"}:
        store.save(Table(["cat", "dog"], rows), path, format=known.name)
        np.testing.assert_array_equal(store.load(path).rows[:2], rows)
        return
    with pytest.raises(UsageError, match=r"numbers beyond 3\.4e38"):
        store.save(Table(["cat", "dog"], rows), path, format=known.name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("known", WRITTEN, ids=lambda known: known.name)
def test_rows_wider_than_the_sniffed_prefix_are_recognized(tmp_path, known):
    path = tmp_path / f"t{'' if known.is_folder else (*known.suffixes, '.txt')[0]}"
    rows = np.arange(40_000, dtype=np.float32).reshape(2, -1) + 0.25
    store.save(Table(["cat", "dog"], rows), path, format=known.name)
    assert store.format_of(path) is known
    assert (store.load(path).rows[:2] == rows).all()
