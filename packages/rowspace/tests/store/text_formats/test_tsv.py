import subprocess
import sys

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import given, strategies as st

from rowspace.errors import FileFormatError, UsageError
from rowspace.store.text_formats import glove, tsv, word2vec_text
from rowspace.table import Table

pytestmark = pytest.mark.kernels

ROWS = np.array([[0.5, -1.25], [np.pi, 0.0], [1e-30, 3e38]], np.float32)
WORDS = ["cat", "né😀 \u2028한국", ""]


def test_projector_files_written_by_gensim_load_bit_for_bit(tmp_path):
    vectors = KeyedVectors(2)
    vectors.add_vectors(["cat", "né😀", "\u3000"], ROWS)
    vectors.save_word2vec_format(tmp_path / "v.bin", binary=True)
    script = [sys.executable, "-m", "gensim.scripts.word2vec2tensor", "--binary"]
    subprocess.run([*script, "-i", tmp_path / "v.bin", "-o", tmp_path / "v"], check=True, capture_output=True)
    table = tsv.load(tmp_path / "v_tensor.tsv")
    assert tsv.recognizes(tmp_path / "v_tensor.tsv")
    assert table.vocabulary == ["cat", "né😀", "\u3000"]
    assert table.rows.tobytes() == ROWS.tobytes()


@pytest.mark.parametrize("counts", [None, np.array([9, 0, 2**40])])
@pytest.mark.parametrize(
    ("name", "metadata_name"),
    [
        ("vectors.tsv", "metadata.tsv"),
        ("my_Tensors.tsv", "my_metadata.tsv"),
        ("embedding-2.tsv", "metadata-2.tsv"),
        ("rows.tsv", "metadata.tsv"),
    ],
)
def test_saved_table_round_trips_under_each_name(tmp_path, counts, name, metadata_name):
    tsv.save(Table(WORDS, ROWS, counts), tmp_path / name)
    assert {path.name for path in tmp_path.iterdir()} == {name, metadata_name}
    assert tsv.recognizes(tmp_path / name)
    assert not glove.recognizes(tmp_path / name)
    assert not word2vec_text.recognizes(tmp_path / name)
    again = tsv.load(tmp_path / name)
    assert again.vocabulary == WORDS
    assert again.rows.tobytes() == ROWS.tobytes()
    assert (again.counts is None) if counts is None else (again.counts == counts).all()


def test_numpy_reads_the_saved_rows(tmp_path):
    tsv.save(Table(WORDS, ROWS), tmp_path / "vectors.tsv")
    rows = np.loadtxt(tmp_path / "vectors.tsv", np.float32, delimiter="\t")
    assert rows.tobytes() == ROWS.tobytes()


@given(
    st.lists(st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"])), unique=True).filter(
        lambda words: not any(word.endswith("\r") for word in words) and not "".join(words[:1]).startswith("\ufeff")
    ),
    st.booleans(),
)
def test_every_single_field_token_round_trips(tmp_path_factory, vocabulary, is_counted):
    path = tmp_path_factory.mktemp("t") / "vectors.tsv"
    size = len(vocabulary)
    tsv.save(Table(vocabulary, np.ones((size, 1)), np.arange(size) if is_counted else None), path)
    again = tsv.load(path)
    assert again.vocabulary == vocabulary
    assert (again.counts is not None) is is_counted


@pytest.mark.parametrize(
    ("metadata", "counts"),
    [
        ("a\nb\nc\n", None),
        ("a\r\nb\r\nc\r\n", None),
        ("a\nb\nc", None),
        ("Word\tFrequency\na\t3\nb\t2\nc\t1\n", [3, 2, 1]),
        ("id\tcount\tlabel\n0\t3\ta\n1\t2\tb\n2\t1\tc\n", [3, 2, 1]),
        ("what\tcolor\na\tred\nb\tblue\nc\t\n", None),
    ],
)
def test_metadata_is_read_with_and_without_a_header(tmp_path, metadata, counts):
    (tmp_path / "vectors.tsv").write_text("1\t2\n3\t4\n5\t6\n")
    (tmp_path / "metadata.tsv").write_bytes(metadata.encode())
    table = tsv.load(tmp_path / "vectors.tsv")
    assert table.vocabulary == ["a", "b", "c"]
    assert table.rows.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert (None if table.counts is None else table.counts.tolist()) == counts


@pytest.mark.parametrize("limit", [0, 1, 3, 9])
def test_limit_loads_only_the_first_rows(tmp_path, limit):
    tsv.save(Table(WORDS, ROWS, np.array([3, 2, 1])), tmp_path / "vectors.tsv")
    table = tsv.load(tmp_path / "vectors.tsv", limit=limit)
    assert table.vocabulary == WORDS[:limit]
    assert table.counts.tolist() == [3, 2, 1][:limit]


def test_duplicate_token_keeps_the_first_row_with_a_warning(tmp_path):
    (tmp_path / "vectors.tsv").write_text("1\n2\n3\n")
    (tmp_path / "metadata.tsv").write_text("token\tcount\na\t3\nb\t2\na\t1\n")
    with pytest.warns(UserWarning, match="1 word is duplicated"):
        table = tsv.load(tmp_path / "vectors.tsv")
    assert table.vocabulary == ["a", "b"]
    assert table.counts.tolist() == [3, 2]


# Damaged files.


@pytest.mark.parametrize(
    ("vectors", "metadata", "complaint"),
    [
        ("1\t2\n3\n", "a\nb\n", "vectors.tsv: line 2: expected 2 numbers, but found more or fewer fields: '3'"),
        ("1\t2\n\n3\t4\t5\n", "a\nb\n", "vectors.tsv: line 3: expected 2 numbers, but found more or fewer"),
        ("1\t2\n3\t\n", "a\nb\n", "vectors.tsv: line 2: expected 2 numbers"),
        ("1\t2\n3\tx\n", "a\nb\n", "vectors.tsv: line 2: 'x' is not a number"),
        ("1\n2\n", "a\nb\nc\nd\n", r"metadata.tsv: has 4 tokens, but .*vectors.tsv has 2 rows; restore"),
        ("1\n2\n", "word\na\nb\n", "has 3 tokens, but .* 2 rows; if its first line, 'word', is a header, remove it"),
        ("1\n2\n", "a\t5\nb\t3\n", r"1 token, but .* 2 rows; its first line, 'a\\t5', was read as the header"),
        ("1\n2\n", "a\n", "metadata.tsv: has 1 token, but"),
        ("1\n2\n", "token\tcount\na\t1\nb\n", "metadata.tsv: line 3: has 1 field, but the header has 2"),
        ("1\n2\n", "token\tcount\na\t1\nb\t-1\n", "metadata.tsv: line 3: '-1' is not a count"),
        ("1\n2\n", None, "vectors.tsv: rows without tokens: expected metadata.tsv next to it"),
    ],
)
def test_damaged_line_is_refused_with_its_number(tmp_path, vectors, metadata, complaint):
    (tmp_path / "vectors.tsv").write_text(vectors)
    if metadata is not None:
        (tmp_path / "metadata.tsv").write_text(metadata)
    for limit in (None, 1) if "token" in complaint else (None,):
        with pytest.raises(FileFormatError, match=complaint):
            tsv.load(tmp_path / "vectors.tsv", limit=limit)


@pytest.mark.parametrize(
    ("content", "answer"),
    [(b"0.1\t2\n3\tnan\n", True), (b"0.1\n2\n", True), (b"a\tb\n", False), (b"1\t2\n3\n", True), (b"", False)],
)
def test_rows_of_numbers_are_recognized(tmp_path, content, answer):
    (tmp_path / "v").write_bytes(content)
    assert tsv.recognizes(tmp_path / "v") is answer


# Saving.


@pytest.mark.parametrize("token", ["a\nb", "a\tb", "a\r", "\ud800"])
def test_token_with_a_tab_or_line_break_is_refused_and_nothing_is_written(tmp_path, token):
    with pytest.raises(UsageError, match=r"\(id 1\)"):
        tsv.save(Table(["fine", token], np.eye(2)), tmp_path / "vectors.tsv")
    assert not list(tmp_path.iterdir())


def test_unrelated_files_are_not_replaced_and_rows_cannot_use_the_metadata_name(tmp_path):
    table = Table(["a"], np.ones((1, 1)))
    (tmp_path / "vectors.tsv").write_bytes(b"a thesis")
    with pytest.raises(UsageError, match="a file of another kind is there"):
        tsv.save(table, tmp_path / "vectors.tsv")
    with pytest.raises(UsageError, match="that is the name of its metadata file"):
        tsv.save(table, tmp_path / "metadata.tsv")


def test_metadata_of_another_file_is_never_replaced(tmp_path):
    tsv.save(Table(["cat"], np.ones((1, 1))), tmp_path / "animals.tsv")
    for act in (tsv.check_target, lambda path: tsv.save(Table(["red"], np.ones((1, 1))), path)):
        with pytest.raises(UsageError, match=r"metadata.tsv exists and belongs to other rows, .* a separate folder"):
            act(tmp_path / "colors.tsv")
    assert tsv.load(tmp_path / "animals.tsv").vocabulary == ["cat"]
    tsv.save(Table(["dog"], np.ones((1, 1))), tmp_path / "animals.tsv")
    assert tsv.load(tmp_path / "animals.tsv").vocabulary == ["dog"]
