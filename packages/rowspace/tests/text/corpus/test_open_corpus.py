"""The kinds of corpus: files, folders, patterns, standard input, strings and token lists; others are refused."""

import gzip
import os
from pathlib import Path

import pytest

from rowspace.errors import CorpusError, CorpusWarning, UsageError
from rowspace.text import corpus_bytes, open_corpus


def texts(corpus, **options):
    """Return the documents of a corpus, each joined from its pieces."""
    documents, parts = [], b""
    for data, last in open_corpus(corpus, **options).pieces:
        parts += data
        if last:
            documents.append(parts.decode())
            parts = b""
    return documents


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b.txt").write_text("b")
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "c.gz").write_bytes(gzip.compress(b"c"))
    (tmp_path / "picture").write_bytes(b"\x89PNG\0\0")
    (tmp_path / ".hidden").write_text("hidden")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text("hidden")
    (tmp_path / "broken link").symlink_to(tmp_path / "nowhere")
    return tmp_path


@pytest.mark.parametrize("kind", [str, Path])
def test_path_is_one_document(folder, kind):
    assert texts(kind(folder / "a.txt")) == ["a"]


def test_paths_are_read_in_the_given_order(folder):
    assert texts([folder / "b.txt", folder / "a.txt"]) == ["b", "a"]
    assert texts(path for path in (folder / "inner", folder / "a.txt")) == ["c", "a"]


def test_folder_yields_its_text_files_in_sorted_order(folder):
    assert texts(folder) == ["a", "b", "c"]


def test_pattern_yields_the_matching_files(folder):
    assert texts(f"{folder}/*.txt") == ["a", "b"]
    assert texts(Path(folder, "**")) == ["a", "b", "c"]


def test_existing_file_takes_precedence_over_a_pattern(tmp_path):
    (tmp_path / "a[1].txt").write_text("itself")

    assert texts(tmp_path / "a[1].txt") == ["itself"]


def test_strings_are_documents():
    assert texts(["one", "two\nlines"]) == ["one", "two\nlines"]
    assert texts(text for text in ["one"]) == ["one"]


def test_long_string_is_split_into_pieces():
    text = "word " * 500_000

    assert len(list(open_corpus([text]).pieces)) > 1
    assert texts([text, "end"]) == [text, "end"]


@pytest.mark.parametrize("corpus", [[["a", "b"], ["c"]], [("a", "b"), ("c",)], iter([iter(["a", "b"]), ["c"]])])
def test_token_lists_are_passed_through(corpus):
    opened = open_corpus(corpus)

    assert opened.pieces is None
    assert list(opened.token_lists) == [["a", "b"], ["c"]]


def test_json_lines_are_read_by_column(tmp_path):
    (tmp_path / "rows").write_text('{"t": "x"}\n{"t": "y"}\n')

    assert texts(tmp_path, column="t") == ["x", "y"]


@pytest.mark.parametrize(
    ("corpus", "error", "message"),
    [
        ("no/such/file", UsageError, "no file or folder 'no/such/file'; check the path$"),
        ("a text that is not a path " * 10, UsageError, "a text itself goes in a list"),
        ("a\0b", UsageError, "no file or folder"),
        ("x" * 10_000, UsageError, rf"no file or folder '{'x' * 40}\.\.\.{'x' * 200}'; check"),
        ("no/such/*.txt", UsageError, "no file matches the pattern 'no/such/.*'; check it"),
        ([], CorpusError, "the corpus is empty"),
        (iter([]), CorpusError, "the corpus is empty"),
        (3, CorpusError, "a corpus is a path, .+, not int"),
        (None, CorpusError, "a corpus is a path, .+, not NoneType"),
        (b"bytes", CorpusError, "a corpus is a path, .+, not bytes"),
        ([b"bytes"], CorpusError, "item 0 of the corpus is bytes"),
        ({"id": ["a"]}, UsageError, "a corpus must be one column of texts, not a dict; pass df"),
        ([None, "a"], CorpusError, "item 0 of the corpus is NoneType"),
        ([3], CorpusError, "item 0 of the corpus is int"),
        (["a", ["b"]], CorpusError, "item 1 of the corpus is list; the items before are strings"),
        ([["a"], "b"], CorpusError, "item 1 of the corpus is str"),
        ([["a", 3]], CorpusError, "item 0 of the corpus holds 3"),
    ],
)
def test_invalid_corpus_raises_a_one_line_error(corpus, error, message):
    def read():
        opened = open_corpus(corpus)
        list(opened.pieces or opened.token_lists)

    with pytest.raises(error, match=message) as raised:
        read()
    assert "\n" not in str(raised.value)


def test_paths_mixed_with_other_types_are_refused(folder):
    with pytest.raises(CorpusError, match=r"this one holds pathlib\.Path and then int"):
        texts([folder / "a.txt", 3])


@pytest.mark.parametrize("corpus", [["text"], [["token"]]])
def test_column_without_files_is_refused(corpus):
    with pytest.raises(CorpusError, match="column='t' names a column of files with records"):
        open_corpus(corpus, column="t")


def test_list_of_file_names_as_strings_is_refused(folder):
    names = [str(folder / "a.txt"), str(folder / "b.txt")]

    with pytest.raises(CorpusError, match=r"names a file, .*; to read files, pass pathlib\.Path"):
        open_corpus(names)
    assert texts(iter(names)) == names


@pytest.mark.parametrize("text", ["words " * 100, "a/" * 400, "a\0b", "x" * 2000])
def test_strings_that_are_not_valid_file_names_are_texts(text):
    assert b"".join(data for data, _ in open_corpus([text]).pieces) == text.encode()


def test_folder_without_files_is_refused(tmp_path):
    with pytest.raises(CorpusError, match="holds no text files"):
        texts(tmp_path)


def test_folder_of_a_table_or_model_is_refused(tmp_path):
    for names in (["rowspace.json"], ["config.json", "model.safetensors"], ["modules.json", "pytorch_model.bin"]):
        model = tmp_path / names[0].partition(".")[0]
        model.mkdir()
        for name in names:
            (model / name).write_text('{"learned": "no"}')
        with pytest.raises(CorpusError, match="is a table or a model, not a corpus"):
            texts(model)
    (tmp_path / "a.txt").write_text("a")
    assert texts(tmp_path) == ["a"]  # skipped if there are other files


def test_folder_of_only_binary_files_is_refused(folder):
    (folder / "pictures").mkdir()
    (folder / "picture").rename(folder / "pictures" / "one")

    with pytest.raises(CorpusError, match=r"no file is plain text: .+one', for example, was skipped"):
        texts(folder / "pictures")
    with pytest.raises(CorpusError, match="no file is plain text"):
        texts(f"{folder}/pictures/*")
    with pytest.raises(CorpusError, match="is a binary file"):
        texts(folder / "pictures" / "one")


@pytest.mark.parametrize("inside", [True, False])
def test_unreadable_folder_is_refused(tmp_path, inside):
    closed = tmp_path / "closed"
    closed.mkdir()
    (closed / "a").write_text("a")
    user = os.geteuid()
    closed.chmod(0)
    tmp_path.chmod(0o755)
    if user == 0:
        os.seteuid(65534)  # root can read everything
    try:
        with pytest.raises(CorpusError, match=r"cannot be read: [Pp]ermission denied; check"):
            texts(closed / "a" if inside else closed)
    finally:
        os.seteuid(user)
        closed.chmod(0o700)


def test_corpus_bytes_sums_file_sizes(folder):
    size = (folder / "inner" / "c.gz").stat().st_size

    assert corpus_bytes(folder / "a.txt") == 1
    assert corpus_bytes([folder / "a.txt", folder / "inner"]) == 1 + size
    assert corpus_bytes(folder) == 2 + 6 + size


@pytest.mark.parametrize("corpus", ["-", "/dev/null", ["text"], [["token"]], iter([Path("x")]), [Path("x"), "text"]])
def test_corpus_bytes_is_none_for_other_corpora(corpus):
    assert corpus_bytes(corpus) is None


REVIEW = "I went and saw this movie last night.<br /><br />The film was long, <I>and</I> funny. " + "So it was. " * 40
CODE = """#include <vector>
template <typename T, typename B> bool less(const std::vector<T>& a, const B& b) { return a<b && p<br > 3; }
"""
MATHEMATICS = "If $a<b$ and b < c, then a<c; for i<p, </= is not less. <T> is a type, x</y a quotient.\n"


def test_text_with_many_tags_of_html_is_named(tmp_path):
    (tmp_path / "reviews.csv").write_text("text\n" + f'"{REVIEW}"\n' * 20)
    for corpus, options in (
        (tmp_path / "reviews.csv", {"column": "text"}),
        ([REVIEW * 20000], {}),
        (["<p>king <b>queen</b></p>"], {}),
    ):
        with pytest.warns(CorpusWarning, match=r"tags of HTML \(.*whose names become words; remove them first.*sed "):
            texts(corpus, **options)
    with pytest.warns(CorpusWarning, match=r"\(<br>, <i>\)"):
        texts([REVIEW])
    for text in (CODE, MATHEMATICS, "The king. " * 300 + "<b>The queen</b>."):
        texts([text])  # no warning, which would be an error
    texts([*["the king"] * 200_000, REVIEW])  # behind the first megabyte
