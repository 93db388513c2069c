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
    path = tmp_path / "v.txt"
    path.write_bytes(content)
    return path


# Parity with gensim.


@pytest.mark.parametrize("vocabulary", [["cat", "dog", "the"], ["", "\t", "né😀"], ["\u00a0", "\r", "\u3000"]])
def test_gensims_headerless_file_loads_and_saves_byte_for_byte(tmp_path, vocabulary):
    vectors = KeyedVectors(2)
    vectors.add_vectors(vocabulary, ROWS)
    vectors.save_word2vec_format(tmp_path / "gensim.txt", binary=False, write_header=False)
    table = glove.load(tmp_path / "gensim.txt")
    assert table.vocabulary == vocabulary
    assert table.rows.tobytes() == ROWS.tobytes()
    glove.save(table, tmp_path / "ours.txt")
    assert (tmp_path / "ours.txt").read_bytes() == (tmp_path / "gensim.txt").read_bytes()


# gensim does not close the file in which it detects the number of columns.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@given(
    st.lists(
        st.text(st.characters(exclude_characters=" \t\n\0", exclude_categories=["Cs"])), unique=True, min_size=1
    ).filter(lambda words: not words[0].startswith("\ufeff")),
    st.integers(2, 9),
)
def test_gensim_loads_the_same_table_from_a_saved_file(tmp_path_factory, vocabulary, dim):
    path = tmp_path_factory.mktemp("w") / "v.txt"
    rows = np.random.default_rng(dim).standard_normal((len(vocabulary), dim)).astype(np.float32)
    glove.save(Table(vocabulary, rows), path)
    ours = glove.load(path)
    gensims = KeyedVectors.load_word2vec_format(path, binary=False, no_header=True)
    assert ours.vocabulary == gensims.index_to_key == vocabulary
    assert ours.rows.tobytes() == gensims.vectors.tobytes() == rows.tobytes()


@given(
    st.lists(st.text(st.characters(exclude_characters="\n\0", exclude_categories=["Cs"])), unique=True),
    st.integers(1, 3),
)
def test_table_round_trips_or_is_refused(tmp_path_factory, vocabulary, dim):
    path = tmp_path_factory.mktemp("w") / "v.txt"
    table = Table(vocabulary, np.random.default_rng(dim).standard_normal((len(vocabulary), dim)).astype(np.float32))
    try:
        glove.save(table, path)
    except UsageError:  # the number of columns would be ambiguous
        return
    again = glove.load(path)
    assert again.vocabulary == vocabulary
    assert again.rows.tobytes() == table.rows.tobytes()


# The number of columns.


@pytest.mark.parametrize(
    ("content", "dim"),
    [
        (b"the 0.1 0.2\nroute 66 0.3 0.4\na 0.5 0.6\n", 2),
        (b"66 0.1 0.2\n", 2),
        (b". . . 0.1 0.2\n", 2),
        (b" 0.1 0.2\n", 2),
        (b"a 1 2\nb 3 4 5\n", 2),  # a tie: the smaller one
        (b"x" * 65_536 + b" 1 2\n", 2),
        (b"w" + b" 0.125" * 20_000, 20_000),
    ],
)
def test_number_of_columns_is_the_most_frequent_among_the_first_lines(tmp_path, content, dim):
    assert glove.load(file_of(tmp_path, content)).dim == dim


def test_one_short_line_does_not_decide_the_number_of_columns(tmp_path):
    path = file_of(tmp_path, b"a 1 2 3\nb 4 5\nc 6 7 8\n")
    with pytest.raises(FileFormatError, match=r"v.txt: line 2: expected a word and 3 numbers"):
        glove.load(path)


def test_first_row_with_a_tab_after_its_word_is_no_line_of_column_names(tmp_path):
    for between in ("\t", "\t ", " \t"):
        path = file_of(tmp_path, f"the{between}0.1 0.2\nof{between}0.3 0.4\n".encode())
        assert load(path).vocabulary == ["the", "of"], between


def test_decimal_commas_are_named(tmp_path):
    (tmp_path / "a.txt").write_text("cat 1,5 2,5\ndog 3,5 4,5\n")
    with pytest.raises(FileFormatError, match=r"decimal commas; convert it with tr , \. < FILE > NEW"):
        load(tmp_path / "a.txt")


def test_header_of_a_wrong_form_is_refused_with_the_line_to_correct(tmp_path):
    for header in (b"2 3 utf-8", b"2", b"2, 3", b"2,3", b"2 3 float 32"):
        with pytest.raises(FileFormatError, match=r"line 1: '2.*' is not a header, .*correct it to '2 3', or remove"):
            load(file_of(tmp_path, header + b"\nthe 1 2 3\nof 4 5 6\n"))
    assert load(file_of(tmp_path, b"2000 1 2 3\nof 4 5 6\n")).vocabulary == ["2000", "of"]


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_limit_reads_only_the_first_words(tmp_path, limit):
    path = file_of(tmp_path, b"a 1 1\nb 2 2\nno vector\n")
    assert glove.load(path, limit=limit).vocabulary == ["a", "b"][:limit]


# Recognizing.


@pytest.mark.parametrize(
    ("content", "answer"),
    [
        (b"the 0.1 0.2\nof 0.3 0.4\n", True),
        (b"the 1 0\nof 0 1\n", True),
        (b"the 0.5\nof 1.0\n", True),
        (b"the\t0.1\t0.2\n", True),
        (b"7 0.1 0.2\n8 0.3 0.4", True),
        (b"w" + b" 0.125" * 20_000, True),
        (b"the 1061396\nof 593677\n", False),
        (b"0.1\t0.2\n0.3\t0.4\n", False),
        (b"2 300\nthe 0.1 0.2\n", False),
        (b"once upon a time\n", False),
        (b"the 0.1 0.2\0\n", False),
        (b"t\0e 0.1 0.2\ncat 1 2\n", False),
        (b"0.1\n0.2\n", False),
        (b"\n\n", False),
        (b"", False),
    ],
)
def test_recognizes_distinguishes_glove_from_other_text(tmp_path, content, answer):
    path = file_of(tmp_path, content)
    assert glove.recognizes(path) is answer
    assert not (answer and any(kind.recognizes(path) for kind in (word2vec, word2vec_text)))


# Damaged files.


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "line 1: not a GloVe file: expected lines of a word and numbers, got b''"),
        (b"once upon a time", "line 1: not a GloVe file"),
        (b"a 1 2\nb 3 4\nc 5\n", "line 3: expected a word and 2 numbers"),
        (b"a 1 2\nb 3 4\nc x 5\n", "line 3: 'x' is not a number"),
    ],
)
def test_damaged_line_is_refused_with_its_number(tmp_path, content, complaint):
    with pytest.raises(FileFormatError, match=f"v.txt: {complaint}"):
        glove.load(file_of(tmp_path, content))


# Saving.


@pytest.mark.parametrize("token", ["a\n", "a ", "a \t", "\0", "\ud800", "a" * 65_537])
def test_unsupported_token_is_refused_and_nothing_is_written(tmp_path, token):
    with pytest.raises(UsageError, match=r"\(id 1\)"):
        glove.save(Table(["fine", token], np.eye(2)), tmp_path / "v.txt")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("vocabulary", "complaint"),
    [([], "the first tokens are missing"), (["route 66"], "the first tokens end in numbers")],
)
def test_table_with_an_ambiguous_number_of_columns_is_refused(tmp_path, vocabulary, complaint):
    with pytest.raises(UsageError, match=complaint):
        glove.save(Table(vocabulary, np.ones((len(vocabulary), 2))), tmp_path / "v.txt")
    assert not list(tmp_path.iterdir())
