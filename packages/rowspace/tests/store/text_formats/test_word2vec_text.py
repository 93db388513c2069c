import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError, UsageError
from rowspace.store import load
from rowspace.store.text_formats import glove, word2vec, word2vec_text
from rowspace.table import Table

pytestmark = pytest.mark.kernels

ROWS = np.array([[0.5, -1.25], [np.pi, 0.0], [1e-30, 3e38]], np.float32)


def file_of(tmp_path, content):
    path = tmp_path / "v.vec"
    path.write_bytes(content)
    return path


# Parity with gensim.


@pytest.mark.parametrize("vocabulary", [["cat", "dog", "the"], ["", "\t", "né😀"], ["\u00a0", "\r", "\u3000"]])
def test_gensims_file_loads_bit_for_bit_and_saves_byte_for_byte(tmp_path, vocabulary):
    vectors = KeyedVectors(2)
    vectors.add_vectors(vocabulary, ROWS)
    vectors.save_word2vec_format(tmp_path / "gensim.vec", binary=False)
    table = word2vec_text.load(tmp_path / "gensim.vec")
    assert table.vocabulary == vocabulary
    assert table.rows.tobytes() == ROWS.tobytes()
    word2vec_text.save(table, tmp_path / "ours.vec")
    assert (tmp_path / "ours.vec").read_bytes() == (tmp_path / "gensim.vec").read_bytes()


@given(
    st.lists(st.text(st.characters(exclude_characters=" \t\n\0", exclude_categories=["Cs"])), unique=True, min_size=1),
    st.integers(1, 9),
    st.sampled_from([np.float16, np.float32, np.float64]),
)
def test_gensim_loads_the_same_table_from_a_saved_file(tmp_path_factory, vocabulary, dim, dtype):
    path = tmp_path_factory.mktemp("w") / "v.vec"
    rows = np.random.default_rng(dim).standard_normal((len(vocabulary), dim)).astype(dtype)
    word2vec_text.save(Table(vocabulary, rows), path)
    assert word2vec_text.recognizes(path)
    ours, gensims = word2vec_text.load(path), KeyedVectors.load_word2vec_format(path, binary=False)
    assert ours.vocabulary == gensims.index_to_key == vocabulary
    assert ours.rows.tobytes() == gensims.vectors.tobytes() == rows.astype(np.float32).tobytes()


def test_trailing_spaces_as_fasttext_writes_them_are_accepted(tmp_path):
    path = file_of(tmp_path, b"2 3\nthe 0.25 -1 3e-5 \n</s> .5 nan 5. \n")
    table = word2vec_text.load(path)
    assert table.vocabulary == ["the", "</s>"]
    np.testing.assert_array_equal(table.rows, np.array([[0.25, -1, 3e-5], [0.5, np.nan, 5]], np.float32))


def test_lines_with_too_many_numbers_give_a_warning(tmp_path):
    for name, head in (("a.vec", "4 2\n"), ("a.txt", "")):
        for line, word in (("cat 0.5 1.5 2", "cat 0.5"), ("cat 0.5 1 dog 0.25 2", "cat 0.5 1 dog")):
            (tmp_path / name).write_text(f"{head}a 1 2\n{line}\nWindows 7 3 4\nb 5 6\n")
            with pytest.warns(
                UserWarning, match=rf"line {3 if head else 2}: the word '{word}' holds a number, as if the"
            ):
                load(tmp_path / name)


def test_words_can_contain_spaces(tmp_path):
    assert word2vec_text.load(file_of(tmp_path, b"2 1\nNew York 1\nroute 66 2\n")).vocabulary == [
        "New York",
        "route 66",
    ]


@pytest.mark.parametrize("limit", [0, 1, 2, 9])
def test_limit_reads_only_the_first_words(tmp_path, limit):
    path = file_of(tmp_path, b"3 1\na 1\nb 2\nc beyond the limit\n")
    if limit > 2:
        with pytest.raises(FileFormatError, match="line 4: 'limit' is not a number"):
            word2vec_text.load(path, limit=limit)
    else:
        assert word2vec_text.load(path, limit=limit).vocabulary == ["a", "b"][:limit]


# Recognizing.


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"1 2\ncat 1 2\n", True),
        (b"1 2\ncat 1 2", True),
        (b"1 2\r\ncat 1 2\r\n", True),
        (b"1 2\n\n\ncat 1 2\n", True),
        (b"1 40000\ncat" + b" 0.125" * 40_000, True),  # the line is longer than the sniffed prefix
        (b"1 2\ncat 1\n", True),  # with a wrong header
        (b"1 2\ncat 1\x02 1\n", False),
        (b"cat 1 2\n", False),
        (b"1 2\ncat " + np.float32([1, 2]).tobytes(), False),
        (b"1 20000\ncat " + bytes(80_000), False),
        (b"1 0\ncat\n", False),
        (b"1 2\n", False),
        (b"", False),
    ],
)
def test_recognizes_distinguishes_the_text_form_from_the_binary_one_and_others(tmp_path, content, answer):
    path = file_of(tmp_path, content)
    assert word2vec_text.recognizes(path) is answer
    assert not (answer and (word2vec.recognizes(path) or glove.recognizes(path)))


# Damaged files.


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "line 1: not a word2vec file: expected a line of two numbers, got b''"),
        (b"cat 1 2\n", "line 1: not a word2vec file"),
        (b"1 0\ncat\n", "line 1: not a word2vec file"),
        (b"3 1\na 1\nb 2\n", "line 1: declares 3 words, but 2 lines follow; .* line 1 to '2 1', or else download"),
        (b"1 1\na 1\nb 2\n", "line 1: declares 1 word, but 2 lines follow; .* line 1 to '2 1'"),
        (b"999999999999999999 1\na 1\n", "line 1: declares 999,999,999,999,999,999 words, but 1 line follows"),
        (b"1 999999999999999999\na 1\n", "line 1: declares 999,999,999,999,999,999 numbers .* line 1 to '1 1'"),
        (b"2 1\na 1 2\nb 3 4\n", "line 1: declares 1 number a word, but the next lines have 2; .* to '2 2'"),
        (b"3 2\na 1 2 5\nb 3 4 5\n", "line 1: declares 2 numbers a word, but the next lines have 3; .* to '2 3'"),
        (b"2 3\na 1 2 5\nb 3 4\n", "line 3: expected a word and 3 numbers, but found fewer"),
        (b"2 2\na 1 2\nb 3 x\n", "line 3: 'x' is not a number"),
        (b"2 2\na 1,5 2,5\nb 3,5 4,5\n", "line 2: '1,5' is not a number"),
        (b"1 3\na [1.5, 2.5, 3.5]\n", r"line 2: '\[1.5,' is not a number"),
    ],
)
def test_damaged_line_is_refused_with_its_number(tmp_path, content, complaint):
    with pytest.raises(FileFormatError, match=f"v.vec: {complaint}"):
        word2vec_text.load(file_of(tmp_path, content))


# Saving.


@pytest.mark.parametrize("token", ["a b", "a\t", "a\n", "\0", "\ud800", "a" * 65_537])
def test_unsupported_token_is_refused_and_nothing_is_written(tmp_path, token):
    with pytest.raises(UsageError, match=r"\(id 1\)"):
        word2vec_text.save(Table(["fine", token], np.eye(2)), tmp_path / "v.vec")
    assert not list(tmp_path.iterdir())
