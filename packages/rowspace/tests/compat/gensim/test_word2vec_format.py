import bz2
import io

import gensim.models
import numpy as np
import pytest

from rowspace.compat.gensim.models import KeyedVectors

WORDS = ["cat", "naïve", "日本", "x" * 50]


@pytest.fixture(scope="module")
def both():
    rows = np.random.default_rng(1).normal(size=(len(WORDS), 5)).astype(np.float32)
    ours, theirs = KeyedVectors(5), gensim.models.KeyedVectors(5)
    for vectors in (ours, theirs):
        vectors.add_vectors(WORDS, rows)
        for number, word in enumerate(WORDS):
            vectors.set_vecattr(word, "count", number + 1)
    return ours, theirs


@pytest.mark.parametrize("binary", [False, True])
def test_files_equal_gensims_byte_for_byte(both, binary, tmp_path):
    for name, vectors in zip(("ours", "theirs"), both, strict=True):
        vectors.save_word2vec_format(str(tmp_path / name), str(tmp_path / f"{name}.counts"), binary=binary)
        vectors.save_word2vec_format(str(tmp_path / name), binary=binary, append=True, write_header=False, prefix="*")
    for suffix in ("", ".counts"):
        assert (tmp_path / f"ours{suffix}").read_bytes() == (tmp_path / f"theirs{suffix}").read_bytes()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("keywords", [{}, {"encoding": "latin-1"}, {"unicode_errors": "ignore"}, {"limit": 2}])
def test_files_are_read_as_gensim_reads_them(both, binary, keywords, tmp_path):
    path = tmp_path / "vectors"
    both[1].save_word2vec_format(str(path), binary=binary)
    ours = KeyedVectors.load_word2vec_format(path, binary=binary, **keywords)
    theirs = gensim.models.KeyedVectors.load_word2vec_format(path, binary=binary, **keywords)
    assert ours.index_to_key == theirs.index_to_key
    assert (ours.vectors == theirs.vectors).all()
    assert ours.expandos["count"].tolist() == theirs.expandos["count"].tolist()


def test_no_vectors_have_the_width_of_the_file(both, tmp_path):
    path, empty = tmp_path / "vectors", tmp_path / "empty"
    for binary in (False, True):
        both[1].save_word2vec_format(str(path), binary=binary)
        empty.write_text("0 5\n")
        for encoding in ("utf8", "latin-1"):
            for source, limit in ((path, 0), (empty, None)):
                read = KeyedVectors.load_word2vec_format(source, binary=binary, encoding=encoding, limit=limit)
                assert read.vectors.shape == (0, 5), (source, encoding)


def test_compressed_files_and_file_objects_are_read(both, tmp_path):
    both[1].save_word2vec_format(str(tmp_path / "vectors.txt"))
    data = (tmp_path / "vectors.txt").read_bytes()
    (tmp_path / "vectors.bz2").write_bytes(bz2.compress(data))
    for source in (tmp_path / "vectors.bz2", io.BytesIO(data)):
        assert KeyedVectors.load_word2vec_format(source).index_to_key[0] == "x" * 50


def test_damaged_files_are_refused(tmp_path):
    path = tmp_path / "vectors"
    for data, binary in ((b"3 2\na 1 2\n", False), (b"2 2\na 12345678", True), (b"2 2\na 1\nb 1 2\n", False)):
        path.write_bytes(data)
        for keywords in ({}, {"unicode_errors": "replace"}):
            with pytest.raises(EOFError):
                KeyedVectors.load_word2vec_format(path, binary=binary, **keywords)


def test_invalid_utf8_is_refused_unless_it_is_allowed(tmp_path):
    path = tmp_path / "vectors"
    path.write_bytes(b"1 2\nna\xefve 1 2\n")
    with pytest.raises(UnicodeDecodeError, match="unicode_errors='replace'"):
        KeyedVectors.load_word2vec_format(path)
    assert KeyedVectors.load_word2vec_format(path, unicode_errors="ignore").index_to_key == ["nave"]


def test_intersect_replaces_known_words_only(both, tmp_path):
    both[1].save_word2vec_format(str(tmp_path / "vectors"), binary=True)
    vectors = KeyedVectors(5)
    vectors.add_vectors(["cat", "dog"], np.ones((2, 5)))
    vectors.intersect_word2vec_format(tmp_path / "vectors", binary=True, lockf=0.5)
    assert vectors.index_to_key == ["cat", "dog"]
    assert (vectors["cat"] == both[0]["cat"]).all()
    assert (vectors["dog"] == 1).all()
    assert vectors.vectors_lockf.tolist() == [0.5, 1.0]


def test_a_blank_in_a_key_is_refused(tmp_path):
    vectors = KeyedVectors(1)
    vectors.add_vector("New York", [1.0])
    with pytest.raises(ValueError, match="holds a blank"):
        vectors.save_word2vec_format(tmp_path / "vectors")
    assert not (tmp_path / "vectors").exists()
