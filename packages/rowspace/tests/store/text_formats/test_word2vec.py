import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError, UsageError
from rowspace.store.text_formats import word2vec
from rowspace.table import Table

pytestmark = pytest.mark.kernels

ROWS = np.array([[0.5, -1.25], [np.pi, 0.0], [1e-30, 3e38]], np.float32)


def record(word: bytes, row: object) -> bytes:
    return word + b" " + np.asarray(row, "<f4").tobytes()


def file_of(tmp_path, content):
    path = tmp_path / "v.bin"
    path.write_bytes(content)
    return path


# Parity with gensim, which reads and writes most .bin files.


@pytest.mark.parametrize("vocabulary", [["cat", "dog", "the"], ["", "\t", "né😀"], ["\0", "\r", "\u3000"]])
def test_saved_file_equals_gensims_byte_for_byte(tmp_path, vocabulary):
    vectors = KeyedVectors(2)
    vectors.add_vectors(vocabulary, ROWS)
    vectors.save_word2vec_format(tmp_path / "gensim.bin", binary=True)
    word2vec.save(Table(vocabulary, ROWS), tmp_path / "ours.bin")
    assert (tmp_path / "ours.bin").read_bytes() == (tmp_path / "gensim.bin").read_bytes()


@given(
    st.lists(st.text(st.characters(exclude_characters=" \n", exclude_categories=["Cs"])), unique=True, min_size=1),
    st.integers(1, 9),
    st.sampled_from([np.float16, np.float32, np.float64]),
)
def test_gensim_loads_the_same_table_from_a_saved_file(tmp_path_factory, vocabulary, dim, dtype):
    path = tmp_path_factory.mktemp("w") / "v.bin"
    rows = np.random.default_rng(dim).standard_normal((len(vocabulary), dim)).astype(dtype)
    word2vec.save(Table(vocabulary, rows), path)
    ours, gensims = word2vec.load(path), KeyedVectors.load_word2vec_format(path, binary=True)
    assert ours.vocabulary == gensims.index_to_key == vocabulary
    assert ours.rows.tobytes() == gensims.vectors.tobytes() == rows.astype(np.float32).tobytes()
    assert ours.counts is None


def test_newlines_after_rows_are_dropped_as_in_gensim(tmp_path):
    content = b"3 2\n" + b"".join(record(word, row) + b"\n" for word, row in zip([b"a", b"", b"b"], ROWS, strict=True))
    path = file_of(tmp_path, content)
    expected = KeyedVectors.load_word2vec_format(path, binary=True)
    table = word2vec.load(path)
    assert table.vocabulary == expected.index_to_key == ["a", "", "b"]
    assert (table.rows == expected.vectors).all()


def test_duplicate_words_keep_the_first_row_as_in_gensim(tmp_path):
    words = [b"a", b"b", b"a", b"c", b"b"]
    path = file_of(tmp_path, b"5 1\n" + b"".join(record(word, [i]) for i, word in enumerate(words)))
    with pytest.warns(UserWarning, match="2 words are duplicated, the first is kept; one is 'a'"):
        table = word2vec.load(path)
    expected = KeyedVectors.load_word2vec_format(path, binary=True)
    assert table.vocabulary == ["a", "b", "c"]
    assert expected.index_to_key == ["a", "b", "c", None, None]  # gensim leaves None for the duplicates
    assert (table.rows == expected.vectors[:3]).all()


def test_word_truncated_within_a_character_is_replaced_as_in_gensim(tmp_path):
    path = file_of(tmp_path, b"2 1\n" + record("né".encode()[:-1], [1]) + record("né".encode(), [2]))
    with pytest.warns(UserWarning, match=r"1 word is not valid UTF-8.*first in 'n\ufffd'"):
        table = word2vec.load(path)
    expected = KeyedVectors.load_word2vec_format(path, binary=True, unicode_errors="replace")
    assert table.vocabulary == expected.index_to_key == ["n\ufffd", "né"]


def test_several_threads_copy_rows_to_the_correct_position(tmp_path):
    vocabulary = [f"{'w' * (i % 40)}{i}" for i in range(3000)]
    rows = np.random.default_rng(0).standard_normal((3000, 300)).astype(np.float32)
    assert rows.nbytes > 3 * word2vec.MIN_SHARE
    word2vec.save(Table(vocabulary, rows), tmp_path / "v.bin")
    table = word2vec.load(tmp_path / "v.bin")
    assert table.vocabulary == vocabulary
    assert (table.rows == rows).all()


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 99])
def test_limit_reads_the_first_words_as_in_gensim(tmp_path, limit):
    word2vec.save(Table(["a", "b", "c"], ROWS), tmp_path / "v.bin")
    table = word2vec.load(tmp_path / "v.bin", limit=limit)
    assert table.vocabulary == ["a", "b", "c"][:limit]
    assert (table.rows == ROWS[:limit]).all()
    if limit:  # gensim treats 0 as no limit
        expected = KeyedVectors.load_word2vec_format(tmp_path / "v.bin", binary=True, limit=limit)
        assert table.vocabulary == expected.index_to_key
        assert (table.rows == expected.vectors).all()


# Words that the format cannot hold.


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize(
    "word", ["New York", "New ", " New", "New  York", "rock 'n' roll", "1 2 3 4", "à la", "x\ny", "\nx"]
)
def test_word_with_a_blank_or_a_newline_is_refused(tmp_path, word, end):
    rows = np.random.default_rng(0).standard_normal((5, 50)).astype(np.float32) / 10
    rows[0, -1] = np.frombuffer(b"\x00\x00\n\x3e", "<f4")[0]  # the row that begins a byte early ends in a newline
    for place in range(5):
        for changed in (rows, np.sign(rows), np.zeros_like(rows), rows.astype(np.float16).astype(np.float32)):
            words = [f"w{number}".encode() for number in range(5)]
            words[place] = word.encode()
            lines = [record(*line) + end for line in zip(words, changed, strict=True)]
            path = file_of(tmp_path, b"5 50\n" + b"".join(lines))
            with pytest.raises(FileFormatError, match=r"holds a blank or a newline.* by _|data continues"):
                pytest.fail(f"{place}: {word2vec.load(path)}")


def test_gensims_own_file_of_phrases_is_refused(tmp_path):
    vectors = KeyedVectors(20)
    vectors.add_vectors(["king", "New York", "of"], np.random.default_rng(1).standard_normal((3, 20)))
    vectors.save_word2vec_format(tmp_path / "v.bin", binary=True)
    with pytest.raises(FileFormatError, match="byte 90: word 2: 'New York' holds a blank or a newline"):
        word2vec.load(tmp_path / "v.bin")


def test_big_endian_numbers_are_refused(tmp_path):
    rows = np.random.default_rng(0).normal(size=(3, 5)).astype(">f4")
    content = b"".join(word + b" " + row.tobytes() for word, row in zip((b"a", b"b", b"c"), rows, strict=True))
    (tmp_path / "big.bin").write_bytes(b"3 5\n" + content)
    with pytest.raises(FileFormatError, match="its numbers are big-endian"):
        word2vec.load(tmp_path / "big.bin")


def test_rows_of_any_bytes_are_no_words_with_blanks(tmp_path):
    # Diverged and denormal rows are far from what vectors hold, and must not be taken for the end of a word.
    rows = np.random.default_rng(0).integers(0, 2**32, (2000, 25), np.uint32).view(np.float32)
    words = [f"w{number}" for number in range(2000)]
    with np.errstate(invalid="ignore"):
        word2vec.save(Table(words, rows), tmp_path / "v.bin")
    table = word2vec.load(tmp_path / "v.bin")
    assert table.vocabulary == words
    assert table.rows.tobytes() == rows.tobytes()


# Damaged files.


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "byte 0: not a word2vec file"),
        (b"cat 1 2\n", "byte 0: not a word2vec file"),
        (b"1 2", "byte 0: not a word2vec file"),
        (b"-1 2\n", "byte 0: not a word2vec file"),
        (b"1" * 200 + b" 2\n", "byte 0: not a word2vec file"),
        ("\u0661 2\n".encode(), "byte 0: not a word2vec file"),
        (b"1 0\n ", "declares 1 word of 0 numbers"),
        (b"9999999999999 300\n", "declares 9,999,999,999,999 words of 300 numbers, but has 18 bytes instead of"),
        (b"2 1\n" + record(b"a", [1]) + b"bbbbbb", "byte 10: word 2 of 2 has no blank after it"),
        (b"2 1\n" + record(b"aaaa", [1]) + b"b 123", "byte 13: word 2 of 2 has too few numbers after it"),
        (b"1 1\n" + record(b"a" * 70_000, [1]), "byte 4: word 1 of 1 has no blank after it"),
        (b"1 1\n" + record(b"a", [1]) + b"more", "byte 10: data continues after 1 declared word"),
        (b"2 3\nthe 0.25 -1 3e-5\nof .5 nan 5.\n", "byte 4: word2vec's text form"),
    ],
)
def test_damaged_file_is_refused_with_its_byte_offset(tmp_path, content, complaint):
    path = file_of(tmp_path, content)
    with pytest.raises(FileFormatError, match=f"v.bin: .*{complaint}"):
        word2vec.load(path)


@pytest.mark.long
def test_changed_byte_in_the_header_is_refused_or_has_no_effect(tmp_path):
    word2vec.save(Table(["cat", "né", "dog"], ROWS), tmp_path / "v.bin")
    content = (tmp_path / "v.bin").read_bytes()
    for place in range(4):
        for value in range(256):
            path = file_of(tmp_path, content[:place] + bytes([value]) + content[place + 1 :])
            try:
                table = word2vec.load(path)
            except FileFormatError:
                continue
            assert table.vocabulary == ["cat", "né", "dog"]
            assert (table.rows == ROWS).all()


# Saving.


@pytest.mark.parametrize(
    ("token", "complaint"),
    [
        ("a b", "blank or a newline"),
        ("a\n", "blank or a newline"),
        ("\ud800", "surrogate"),
        ("a" * 65_537, "65536"),
    ],
)
def test_unsupported_token_is_refused_and_nothing_is_written(tmp_path, token, complaint):
    with pytest.raises(UsageError, match=rf"\(id 1\).*{complaint}"):
        word2vec.save(Table(["fine", token], np.eye(2)), tmp_path / "v.bin")
    assert not list(tmp_path.iterdir())


def test_longest_token_round_trips(tmp_path):
    word2vec.save(Table(["a" * 65_536], np.ones((1, 1))), tmp_path / "v.bin")
    assert word2vec.load(tmp_path / "v.bin").vocabulary == ["a" * 65_536]
