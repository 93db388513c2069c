"""Parts → files of vectors: what is kept, what is skipped, what is refused."""

import json
import os
import re
import socket
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scale.corpus import contents, write_texts

import rowspace as rs
from rowspace._base.atomic.temporaries import hidden_sibling
from rowspace.encode import StreamOptions
from rowspace.errors import CorpusWarning, FileFormatError, RowspaceError, UsageError
from rowspace.files.remote import read_remote, remote_names, upload
from rowspace.scale import BadRow, Part, PartsOptions, encode_parts
from rowspace.scale.encode import _EncodePart
from rowspace.scale.encoders import EncoderSource
from rowspace.scale.engines import check_address
from rowspace.scale.mapping import _Checked

TEXT = PartsOptions(column="text")


def names_in(folder):
    return {path.name for path in folder.iterdir()}


def vectors_in(file):
    column = pq.read_table(file)["vector"].combine_chunks()
    return column.values.to_numpy().reshape(len(column), -1)


def test_each_file_becomes_one_with_the_vectors_of_its_texts_and_all_columns(tmp_path, table_path):
    source, seen = write_texts(tmp_path / "texts"), []
    result = encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=None, on_progress=seen.append)
    assert (result.parts, result.new_parts, result.texts, result.dim, result.dtype) == (3, 3, 150, 6, "float32")
    encoder = rs.Encoder.load(table_path)
    for path in source.iterdir():
        made, given = pq.read_table(tmp_path / "out" / path.name), pq.read_table(path)
        assert made.drop_columns(["vector"]).equals(given)
        assert (vectors_in(tmp_path / "out" / path.name) == encoder.encode(given["text"].to_pylist())).all()
    assert [progress.texts for progress in seen] == [50, 100, 150]
    assert seen[-1].bytes == seen[-1].total_bytes
    assert {path.name for path in (tmp_path / "out").iterdir()} == {"_rowspace.json", *names_in(source)}


def test_processes_and_an_executor_write_the_same_bytes(tmp_path, table_path):
    source = write_texts(tmp_path / "texts")
    encode_parts(table_path, source, tmp_path / "one", options=TEXT, on=None)
    encode_parts(rs.load(table_path), source, tmp_path / "two", options=TEXT, on="processes", workers=2)
    in_memory = rs.Table(list(rs.load(table_path)), rs.load(table_path).rows, tokenizer=rs.load(table_path).tokenizer)
    encode_parts(in_memory, source, tmp_path / "three", options=TEXT, on="processes", workers=1)
    with ThreadPoolExecutor(2) as executor:
        encode_parts(table_path, source, tmp_path / "four", options=TEXT, on=executor)
    assert contents(tmp_path / "one") == contents(tmp_path / "two") == contents(tmp_path / "three")
    assert contents(tmp_path / "one") == contents(tmp_path / "four")


def test_a_large_file_is_divided_between_row_groups(tmp_path, table_path):
    source = write_texts(tmp_path / "texts", files=1)
    size = (source / "part-0.parquet").stat().st_size
    options = PartsOptions(column="text", part_bytes=size // 3)
    encode_parts(table_path, source, tmp_path / "out", options=options, on=None)
    names = sorted(contents(tmp_path / "out"))
    assert names == ["part-0-000000-000002.parquet", "part-0-000002-000004.parquet", "part-0-000004-000005.parquet"]
    together = pa.concat_tables([pq.read_table(tmp_path / "out" / name) for name in names])
    assert together.drop_columns(["vector"]).equals(pq.read_table(source / "part-0.parquet"))


def test_a_second_run_reads_no_source(tmp_path, table_path):
    source = write_texts(tmp_path / "texts")
    options = PartsOptions(column="text", part_bytes=1)
    encode_parts(table_path, source, tmp_path / "out", options=options, on=None)
    before, times = contents(tmp_path / "out"), {path: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir()}
    for path in source.iterdir():
        facts = path.stat()
        path.write_bytes(bytes(facts.st_size))  # nothing of it can be read now
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    again = encode_parts(table_path, source, tmp_path / "out", options=options, on="processes")
    assert (again.parts, again.new_parts, again.texts) == (15, 0, 150)
    assert contents(tmp_path / "out") == before
    assert all(path.stat().st_mtime_ns == time for path, time in times.items() if path.name != "_rowspace.json")


def test_a_changed_source_is_encoded_again_and_a_removed_one_stays(tmp_path, table_path):
    source = write_texts(tmp_path / "texts")
    encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=None)
    pq.write_table(pa.table({"text": ["the cat"]}), source / "part-1.parquet")
    (source / "part-2.parquet").unlink()
    again = encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=None)
    assert (again.parts, again.new_parts, again.texts) == (3, 1, 101)
    assert len(pq.read_table(tmp_path / "out/part-1.parquet")) == 1


def test_finished_parts_keep_their_names_when_a_folder_gets_subfolders(tmp_path, table_path):
    source, out = tmp_path / "texts", tmp_path / "out"
    write_texts(source / "day1")
    first = encode_parts(table_path, source, out, options=TEXT, on=None)
    write_texts(source / "day2")
    again = encode_parts(table_path, source, out, options=TEXT, on=None)
    assert (first.new_parts, again.new_parts, again.parts) == (3, 3, 6)
    names = {str(path.relative_to(out)) for path in out.rglob("*.parquet")}
    assert names == {f"{day}/{path.name}" for day in ("day1", "day2") for path in (source / "day1").iterdir()}
    # a manifest of names below the folder of the files that there were, as before
    single = tmp_path / "single"
    encode_parts(table_path, source / "day1", single, options=TEXT, on=None)
    joined = encode_parts(table_path, source, single, options=TEXT, on=None)
    assert (joined.new_parts, joined.parts) == (3, 6)
    assert names_in(single) == {"_rowspace.json", "day2", *names_in(source / "day1")}


def test_strict_names_bad_rows_of_an_earlier_run(tmp_path, table_path):
    source = tmp_path / "texts.parquet"
    pq.write_table(pa.table({"text": ["a cat", None]}), source)
    encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=None)
    with pytest.raises(FileFormatError, match=r"texts\.parquet: row 1: .*leave out --strict"):
        encode_parts(table_path, source, tmp_path / "out", options=PartsOptions(column="text", strict=True), on=None)


def test_rows_of_a_column_with_only_nulls_are_counted_as_bad_rows(tmp_path, table_path):
    source = tmp_path / "texts"
    source.mkdir()
    pq.write_table(pa.table({"text": ["a cat"]}), source / "a.parquet")
    pq.write_table(pa.table({"text": pa.nulls(2)}), source / "b.parquet")
    result = encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=None)
    assert (result.texts, result.bad) == (3, 2)
    assert pq.read_table(tmp_path / "out").schema.field("text").type == pa.string()


def test_a_run_leaves_the_temporary_files_of_another_that_still_runs(tmp_path, table_path):
    source, out = write_texts(tmp_path / "texts"), tmp_path / "out"
    out.mkdir()
    running = hidden_sibling(out / "part.parquet", "tmp")
    dead = running.with_name(running.name.replace(f"-{os.getpid()}-", "-4999999-"))
    encode_parts(table_path, source, out, options=TEXT, on=None)
    for folder in (running, dead):
        folder.mkdir()
    (source / "more.parquet").write_bytes(next(source.iterdir()).read_bytes())
    encode_parts(table_path, source, out, options=TEXT, on=None)
    assert (running.exists(), dead.exists()) == (True, False)


def test_rows_without_a_text_are_zeros_and_named(tmp_path, table_path):
    text = pa.array([b"the cat", None, b"\xff", b"dog"], pa.binary()).cast(pa.string(), safe=False)
    pq.write_table(pa.table({"text": text.view(pa.string())}), tmp_path / "texts.parquet")
    result = encode_parts(table_path, tmp_path / "texts.parquet", tmp_path / "out", options=TEXT, on=None)
    vectors = vectors_in(tmp_path / "out/texts.parquet")
    assert result.bad == 2
    assert [row[1:] for row in result.bad_rows] == [
        ("row", 1, "the column 'text' has no value, expected a text"),
        ("row", 2, "the column 'text' has bytes that are not UTF-8"),
    ]
    assert (np.abs(vectors).sum(1) > 0).tolist() == [True, False, False, True]
    (tmp_path / "out/_rowspace.json").write_text(  # as a run leaves it that is killed before its end
        json.dumps(forget(json.loads((tmp_path / "out/_rowspace.json").read_text())))
    )
    again = encode_parts(table_path, tmp_path / "texts.parquet", tmp_path / "out", options=TEXT, on=None)
    assert (again.texts, again.bad, again.bad_rows) == (4, 2, result.bad_rows)
    strict = PartsOptions(column="text", strict=True)
    with pytest.raises(RowspaceError, match=r"row 1: the column 'text' has no value, expected a text") as caught:
        encode_parts(table_path, tmp_path / "texts.parquet", tmp_path / "strict", options=strict, on=None)
    assert str(caught.value).startswith("part texts.parquet failed: ")


BAD = {  # the bytes of a file, and the unit, the number and what is wrong of each of its rows without a text
    "lines.txt": (b"cat\ncaf\xe9\r\ndog\r\n", [("line", 2, "not valid UTF-8")]),
    "records.jsonl": (
        b'{"id": 1}\n\n{"text": "cat"}\n{"text": null, "id": 2}\n{"text": 5}\n'
        b'{no\n[1]\n{"text": "\xe9"}\n{"text": "dog"}',
        [
            ("line", 1, "the column 'text' has no value, expected a text"),
            ("line", 4, "the column 'text' has no value, expected a text"),
            ("line", 5, "the column 'text' has 5, expected a text"),
            ("line", 6, "not valid JSON"),
            ("line", 7, "not a JSON object"),
            ("line", 8, "not valid UTF-8"),
        ],
    ),
    "array.json": (
        b'[{"text": "cat"}, 7, {"id": 3}, {"text": "dog"}]',
        [("record", 2, "not a JSON object"), ("record", 3, "the column 'text' has no value, expected a text")],
    ),
    "cells.csv": (
        b'id,text,more\n1,cat,x\n2\n3,a,b,c\n"4\xff\n4",cat,x\n6,dog\n',
        [
            ("line", 3, "the column 'text' has no value, expected a text"),
            ("line", 4, "4 cells for 3 columns"),
            ("line", 5, "not valid UTF-8"),
        ],
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_rows_of_each_format_are_the_same_with_parts_and_without(tmp_path, table_path, name):
    data, bad = BAD[name]
    column = None if name == "lines.txt" else "text"
    source, encoder = tmp_path / name, rs.Encoder.load(table_path)
    source.write_bytes(data)
    parts = encode_parts(table_path, source, tmp_path / "out", options=PartsOptions(column=column), on=None)
    one = encoder.encode_to(source, tmp_path / "one.parquet", options=StreamOptions(column=column))
    assert (tmp_path / f"out/{name}.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()
    encoder.encode_to(source, tmp_path / "one.npy", options=StreamOptions(column=column))
    assert (np.load(tmp_path / "one.npy") == vectors_in(tmp_path / "one.parquet")).all()
    assert parts.bad_rows == one.bad_rows == tuple(BadRow(str(source), *row) for row in bad)
    assert (parts.bad, one.bad, one.texts) == (len(bad), len(bad), len(bad) + 2)
    vectors, texts = vectors_in(tmp_path / "one.parquet"), pq.read_table(tmp_path / "one.parquet")["text"].to_pylist()
    found = [place for place, vector in enumerate(vectors) if vector.any()]
    assert [texts[place] for place in found] == ["cat", "dog"]
    assert (vectors[found] == encoder.encode(["cat", "dog"])).all()
    expected = re.escape(f"{source}: {bad[0][0]} {bad[0][1]}: {bad[0][2]}; repair or remove it, or leave out --strict")
    for out in ("strict.npy", "strict.parquet"):
        with pytest.raises(FileFormatError, match=expected):
            encoder.encode_to(source, tmp_path / out, options=StreamOptions(column=column, strict=True))
    with pytest.raises(RowspaceError, match=f"^part {name}.parquet failed: {expected}"):
        encode_parts(table_path, source, tmp_path / "strict", options=PartsOptions(column, strict=True), on=None)


def test_a_file_without_the_column_or_with_unknown_ends_of_records_stops(tmp_path, table_path):
    for name, data, sentence in (
        (
            "a.jsonl",
            '{"id": 1}\n' * 200 + '{"text": "cat"}\n',
            "line 1: there is no column 'text'; it has 'id'; name one",
        ),
        ("b.jsonl", '{no}\n{"text": 5}\n', "line 2: the column 'text' has 5, expected a text; repair the record"),
        ("c.jsonl", "the cat\n", "line 1: not valid JSON; repair the line or remove it"),
        ("d.csv", 'id,text\n1,"cat\n2,dog\n', "line 2: a quote that is not closed; repair the line or remove it"),
        ("e.json", '[{"text": "cat"}, ', "line 1: not a valid array of JSON objects; repair the file"),
    ):
        (tmp_path / name).write_text(data)
        with pytest.raises(RowspaceError, match=re.escape(f"{name}: {sentence}")):
            encode_parts(table_path, tmp_path / name, tmp_path / "out", options=TEXT, on=None)
        with pytest.raises(RowspaceError, match=re.escape(f"{name}: {sentence}")):
            rs.Encoder.load(table_path).encode_to(
                tmp_path / name, tmp_path / "one.npy", options=StreamOptions(column="text")
            )
    assert not (tmp_path / "one.npy").exists()


def forget(document):
    for part in document["parts"]:
        part["facts"] = None
    return document


def test_lines_records_and_empty_files_become_texts_with_vectors(tmp_path, table_path):
    (tmp_path / "texts/in").mkdir(parents=True)
    (tmp_path / "texts/a.txt").write_text("the cat\n\nthe dog\n")
    (tmp_path / "texts/in/empty.txt").write_text("")
    result = encode_parts(table_path, tmp_path / "texts", tmp_path / "out", on=None)
    assert result.texts == 3
    assert pq.read_table(tmp_path / "out/a.txt.parquet")["text"].to_pylist() == ["the cat", "", "the dog"]
    assert pq.read_table(tmp_path / "out/in/empty.txt.parquet").num_rows == 0
    (tmp_path / "r.jsonl").write_text('{"text": "the cat"}\n{"text": "mat"}\n')
    encode_parts(table_path, tmp_path / "r.jsonl", tmp_path / "records", options=TEXT, on=None)
    assert len(vectors_in(tmp_path / "records/r.jsonl.parquet")) == 2


@pytest.mark.long
def test_a_failed_part_is_named_once_and_the_others_are_saved(tmp_path, table_path):
    source = write_texts(tmp_path / "texts")
    (source / "part-1.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(RowspaceError, match=r"^part part-1.parquet failed: .* is a damaged Parquet file") as caught:
        encode_parts(table_path, source, tmp_path / "out", options=TEXT, on="processes", workers=1)
    assert str(caught.value).endswith("; 1 other part done")
    assert not (tmp_path / "out/part-1.parquet").exists()


def test_parts_have_one_type_for_each_column(tmp_path, table_path):
    (tmp_path / "a.jsonl").write_text('{"text": "the cat", "id": 1}\n')
    (tmp_path / "b.jsonl").write_text('{"text": "the dog", "id": "two"}\n')
    for _ in range(2):  # the second run has the first file
        with pytest.raises(UsageError, match=r"column 'id' is string in '.*b.jsonl' and int64 in '.*a.jsonl', but all"):
            encode_parts(table_path, tmp_path / "*.jsonl", tmp_path / "out/vectors", options=TEXT, on=None)
    assert len(pq.read_table(tmp_path / "out/vectors")) == 1
    (tmp_path / "b.jsonl").write_text('{"text": "the dog", "id": 2}\n')
    assert encode_parts(table_path, tmp_path / "*.jsonl", tmp_path / "out/vectors", options=TEXT, on=None).texts == 2


def test_what_cannot_be_right_is_one_sentence(tmp_path, table_path):
    source, out = write_texts(tmp_path / "texts"), tmp_path / "out"
    encode_parts(table_path, source, out, options=TEXT, on=None)
    with pytest.raises(UsageError, match="has vectors of a run with another table or other options of the encoder"):
        encode_parts(rs.Encoder.load(table_path, normalize=True), source, out, options=TEXT)
    with pytest.raises(UsageError, match="has vectors of a run with keep_text=True; give the same"):
        encode_parts(table_path, source, out, options=PartsOptions(column="text", keep_text=False))
    with pytest.raises(UsageError, match=r"has other files, such as part-0.parquet; name a new or an empty folder"):
        encode_parts(table_path, source, source, options=TEXT)
    with pytest.raises(UsageError, match=r"texts/v lies in .*texts, so that its vectors would be read the next time"):
        encode_parts(table_path, source, source / "v", options=TEXT)
    with pytest.raises(UsageError, match="on must be 'processes', 'ray', 'dask' or an executor"):
        encode_parts(table_path, source, tmp_path / "new", options=TEXT, on="spark")
    with pytest.raises(UsageError, match="workers must be at least 1, got 0"):
        encode_parts(table_path, source, tmp_path / "new", options=TEXT, workers=0)
    with pytest.raises(RowspaceError, match="has the columns 'id', 'text', 'more'; name the one with the text"):
        encode_parts(table_path, source, tmp_path / "none", on=None)
    assert encode_parts(table_path, source, tmp_path / "none", options=TEXT, on=None).new_parts == 3  # corrected
    with pytest.raises(UsageError, match=r"there is a column 'vector' already; choose another name .* --vector-column"):
        encode_parts(table_path, out, tmp_path / "twice", options=TEXT, on=None)
    encode_parts(table_path, out, tmp_path / "twice", options=PartsOptions("text", vector_column="v2"), on=None)
    assert pq.read_schema(tmp_path / "twice/part-0.parquet").names[-2:] == ["vector", "v2"]
    with pytest.raises(UsageError, match="vector_column must be the name of a column, not ''"):
        PartsOptions(vector_column="")
    pq.write_table(pa.Table.from_pylist([{"a": {"b": "the cat"}}]), tmp_path / "nested.parquet")
    nested = PartsOptions(column="a.b", keep_text=False)
    with pytest.raises(UsageError, match=r"--no-text cannot leave out 'a\.b', which is inside another column"):
        encode_parts(table_path, tmp_path / "nested.parquet", tmp_path / "nested", options=nested, on=None)
    with pytest.raises(UsageError, match=r"standard input .* has no parts"):
        encode_parts(table_path, "-", tmp_path / "new")
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "a.txt.parquet").write_bytes(b"")
    with pytest.raises(UsageError, match=r"would both become a.txt.parquet"):
        encode_parts(table_path, f"{tmp_path}/a.*", tmp_path / "new")
    other = write_texts(tmp_path / "other", files=1)
    with pytest.raises(UsageError, match=r"texts/part-0.parquet would both become part-0.parquet; encode them into"):
        encode_parts(table_path, other, out, options=TEXT)
    assert encode_parts(table_path, source, out, options=TEXT).new_parts == 0
    with pytest.warns(CorpusWarning, match=r"there are fewer parts \(1\) than workers \(2\)"):
        encode_parts(table_path, source / "part-0.parquet", tmp_path / "few", options=TEXT, workers=2)
    with pytest.raises(UsageError, match="there is no file or folder"):
        encode_parts(table_path, tmp_path / "none.parquet", tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(UsageError, match=r"a\.txt is a file, and parts are saved in a folder"):
        encode_parts(table_path, source, tmp_path / "a.txt", options=TEXT)


@pytest.mark.long
@pytest.mark.parametrize(("name", "options"), [("plain", ""), ("options", "?region=us-east-1")])
def test_a_bucket_has_the_files_of_a_folder(name, options, tmp_path, table_path, bucket):
    source, place = write_texts(tmp_path / "texts"), f"{bucket}/{name}"
    for path in source.iterdir():
        upload(path, f"{place}/texts/{path.name}{options}")
    encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=None)
    texts, out = f"{place}/texts/*.parquet{options}", f"{place}/out/{options}"
    result = encode_parts(table_path, texts, out, options=TEXT, on="processes", workers=1)
    assert result.texts == 150
    assert remote_names(f"{place}/out") == {"_rowspace.json", *names_in(source)}
    made = {name: read_remote(f"{place}/out/{name}") for name in names_in(source)}
    assert made == contents(tmp_path / "out")
    assert encode_parts(table_path, texts, f"{place}/out{options}", options=TEXT).new_parts == 0
    with pytest.raises(UsageError, match=r"is read and lies in .*, where vectors are saved; name another folder"):
        encode_parts(table_path, f"{place}/out/*.parquet{options}", out, options=TEXT)


def test_a_worker_with_other_versions_refuses_a_part():
    outcome = _Checked(len, "rowspace 0.0.1 and Python 3.9")(Part("x.parquet", "x", 0, 0))
    assert re.fullmatch(
        r"the worker on \S+ has rowspace \S+ and Python 3.\d+, and this process rowspace 0.0.1 and Python 3.9; "
        "install the same versions on all machines",
        outcome.failure,
    )


def test_a_cluster_that_does_not_answer_is_named():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(RowspaceError, match=rf"no Ray cluster answers at RAY_ADDRESS={address} "):
            check_address(address)
    check_address("auto")


def test_a_worker_that_does_not_see_a_path_says_so(tmp_path, table_path):
    source = write_texts(tmp_path / "texts", files=1) / "part-0.parquet"
    encoder = EncoderSource.of(table_path)
    facts = source.stat()
    part = Part("part-0.parquet", str(source), facts.st_size, facts.st_mtime_ns)
    with pytest.raises(RowspaceError, match=r"does not see \S+/out; use a folder that all machines share, or a URL"):
        _EncodePart(encoder, TEXT, str(tmp_path / "out"))(part)
    (tmp_path / "out").mkdir()
    (tmp_path / "out/_rowspace.json").write_text("{}")
    source.unlink()
    with pytest.raises(RowspaceError, match=r"does not see \S+/part-0.parquet; use a folder"):
        _EncodePart(encoder, TEXT, str(tmp_path / "out"))(part)
    with pytest.raises(RowspaceError, match="does not see the table /none; put it in a folder that all machines share"):
        EncoderSource("/none", encoder.options, "unknown", b"").open()
    with pytest.raises(RowspaceError, match=r"differs from the one of this run; copy the same table to all machines"):
        EncoderSource(table_path, encoder.options, "unknown", b"").open()
