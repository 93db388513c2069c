"""Reading files: compression, damaged and binary files, JSON lines, and where pieces end."""

import bz2
import gzip
import io
import json
import lzma
import os
import sys
import tarfile
import warnings
import zipfile

import pytest
import zstandard
from hypothesis import given, strategies as st

from rowspace.errors import CorpusError, CorpusWarning, FileFormatError, MissingExtraError, UsageError
from rowspace.text.corpus.pieces import read_pieces
from rowspace.text.corpus.reading import cut_pieces

TEXT = "".join(f"line {number} of a text é\n" for number in range(60_000)).encode()  # more than one block
COMPRESS = {
    "plain": bytes,
    "gz": gzip.compress,
    "xz": lzma.compress,
    "bz2": bz2.compress,
    "zst": zstandard.ZstdCompressor().compress,
}


def read(path, **options):
    return list(read_pieces(str(path), **({"named": True} | options)))


def joined(pieces):
    return b"".join(data for data, _ in pieces)


def zipped(name):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, "text")
    return file.getvalue()


def tarred():
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("name"))
    return file.getvalue()


@pytest.fixture
def file(tmp_path):
    """Return a function that writes bytes to a file without a suffix."""

    def write(data):
        path = tmp_path / "file"
        path.write_bytes(data)
        return path

    return write


@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
def test_compression_is_detected_from_content(file, compress):
    pieces = read(file(compress(TEXT)))

    assert joined(pieces) == TEXT
    assert [last for _, last in pieces] == [False] * (len(pieces) - 1) + [True]


@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
def test_concatenated_compressed_files_are_read_completely(file, compress):
    assert joined(read(file(compress(TEXT) + compress(b"the end")))) == TEXT + b"the end"


@pytest.mark.parametrize("compress", COMPRESS.values(), ids=COMPRESS)
def test_empty_file_is_an_empty_text(file, compress):
    assert joined(read(file(compress(b"")))) == b""


@pytest.mark.parametrize("compress", [COMPRESS[name] for name in ("gz", "xz", "bz2", "zst")])
@pytest.mark.parametrize("damage", ["cut", "cut early", "overwritten"])
def test_damaged_file_is_named_in_the_error(file, compress, damage):
    data = bytearray(compress(TEXT))
    if damage == "overwritten":
        data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    else:
        del data[-9 if damage == "cut" else 20 :]

    with pytest.raises(CorpusError, match=r"file' is damaged or cut short: .+; download or compress it again"):
        read(file(bytes(data)))


def test_trailing_garbage_after_gzip_data_is_ignored_with_a_warning(file):
    for rest in (b"garbage", b"x", b"\0\0garbage", b"\x1f"):
        with pytest.warns(CorpusWarning, match="the data after the compressed text is not gzip and is ignored"):
            assert joined(read(file(gzip.compress(TEXT) + rest))) == TEXT


def test_zero_padding_after_gzip_data_does_not_warn(file):
    for size in (1, 511, 40_000):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert joined(read(file(gzip.compress(b"text") + bytes(size) + gzip.compress(b"end")))) == b"textend"


def test_gzip_member_boundary_at_the_end_of_a_read_is_handled(file):
    text = b"a text that compresses to little\n"
    for missing in (0, 1, 2):  # bytes between the end of the first member and the end of a 16 kB read
        padding = bytes((1 << 14) - missing - len(gzip.compress(text)))
        assert joined(read(file(gzip.compress(text) + padding + gzip.compress(text)))) == 2 * text, missing


def test_lone_cr_is_a_line_ending(file):
    assert joined(read(file(b"one\rtwo\r"))) == b"one\ntwo\n"
    assert joined(read(file(b"one\r\ntwo\r\n"))) == b"one\r\ntwo\r\n"
    assert joined(read(file(b"a line\r"))) == b"a line\r"
    text = b"x" * ((1 << 20) - 1) + b"\r\nend"  # the block ends between CR and LF
    assert joined(read(file(text))) == text


def test_records_without_a_column_are_refused(file, tmp_path):
    for text in (b'{"id": 1, "body": "x"}', b'\xef\xbb\xbf{"id": 1, "body": "x"}\n{"id": 2, "body": "y"}\n'):
        with pytest.raises(CorpusError, match=r"JSON lines; name the column .* --column body .* has 'id', 'body'$"):
            read(file(text))
    with pytest.raises(CorpusError, match="JSON lines"):
        read(file(b'{"a": 1}\n{"a": 2}\n'), named=False)
    with pytest.raises(CorpusError, match=r"an array of JSON objects; .* --column b .* the first record has 'a', 'b'$"):
        read(file(b'[\n {"a": 1, "b": "x"},\n {"a": 2'))
    with pytest.raises(CorpusError, match=r"JSON lines; .* --column text .* has 'id', 'text'$"):
        read(file(b'{"id": "7", "text": "x"}'))
    path = tmp_path / "object.json"
    path.write_bytes(b'{"words": [\n {"name": "a"}\n]}\n')
    with pytest.raises(CorpusError, match=r"object\.json' is a JSON object; write its records as JSON lines"):
        read(path)
    assert joined(read(path, named=False)) == path.read_bytes()
    path = tmp_path / "table.csv"
    path.write_bytes(b"number,Review\n1,good\n")
    has_columns = "its first line has 'number', 'Review'; to read its lines as texts, name it .txt$"
    with pytest.raises(CorpusError, match=f"CSV; .* --column Review .* {has_columns}"):
        read(path)
    assert joined(read(path, named=False)) == path.read_bytes()


def test_pages_and_dumps_with_markup_are_refused(file):
    for page in (
        b"<!DOCTYPE html>\n<p>text",
        b'<?xml version="1.0"?>\n<!-- a comment -->\n<HTML lang="en">',
        b"<body>",
    ):
        with pytest.raises(CorpusError, match="is an HTML page; extract its text first"):
            read(file(page))
        assert read(file(page), named=False) == []
    with pytest.raises(CorpusError, match="is a dump of a wiki; extract its text first"):
        read(file(b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/">'))
    assert joined(read(file(b"<p>a text that only begins like a page"))).startswith(b"<p>")


def test_text_that_only_looks_like_json_lines_is_text(file):
    for text in (b"{", b"{curly} words", b'{\n  "pretty": "printed"\n}', b"[1, 2]", b""):
        assert joined(read(file(text))) == text
    configuration = b'{"a": 1}\n'
    assert joined(read(file(configuration), named=False)) == configuration


def test_zst_without_the_extra_gives_the_install_command(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "zstandard", None)  # simulates a missing package

    with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[zstd\]'"):
        read(file(COMPRESS["zst"](b"text")))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\0b", "is a binary file"),
        (b"x" * 8191 + b"\0", "is a binary file"),
        ("text".encode("utf-16"), "is UTF-16 text"),
        ("一".encode("utf-16"), "is UTF-16 text"),
        ("text".encode("utf-32"), "is UTF-32 text"),
        (gzip.compress(b"a\0b"), "is a binary file"),
        ("some text".encode("utf-16-le"), "is UTF-16LE text, not UTF-8; convert it: iconv -f UTF-16LE -t UTF-8 FILE"),
        ("some text".encode("utf-16-be"), "is UTF-16BE text"),
        (zipped("a.txt"), "is a zip archive; unpack it: unzip FILE$"),
        (gzip.compress(zipped("a.txt")), "is a zip archive"),
        (zipped("[Content_Types].xml"), "is an Office document or an e-book; save it as plain text first"),
        (tarred(), "is a tar archive; unpack it: tar -xf FILE"),
        (gzip.compress(tarred()), "is a tar archive"),
        (b"7z\xbc\xaf\x27\x1c\0\4", "is a 7z archive"),
        (b"%PDF-1.7\n", "is a PDF; extract its text: pdftotext FILE"),
        (rb"{\rtf1 text}", "is an RTF document"),
        (b"PAR1", "is a Parquet file"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # compressed data contains a timestamp
)
def test_binary_file_is_refused_if_named_and_skipped_otherwise(file, data, message):
    with pytest.raises(CorpusError, match=f"file' {message}"):
        read(file(data))
    assert read(file(data), named=False) == []


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("frag.html", b"<p>king <b>queen</b></p>", "is an HTML page; extract its text first"),
        ("frag.XHTML.gz", gzip.compress(b"text <p>king</p>"), "is an HTML page"),
        ("text.txt", b"\xef\xbb\xbf<!DOCTYPE html>", "is an HTML page"),
        ("feed.xml", b"<rss><title>king</title></rss>", "is an XML document; extract its text first"),
        ("feed.txt", b'\xef\xbb\xbf<?xml version="1.0"?><rss>', "is an XML document"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_pages_of_tags_are_refused_if_named_and_skipped_otherwise(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(CorpusError, match=message):
        read(tmp_path / name)
    assert read(tmp_path / name, named=False) == []


def test_nul_after_the_sniffed_prefix_is_accepted(file):
    assert joined(read(file(b"x" * 8192 + b"\0"))) == b"x" * 8192 + b"\0"


def test_file_without_read_permission_is_refused(file):
    path = file(b"text")
    path.chmod(0)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)  # root can read everything
    try:
        with pytest.raises(CorpusError, match="cannot be read: Permission denied; check"):
            read(path)
    finally:
        os.seteuid(user)


def test_on_bytes_reports_compressed_bytes(file):
    path, reported = file(gzip.compress(TEXT)), []

    read(path, on_bytes=reported.append)

    assert sum(reported) == path.stat().st_size
    assert 0 not in reported


def test_standard_input_is_read(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(b"from a pipe"))))

    assert joined(read("-")) == b"from a pipe"


@given(st.lists(st.sampled_from(["ab", "é", " ", "\n", "。", "'", "\u0301", "👍"])).map("".join), st.integers(1, 7))
def test_pieces_do_not_split_words_or_characters(text, size):
    data = text.encode()
    pieces = list(cut_pieces(data[start : start + size] for start in range(0, len(data), size)))

    assert joined(pieces) == data
    assert [last for _, last in pieces] == [False] * (len(pieces) - 1) + [True]
    words = [word for piece, _ in pieces for word in words_in(piece.decode())]
    assert words == words_in(text)


def words_in(text):
    for mark in " \n。👍":
        text = text.replace(mark, " ")
    return text.split()


def test_piece_ends_at_the_last_newline():
    assert list(cut_pieces([b"a b\nc d", b" e"])) == [(b"a b\n", False), (b"c d", False), (b" e", True)]


def records(*values):
    return "\n".join(json.dumps(value) for value in values).encode()


def test_each_json_record_is_a_document(file):
    path = file(records({"text": "one\ntwo"}, {"text": "three é"}) + b"\r\n\n  \n")

    assert read(path, column="text") == [(b"one\ntwo", True), ("three é".encode(), True)]


def test_compressed_json_records_can_span_blocks(file):
    rows = [f"text {number}" for number in range(100_000)]
    path = file(gzip.compress(records(*({"a": text} for text in rows))))

    assert [data.decode() for data, _ in read(path, column="a")] == rows


@pytest.mark.parametrize(
    "record",
    [{"a": {"b": "x"}}, {"a.b": "x", "a": {"b": "y"}}, {"a": {"b": "x"}, "b": 3}],
)
def test_dotted_column_is_a_path_unless_it_is_a_key(file, record):
    assert read(file(records(record)), column="a.b") == [(b"x", True)]


def test_byte_order_mark_before_json_is_skipped(file):
    assert read(file(b"\xef\xbb\xbf" + records({"a": "x"})), column="a") == [(b"x", True)]


def test_invalid_utf8_in_json_is_refused(file):
    with pytest.raises(FileFormatError, match="file: line 2: not valid UTF-8; convert the file to UTF-8"):
        read(file(b'{"a": "x"}\n{"a": "x\xff"}'), column="a")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"not json", r"not valid JSON; with a column, each line is an object"),
        (b'{"text": "x"}', r"the column 'a.b' has no value, expected a text"),
        (b'{"a": ["b"]}', r"the column 'a.b' has no value, expected a text"),
        (b"3", r"not a JSON object"),
        (b'{"a": {"b": null}}', r"the column 'a.b' has no value, expected a text; repair the record or remove it"),
        (b'{"a": {"b": 3}}', r"the column 'a.b' has 3, expected a text"),
        (b'{"a": "' + b"[" * 10 + b'"', r"not valid JSON"),
        (b"[" * 100_000, r"not valid JSON"),
    ],
)
def test_invalid_record_error_names_file_and_line(file, line, message):
    with pytest.raises(FileFormatError, match="file: line 2: " + message):
        read(file(records({"a": {"b": "right"}}) + b"\n" + line), column="a.b")


def test_missing_column_error_lists_the_columns(file):
    with pytest.raises(UsageError, match=r"line 1: there is no column 'body'; it has 'text', 'title'; name one with"):
        read(file(b'{"title": "x", "text": "y"}'), column="body")
