"""What an encoder promises besides its vectors: options, errors, reports, threads, forks, pickles."""

import multiprocessing
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from tokenizers import Tokenizer

import rowspace as rs
from rowspace.encode import Encoder, FlatIds, quantize
from rowspace.errors import FileFormatError, UsageError
from rowspace.table import Table

from .conftest import TEXTS, WORDS

pytestmark = pytest.mark.kernels
MANY = [f"the cat {number}s sat, {'naïve ' * (number % 7)}" for number in range(1700)]


def test_one_text_many_texts_and_an_iterable_agree(table):
    encoder = Encoder(table)
    vectors = encoder.encode(MANY)
    assert (vectors.shape, vectors.dtype) == ((1700, 20), np.float32)
    assert (encoder.encode(text for text in MANY) == vectors).all()
    assert (encoder.encode(np.array(MANY[:3])) == vectors[:3]).all()
    for number in (0, 3, 1699):
        assert (encoder.encode(MANY[number]) == vectors[number]).all()
    assert encoder.encode([]).shape == (0, 20)
    assert encoder.encode("").tolist() == [0] * 20


def test_number_of_threads_does_not_change_vectors(table):
    encoder = Encoder(table, workers=1)
    expected = encoder.encode(MANY)
    assert (encoder.encode(MANY, workers=3) == expected).all()
    assert (Encoder(table).encode(MANY) == expected).all()


def test_dim_cuts_before_normalization(table, rows):
    full = Encoder(table).encode(TEXTS)
    cut = Encoder(table, dim=8)
    assert (cut.dim, cut.encode(TEXTS).shape) == (8, (len(TEXTS), 8))
    np.testing.assert_allclose(cut.encode(TEXTS), full[:, :8], atol=1e-6)
    lengths = np.linalg.norm(cut.encode(TEXTS, normalize=True), axis=1)
    np.testing.assert_allclose(lengths[full.any(axis=1)], 1, atol=1e-6)
    assert cut.encode("the", dtype="ubinary").shape == (1,)


@pytest.mark.parametrize("dtype", ["float16", "int8", "binary", "ubinary"])
def test_dtypes_are_those_of_quantize(table, dtype):
    vectors = Encoder(table).encode(MANY)
    found = Encoder(table, dtype=dtype).encode(MANY)
    expected = quantize(vectors, dtype)
    assert found.dtype == expected.dtype
    assert (found == expected).all()
    assert (Encoder(table).encode(MANY[0], dtype=dtype) == expected[0]).all()


def test_options_of_a_call_replace_those_of_the_encoder(table):
    encoder = Encoder(table, normalize=True, max_tokens=3)
    for options in ({}, {"normalize": False}, {"max_tokens": 0}, {"mode": "sentence-transformers", "dtype": "float16"}):
        expected = Encoder(table, **{"normalize": True, "max_tokens": 3} | options).encode(TEXTS)
        for _ in range(2):
            assert (encoder.encode(TEXTS, **options) == expected).all()


def test_ids_of_texts_give_the_same_vectors(table):
    encoder = Encoder(table)
    flat = encoder.encode_tokens(TEXTS)
    library = Tokenizer.from_str(table.tokenizer)
    assert flat.ids.tolist() == [
        number for text in TEXTS for number in library.encode(text, add_special_tokens=False).ids
    ]
    assert (encoder.encode_ids(flat) == encoder.encode(TEXTS)).all()
    lists = [flat.ids[a:b].tolist() for a, b in zip(flat.indptr, flat.indptr[1:], strict=False)]
    assert (encoder.encode_ids(lists) == encoder.encode(TEXTS)).all()
    assert encoder.encode_ids([[10**6], []]).tolist() == [[0] * 20] * 2
    with pytest.raises(UsageError, match="ids must not be negative, and one is -1"):
        encoder.encode_ids(FlatIds.of([[3, -1]]))


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["a", None], "texts must be strings, but text 1 is a NoneType"),
        ([b"a"], "text 0 is a bytes"),
        ([3], "text 0 is a int"),
        (None, "texts must be a list of texts, not NoneType; give a list of strings"),
        ({"id": ["a"]}, r"texts must be one column of texts, not a dict; pass df\['text'\], for example"),
        (pd.DataFrame({"id": ["a"]}), "texts must be one column of texts, not a DataFrame"),
        (["a"] * 600 + [("a",)], "text 600 is a tuple"),
    ],
)
def test_other_things_than_texts_are_refused(table, texts, complaint):
    for encoder in (Encoder(table), Encoder(table, mode="model2vec")):
        with pytest.raises(UsageError, match=complaint):
            encoder.encode(texts)
    with pytest.raises(UsageError, match=complaint):
        encoder.encode_tokens(texts)


def test_one_string_is_not_split_into_characters(table):
    encoder = Encoder(table)
    for call in (encoder.encode_and_count, encoder.encode_tokens):
        with pytest.raises(UsageError, match="texts must be a list of texts, not str; give a list of strings"):
            call("the cat")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"mode": "fast"}, "mode must be one of rowspace, model2vec, sentence-transformers, contextual, not 'fast'"),
        ({"pooling": "median"}, "pooling must be one of mean, sif, sum, first, max"),
        ({"dim": 21}, "dim must be at most the table's 20, not 21"),
        ({"dim": 0}, "dim must be a whole number from 1"),
        ({"max_tokens": -1}, "max_tokens must be a whole number from 0"),
        ({"dtype": "float64"}, "dtype must be one of float32, float16, int8, binary, ubinary"),
        ({"normalize": "yes"}, "normalize must be True, False or None"),
        ({"workers": 0}, "workers must be a whole number from 1"),
        ({"sif_a": 0}, "sif_a must be a number from"),
        ({"pool": "mean"}, "unknown option 'pool'; the options are 'dim'"),
    ],
)
def test_invalid_options_are_named(table, options, complaint):
    with pytest.raises(UsageError, match=complaint):
        Encoder(table, **options)


def test_tables_that_cannot_encode_say_why(table):
    with pytest.raises(UsageError, match="this table has no tokenizer, so texts have no ids; open one"):
        Encoder(Table(["a"], np.ones((1, 2))))
    with pytest.raises(UsageError, match="has no counts"):
        Encoder(Table(WORDS, table.rows, tokenizer=table.tokenizer), pooling="sif")
    with pytest.raises(FileFormatError, match="the table's tokenizer"):
        Encoder(Table(["a"], np.ones((1, 2)), tokenizer="{}"))
    with pytest.raises(UsageError, match="there is no file or folder"):
        Encoder.load("no-such-table")


def test_a_text_is_the_name_of_a_row_where_rows_are_things(tmp_path):
    graph = rs.fit_graph([("Jean Valjean", "Javert"), ("Javert", "Cosette")], dim=8, epochs=1, workers=1)
    graph.save(tmp_path / "graph")
    for table in (graph, rs.load(tmp_path / "graph")):
        encoder = Encoder(table, pooling="sum")
        vectors = encoder.encode(["Jean Valjean", "Javert Cosette", "Javert"])
        np.testing.assert_array_equal(vectors[[0, 2]], graph[["Jean Valjean", "Javert"]])
        assert not vectors[1].any()
        assert encoder.table.path == table.path


def test_report_counts_texts_tokens_and_unknown_ones(table):
    encoder = Encoder(table)
    encoder.encode("the ☃ cat")
    encoder.encode(["the", "☃☃"], mode="sentence-transformers")
    report = encoder.report
    assert (report.texts, report.tokens, report.unknown_tokens, report.composed_tokens) == (3, 5, 2, 0)
    assert report.bytes == len("the ☃ catthe☃☃".encode())
    assert report.unknown_share == 2 / 5
    assert report.scanned_texts <= report.texts
    assert Encoder(table).report.unknown_share == Encoder(table).report.scanned_share == 0


def test_the_scanned_share_counts_texts_that_only_got_ids(table):
    encoder = Encoder(table).warm_up()
    encoder.encode(["the cat"])
    encoder.encode_tokens(["the cat sat", "cats"])
    report = encoder.report
    assert report.bytes == len("a" + "the cat" + "the cat sat" + "cats")
    assert report.scanned_share == 1


def test_threads_share_an_encoder(table):
    encoder = Encoder(table)
    expected = encoder.encode(MANY)
    before = encoder.report
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: encoder.encode(MANY), range(16)))
    assert all((each == expected).all() for each in found)
    assert encoder.report.texts == 17 * before.texts
    assert encoder.report.tokens == 17 * before.tokens


def test_forked_process_uses_the_encoder(table):
    encoder = Encoder(table)
    expected = encoder.encode(MANY)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert (pool.apply(encoder.encode, (MANY,)) == expected).all()


def test_pickled_encoder_is_the_same(table):
    encoder = Encoder(table, mode="model2vec", dim=8, normalize=True, pooling="sif")
    again = pickle.loads(pickle.dumps(encoder))
    assert again.options == encoder.options
    assert again.fingerprint == encoder.fingerprint
    assert (again.encode(TEXTS) == encoder.encode(TEXTS)).all()


def test_encoding_changes_neither_environment_nor_tokenizer(table):
    environment = dict(os.environ)
    encoder = Encoder(table, mode="model2vec")
    before = encoder.tokenizer.library.to_str()
    encoder.encode(MANY)
    encoder.encode(MANY, max_tokens=3)
    assert dict(os.environ) == environment
    assert encoder.tokenizer.library.to_str() == before
    assert encoder.table.tokenizer == table.tokenizer


def test_fingerprint_depends_on_all_that_decides_vectors(table, rows):
    def changed(**parts):
        parts = {"vocabulary": WORDS, "rows": rows, "counts": table.counts, "tokenizer": table.tokenizer} | parts
        return Table(**parts)

    first = Encoder(table).fingerprint
    assert Encoder(changed()).fingerprint == Encoder(table, workers=2).fingerprint == first
    other = rows.copy()
    other[-1, -1] += 1
    others = [
        Encoder(changed(rows=other)),
        Encoder(changed(rows=rows.astype(np.float64))),
        Encoder(changed(tokenizer=table.tokenizer + " ")),
        Encoder(table, mode="model2vec"),
        Encoder(changed(settings={"normalize": True}), mode="model2vec"),
        Encoder(table, pooling="sum"),
        Encoder(table, pooling="sif"),
        Encoder(table, pooling="sif", sif_a=0.1),
        Encoder(changed(counts=table.counts + 1), pooling="sif"),
        Encoder(table, dim=8),
        Encoder(table, normalize=True),
    ]
    assert len({first, *(each.fingerprint for each in others)}) == len(others) + 1


def test_repr_names_changed_options(table):
    assert (
        repr(Encoder(table, dim=8, mode="model2vec"))
        == "Encoder(Table(63 tokens × 20, float32), mode='model2vec', dim=8)"
    )


def test_formats_are_opened_with_the_mode_of_their_library(tmp_path, table):
    for name, mode in (("native", "rowspace"), ("model2vec", "model2vec"), ("sentence-transformers",) * 2):
        table.save(tmp_path / name, format=name)
        assert rs.Encoder.load(tmp_path / name).options.mode == mode
    assert rs.Encoder.load(tmp_path / "model2vec", mode="rowspace", dim=3).encode("the").shape == (3,)


def test_first_texts_do_not_import_numba(tmp_path, table):
    table.save(tmp_path / "m")
    code = f"""
import sys
import rowspace as rs
encoder = rs.Encoder.load({str(tmp_path / "m")!r})
encoder.encode("the cat"), encoder.encode(["the cat"] * 100)
assert "numba" not in sys.modules
first = encoder.encode(["the cat"] * 20000)
assert "numba" in sys.modules
assert abs(first - encoder.encode("the cat")).max() < 1e-6
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_warm_up_leaves_the_report_and_prepares_kernels(table):
    encoder = Encoder(table).warm_up()
    assert "numba" in sys.modules
    assert encoder.encode("the").shape == (20,)
