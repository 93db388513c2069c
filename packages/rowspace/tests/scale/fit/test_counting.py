"""Texts that are counted by parts: vocabulary, counts and ids are those of one process."""

import bz2
import json
from concurrent.futures import Executor, Future
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import rowspace as rs
from rowspace.errors import CorpusError, CorpusWarning, FileFormatError, UsageError
from rowspace.learn.fit import run_fit
from rowspace.scale import fit_parts
from rowspace.scale.fit.fit_parts import encode_in_parts
from rowspace.scale.fit.text_parts import read_part, text_parts
from rowspace.text import TextOptions, encode_corpus

LINES = ["the cat sat on the mat", "", "é 안녕 the dog's 2nd day", "no end of a long line " * 30, "   ", "rare word"]


@pytest.fixture
def folder(tmp_path):
    """Files of several kinds, a compressed one and an empty one among them; one has bad UTF-8 and no last newline."""
    made = tmp_path / "texts"
    made.mkdir()
    (made / "a.txt").write_bytes(b"\n".join(line.encode() for line in LINES * 40) + b" \xff\xfe bad end")
    (made / "b.txt.bz2").write_bytes(bz2.compress("\n".join(LINES * 9).encode()))
    (made / "c.txt").write_bytes(b"")
    (made / "d.txt").write_text("\r\n".join(LINES * 20))
    (made / "e.txt").write_text("\r".join(LINES * 5))
    (made / "f.bin").write_bytes(b"\0\1\2" * 5000)
    return made


def assert_equal(found, expected):
    assert found.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(found.counts, expected.counts)
    np.testing.assert_array_equal(found.ids(), expected.ids())
    assert (found.words, found.replaced, found.tokenizer) == (expected.words, expected.replaced, expected.tokenizer)


def test_text_with_tags_of_html_is_named(tmp_path):
    (tmp_path / "pages.csv").write_text("text\n" + "<p>the cat <b>sat</b></p>\n" * 40)
    options = TextOptions(column="text", min_count=1)
    with pytest.warns(CorpusWarning, match=r"tags of HTML \(<b>, <p>\), whose names become words"):
        encode_in_parts(tmp_path / "pages.csv", tmp_path, options=options, on=None, workers=None)


@pytest.mark.filterwarnings("ignore:.*bad UTF-8")
@pytest.mark.parametrize(
    "options",
    [
        {"min_count": 2},
        {"sentences": "paragraph"},
        {"sentences": "document", "max_vocabulary": 5},
        pytest.param({"split": "whitespace", "min_count": 1}, marks=pytest.mark.long),
        pytest.param({"pattern": r"[a-z]+", "cased": True}, marks=pytest.mark.long),
    ],
    ids=str,
)
def test_parts_have_the_ids_of_one_process(options, folder, tmp_path):
    options = TextOptions(**options, workers=2)
    (tmp_path / "one").mkdir()
    expected = encode_corpus(folder, tmp_path / "one", options=options)
    for size in (100, 1000, 10_000):
        (tmp_path / "parts").mkdir(exist_ok=True)
        seen = []
        found = encode_in_parts(
            folder, tmp_path / "parts", options=options, on=None, workers=None, on_bytes=seen.append, part_bytes=size
        )
        assert_equal(found, expected)
        assert sum(seen) == sum(file.stat().st_size for file in folder.iterdir())
        assert [path.name for path in (tmp_path / "parts").iterdir()] == ["ids.bin"]
    assert len(seen) > 1


@pytest.mark.parametrize("options", [{}, {"max_vocabulary": 9}], ids=str)
def test_words_in_phrases_are_learned_from_all_parts(options, chinese, tmp_path):
    options = TextOptions(**options, workers=1)
    for name in ("one", "parts"):
        (tmp_path / name).mkdir()
    expected = encode_corpus(chinese, tmp_path / "one", options=options)
    found = encode_in_parts(chinese, tmp_path / "parts", options=options, on=None, workers=None, part_bytes=5000)
    assert_equal(found, expected)
    assert "中国" in found.vocabulary


def test_a_fit_in_parts_continues_with_the_words_in_phrases(chinese):
    options = {"dim": 4, "epochs": 1, "workers": 1}
    first = rs.fit(chinese.read_text().split("。")[:500], **options)
    expected = rs.fit(chinese, init=first, epochs=1, workers=1)
    encode = partial(encode_in_parts, on=None, workers=None, part_bytes=5000)
    found = run_fit(chinese, {"epochs": 1, "workers": 1}, init=first, encode=encode)
    assert (found.vocabulary, found.tokenizer) == (expected.vocabulary, expected.tokenizer)
    np.testing.assert_array_equal(found.rows, expected.rows)


class LastFirst(Executor):
    """Works on all parts once the last one is submitted, and begins with that."""

    def __init__(self, parts):
        self.parts, self.waiting = parts, []

    def submit(self, function, part):
        self.waiting.append((Future(), function, part))
        if len(self.waiting) == self.parts:
            for future, each, argument in reversed(self.waiting):
                future.set_result(each(argument))
        return self.waiting[-1][0]


def test_parts_that_are_done_in_another_order_have_the_ids_of_one_process(tmp_path):
    (tmp_path / "text").write_text("\n".join(f"w{number} the" for number in range(2000)) + "\nlast")
    options = TextOptions(workers=1, min_count=1)
    count = len(text_parts(tmp_path / "text", 40, options=options))
    part_bytes = -(-(tmp_path / "text").stat().st_size // 40)
    for name in ("one", "parts"):
        (tmp_path / name).mkdir()
    encode = partial(encode_in_parts, tmp_path / "text", tmp_path / "parts", options=options, part_bytes=part_bytes)
    assert count > 30
    found = encode(on=LastFirst(count), workers=count)
    assert_equal(found, encode_corpus(tmp_path / "text", tmp_path / "one", options=options))


def test_a_file_that_is_named_twice_counts_twice(tmp_path):
    (tmp_path / "text").write_text("\n".join(LINES))
    corpus, size = [tmp_path / "text"] * 2, (tmp_path / "text").stat().st_size
    options = TextOptions(workers=1, min_count=1)
    for name in ("one", "parts"):
        (tmp_path / name).mkdir()
    found = encode_in_parts(corpus, tmp_path / "parts", options=options, on=None, workers=None, part_bytes=size)
    assert_equal(found, encode_corpus(corpus, tmp_path / "one", options=options))


def test_a_part_of_a_file_ends_after_a_line(folder):
    file, options = folder / "a.txt", TextOptions()
    for count in (2, 7, 10_000):
        parts = text_parts(file, count, options=options)
        ends = [part.ranges[-1].end for part in parts]
        data = file.read_bytes()
        assert all(data[end - 1 : end] == b"\n" for end in ends[:-1])
        assert b"".join(piece for part in parts for piece, _ in read_part(part, options)) == data
    assert len(parts) > 200


def test_records_are_counted_by_files(tmp_path):
    source = tmp_path / "texts"
    source.mkdir()
    for number in range(3):
        pq.write_table(pa.table({"text": LINES[number:]}), source / f"{number}.parquet")
    (source / "3.jsonl").write_text("\n".join(json.dumps({"text": line}) for line in LINES))
    options = TextOptions(column="text", min_count=1)
    for name in ("one", "parts"):
        (tmp_path / name).mkdir()
    assert len(text_parts(source, 4, options=options)) > 1
    found = encode_in_parts(source, tmp_path / "parts", options=options, on=None, workers=None)
    assert_equal(found, encode_corpus(source, tmp_path / "one", options=options))


@pytest.mark.filterwarnings("ignore:.*bad UTF-8")
def test_processes_count_and_the_rows_are_those_of_fit(folder):
    options = {"dim": 4, "epochs": 1, "workers": 1}
    encode = partial(encode_in_parts, on="processes", workers=2, part_bytes=20_000)
    made = run_fit(folder, options, encode=encode)
    expected = rs.fit(folder, **options)
    assert made.vocabulary == expected.vocabulary
    np.testing.assert_array_equal(made.rows, expected.rows)


@pytest.mark.parametrize(
    ("corpus", "options", "kind", "message"),
    [
        (None, {}, UsageError, r"^only files are divided into parts; give a path or a list"),
        (["the text itself"], {}, UsageError, r"^only files are divided into parts; give paths or URLs"),
        ("-", {}, UsageError, r"^standard input \('-'\) has no parts"),
        ("c.txt", {}, CorpusError, r"^the files of the corpus are empty"),
        ("a.txt", {"phrases": 2}, UsageError, r"^parts are of words; leave out phrases and tokens"),
        ("a.txt", {"tokens": "bytes"}, UsageError, r"^parts are of words; leave out phrases and tokens"),
        ("a.txt", {"column": "text"}, FileFormatError, r"a.txt: line 1: not valid JSON"),
    ],
)
def test_what_has_no_parts_is_refused(corpus, options, kind, message, folder, tmp_path):
    corpus = folder / corpus if corpus in ("a.txt", "c.txt") else corpus
    with pytest.raises(kind, match=message):
        fit_parts(corpus, on=None, output=tmp_path / "table", **options)
    assert not (tmp_path / "table").exists()
    assert not (tmp_path / "table.fit").exists()
