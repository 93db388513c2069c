"""Indexes of records: ids, metadata, conditions, updates, and damage."""

import json
import math
from collections import UserDict
from datetime import date
from decimal import Decimal
from weakref import WeakSet

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.search.samples import contents, make_table

from rowspace.encode import Encoder
from rowspace.errors import CorpusWarning, FileFormatError, RowspaceError, UsageError
from rowspace.search import Index, IndexOptions, Question, evaluate_search

RECORDS = [
    {"id": "rose", "text": "Roses need water.", "year": 1999, "language": "en", "price": 2, "is_new": True},
    {"id": "tulip", "text": "Tulips grow from bulbs in spring.", "year": 2005, "language": "de", "price": 2.5},
    {"id": 3, "text": "Plant bulbs in autumn.", "year": 2010, "language": "de", "tags": ["a", {"b": 1}]},
    {"id": "it's", "text": "Install the package with pip.", "year": 900, "is_new": False, 'a "b"=\'c': "x"},
]


@pytest.fixture
def index(encoder, tmp_path):
    return Index.build_records(RECORDS, encoder, tmp_path / "index")


def ids(index, where, query="roses tulips bulbs package"):
    return sorted(hit.id for hit in index.search(query, where=where))


def test_hits_have_the_id_and_the_metadata(index):
    hit = index.search("tulips spring")[0]
    assert (hit.id, hit.location, hit.text) == ("tulip", "tulip", "Tulips grow from bulbs in spring.")
    assert hit.metadata == {"year": 2005, "language": "de", "price": 2.5}
    assert index.search("autumn")[0].metadata["tags"] == '["a", {"b": 1}]'
    assert index.files() == sorted(["rose", "tulip", "3", "it's"])
    assert index.changes([hit]) == {}


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("year=1999", ["rose"]),
        ("year == 1999.0", ["rose"]),
        ("year>=2005", ["3", "tulip"]),
        ("year<1999", ["it's"]),
        ("year>1e3", ["3", "rose", "tulip"]),
        ("price>2", ["tulip"]),
        ("price<=2.5", ["rose", "tulip"]),
        ("language!=de", ["it's", "rose"]),
        ("language=", ["it's"]),
        ("language!=", ["3", "rose", "tulip"]),
        ("language>=de", ["3", "rose", "tulip"]),
        ("is_new=true", ["rose"]),
        ("is_new!=true", ["3", "it's", "tulip"]),
        ("id=it's", ["it's"]),
        ('a "b"=\'c=x', ["it's"]),
        (["language=de", "year<2010"], ["tulip"]),
        ({"language": "de", "year": 2010}, ["3"]),
        ({"is_new": False}, ["it's"]),
        ({"price": None}, ["3", "it's"]),
        ("language=' OR true --", []),
    ],
)
def test_conditions(index, where, expected):
    assert ids(index, where) == expected


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("color=red", "the index has no column 'color'; it has "),
        ({"color": 1}, "the index has no column 'color'; it has "),
        ("year>=new", "the column 'year' has numbers, and 'new' is not one"),
        ("year>nan", "the column 'year' has numbers, and 'nan' is not one"),
        ("is_new>false", "the column 'is_new' has true and false"),
        ("year>", "there is no value after year>; give one"),
        ("year", "a condition is a column, one of = != < <= > >=, and a value, not 'year'"),
        ("", "a condition is a column"),
        ("language=\ud800", "a condition must be text in UTF-8 without NUL"),
        (3, "a condition must be text such as"),
        ([3], "a condition must be text such as"),
    ],
)
def test_wrong_conditions_are_named(index, where, message):
    with pytest.raises(UsageError) as error:
        index.search("roses", where=where)
    assert str(error.value).startswith(message)


def test_conditions_apply_before_the_ranking(encoder, tmp_path):
    """The best passages by far do not meet the condition."""
    records = [{"id": n, "text": "Roses need water.", "n": n} for n in range(500)]
    records += [{"id": f"t{n}", "text": "tulips and many other words " * 5 + "roses", "n": -n} for n in range(1, 21)]
    index = Index.build_records(records, encoder, tmp_path / "index")
    for mode in ("hybrid", "dense", "lexical"):
        found = index.search("roses need water", where="n<0", k=20, mode=mode)
        assert len(found) == 20
        assert all(hit.metadata["n"] < 0 for hit in found)
    assert {len(hits) for hits in index.rankings("Roses need", where="n<-10", k=50)} == {10}


def test_each_kind_of_index_has_its_own_filter(index, folder, encoder, tmp_path):
    with pytest.raises(UsageError, match="path is for an index of files, and this one has records; use where"):
        index.search("roses", path="*.md")
    files = Index.build(folder, encoder, tmp_path / "files-index")
    with pytest.raises(UsageError, match="where is for an index of records, and this one has files; use path"):
        files.search("roses", where="year=1")
    assert files.search("roses")[0].metadata is None


def test_files_equal_dictionaries(index, encoder, tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, RECORDS)))
    from_lines = Index.build_records(tmp_path / "a.jsonl", encoder, tmp_path / "lines")
    assert contents(from_lines) == contents(index)
    typed = [record | {"id": str(record["id"])} for record in RECORDS]
    columns = [name for name in dict.fromkeys(name for record in typed for name in record) if name != "tags"]
    table = {name: [record.get(name) for record in typed] for name in columns}
    parquet.write_table(arrow.table(table), tmp_path / "a.parquet")
    from_parquet = Index.build_records([tmp_path / "a.parquet"], encoder, tmp_path / "parquet")
    assert ids(from_parquet, ["language=de", "year<2010"]) == ["tulip"]
    assert from_parquet.settings.records.types["price"] == "number"


def test_columns_of_csv_have_types(encoder, tmp_path):
    (tmp_path / "a.csv").write_text(
        "key,body,year,zip,version,price,unused\n"
        "a,Roses need water.,1999,01234,1.10,2,\nb,Tulips grow.,900,99999,1.9.1,1e1,\nc,Bulbs.,,,,,\n"
    )
    index = Index.build_records(tmp_path / "a.csv", encoder, tmp_path / "index", column="body", id_column="key")
    assert index.settings.records.types == {"year": "integer", "zip": "text", "version": "text", "price": "number"}
    assert ids(index, "year>=1000") == ["a"]
    assert ids(index, "price>2") == ["b"]
    assert ids(index, "zip=01234") == ["a"]
    assert index.search("roses")[0].metadata == {"year": 1999, "zip": "01234", "version": "1.10", "price": 2.0}
    assert index.search("bulbs")[0].metadata == {}


def test_records_without_ids_have_the_numbers_of_their_lines(encoder, tmp_path):
    (tmp_path / "a.csv").write_text("text\nRoses\n\nTulips\n")
    assert Index.build_records(tmp_path / "a.csv", encoder, tmp_path / "csv").files() == ["a.csv:2", "a.csv:4"]
    index = Index.open(tmp_path / "csv", encoder)
    assert ids(index, "id=a.csv:4", "Roses Tulips") == ["a.csv:4"]
    assert Index.build_records([{"text": "Roses"}], encoder, tmp_path / "python").files() == ["1"]


def test_titles_are_searched_and_shown(encoder, tmp_path):
    records = [{"id": 1, "text": "Roses", "title": "spring"}, {"id": 2, "text": "Roses", "title": None}]
    index = Index.build_records(records, encoder, tmp_path / "index", title_column="title")
    assert [(hit.id, hit.name) for hit in index.search("spring", mode="lexical")] == [("1", "spring")]
    assert index.search("spring")[0].metadata == {}


def test_a_long_text_is_divided_into_passages(encoder, tmp_path):
    text = "\n\n".join(f"Roses need water {number}." for number in range(100))
    index = Index.build_records(
        [{"id": "long", "text": text, "n": 1}], encoder, tmp_path / "index", options=IndexOptions(max_chars=100)
    )
    assert len(index) == 25
    hit = next(hit for hit in index.search("roses", k=50, where="n=1") if hit.chunk == 3)
    assert hit.location == f"long line {hit.first_line}"
    assert text.split("\n")[hit.first_line - 1] == hit.text.split("\n")[0]
    assert len(index.evidence("roses", [hit])) == 1


def test_an_update_finds_what_is_new_changed_and_gone(encoder, tmp_path):
    file = tmp_path / "a.jsonl"

    def write(records):
        file.write_text("\n".join(map(json.dumps, records)))

    write(RECORDS)
    index = Index.build_records(file, encoder, tmp_path / "index")
    changed = RECORDS[1] | {"year": "unknown"}
    write([RECORDS[2], changed, {"id": "new", "text": "Roses"}, RECORDS[0] | {"text": " "}])
    summary = index.update()
    assert (summary.added, summary.changed, summary.removed, summary.unchanged) == (1, 1, 2, 1)
    assert summary.left_out == {"rose": "without text"}
    assert index.settings.records.types["year"] == "text"
    write([RECORDS[2], changed, {"id": "new", "text": "Roses"}])
    index.update()
    fresh = Index.build_records(file, encoder, tmp_path / "fresh")
    assert contents(index) == contents(fresh)
    assert index.settings == fresh.settings
    (tmp_path / "b.csv").write_text("id,text\nb,Tulips\n")
    assert index.update(tmp_path / "b.csv").unchanged == 3
    (tmp_path / "a.jsonl").rename(tmp_path / "elsewhere")
    for files in (None, tmp_path / "b.csv"):
        with pytest.raises(
            UsageError, match=r"a\.jsonl was indexed and is missing; restore it, or build the index again"
        ):
            index.update(files)
    assert len(index.files()) == 4


def test_records_of_a_file_that_has_changed_or_is_gone_are_marked(encoder, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, RECORDS)))
    index = Index.build_records(file, encoder, tmp_path / "index")
    hits = index.search("tulips", k=1)
    assert Index.open(index.path).changes(hits) == {}
    at_url = Index.build_records(f"file://{file}", encoder, tmp_path / "at_url")
    assert (at_url.update().unchanged, at_url.changes(hits)) == (4, {})
    file.write_text(json.dumps(RECORDS[0]))
    assert index.changes(hits) == {"tulip": "changed"}
    file.rename(tmp_path / "elsewhere")
    assert index.changes(hits) == {"tulip": "gone"}
    (tmp_path / "elsewhere").rename(file)
    index.update()
    assert Index.open(index.path, encoder).changes(index.search("roses")) == {}


def test_records_of_python_are_added_or_replace_all(index):
    summary = index.update_records([{"id": "rose", "text": "Roses"}, {"id": "new", "text": "Tulips", "year": 3}])
    assert (summary.added, summary.changed, summary.removed, summary.chunks) == (1, 1, 0, 5)
    summary = index.update_records(RECORDS[:1], is_all=True)
    assert (summary.changed, summary.removed, index.files()) == (1, 4, ["rose"])
    with pytest.raises(UsageError, match="the index has records of Python; update it with update_records"):
        index.update()


def test_files_are_not_updated_by_records_of_python(encoder, folder, tmp_path):
    files = Index.build(folder, encoder, tmp_path / "index")
    with pytest.raises(UsageError, match="the index was made of files, which update reads again"):
        files.update_records(RECORDS)


def test_a_build_that_a_damaged_record_ended_continues(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr("rowspace.search.update_records._BATCH", 10)
    lines = [json.dumps({"id": number, "text": f"Roses {number}", "n": number}) for number in range(100)]
    file = tmp_path / "a.jsonl"
    file.write_text("\n".join([*lines[:55], "damaged", *lines[56:]]))
    with pytest.raises(FileFormatError, match=r"a\.jsonl: line 56: not valid JSON"):
        Index.build_records(file, encoder, tmp_path / "index")
    file.write_text("\n".join(lines))
    index = Index.open(tmp_path / "index", encoder)
    assert len(index) == 50
    assert index.update().unchanged == 50
    assert contents(index) == contents(Index.build_records(file, encoder, tmp_path / "fresh"))
    assert ids(index, "n>=90") == sorted(map(str, range(90, 100)))


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (
            {"id": "rose", "text": "x"},
            "the id 'rose' belongs to an earlier record; change one of them or remove it",
        ),
        ({"id": "x"}, "the column 'text' has no value, expected a text"),
        ({"id": "x", "text": None}, "the column 'text' has no value, expected a text"),
        ({"id": "x", "text": 3}, "the column 'text' has 3, expected a text"),
        ({"id": "x", "text": "a\0"}, "the column 'text' has NUL or half a surrogate pair"),
        ({"id": "x", "text": "\ud800"}, "the column 'text' has NUL or half a surrogate pair"),
        ({"text": "x"}, "the column 'id', which has the ids, has no value"),
        ({"id": "", "text": "x"}, "the column 'id', which has the ids, has no value"),
        ({"id": True, "text": "x"}, "the column 'id' has True; an id is text up to 1,000 characters or an integer"),
        ({"id": "x" * 2_000, "text": "x"}, "the column 'id' has 'xxx"),
        ({"id": "x", "text": "x", "n": math.inf}, "the column 'n' has an infinite number"),
        ({"id": "x", "text": "x", "n": "a\0"}, "the column 'n' has NUL or half a surrogate pair"),
        ({"id": "x", "text": "x", "\ud800": 1}, "the column '\\ud800' has NUL or half a surrogate pair"),
        ({"id": "x", "text": "x", 3: 1}, "the name of a column is 3, which is not text"),
        ({"id": "x", "text": "x", "n": {1}}, "the column 'n' has set, not text or a number"),
        ({"id": "x", "text": "x", "n": "x" * 200_000}, "the metadata has 200,0"),
        ({"id": "x", "text": "x"} | {f"c{n}": n for n in range(10_001)}, "this is more than the 10,000 columns"),
    ],
)
def test_a_wrong_record_is_named(encoder, tmp_path, record, message):
    with pytest.raises(UsageError) as error:
        Index.build_records([RECORDS[0], record], encoder, tmp_path / "index")
    assert str(error.value).startswith(f"record 2: {message}")


def test_few_records_are_in_memory(encoder, tmp_path):
    class Tracked(UserDict):
        """A mapping that can be counted while it lives."""

        __hash__ = object.__hash__

    living, most = WeakSet(), []

    def records():
        for number in range(3_000):
            record = Tracked(id=number, text=f"Roses {number}")
            living.add(record)
            yield record

    Index.build_records(
        records(), encoder, tmp_path / "index", on_progress=lambda done, total: most.append(len(living))
    )
    assert max(most) < 5


def test_deep_nesting_is_named(encoder, tmp_path):
    nested = []
    for _ in range(100_000):
        nested = [nested]
    with pytest.raises(UsageError, match="record 1: the column 'n' is nested too deeply"):
        Index.build_records([{"id": 1, "text": "x", "n": nested}], encoder, tmp_path / "index")


def test_wrong_sources_are_named(encoder, folder, tmp_path):
    for records, message in (
        ([], "there are no records; give at least one"),
        ([3], "record 1 must be a dict or the path of a file, not int"),
        (folder / "guide.md", "a file of records has a name that ends in .jsonl, .ndjson, .csv, .tsv, .parquet"),
        (tmp_path / "none.csv", "none.csv'; check the path"),
        (tmp_path, "a file of records has a name that ends in"),
        ([{"body": "x"}], "record 1: there is no column 'text'; it has 'body'; name one with --column (column="),
    ):
        with pytest.raises(RowspaceError) as error:
            Index.build_records(records, encoder, tmp_path / "index")
        assert message in str(error.value)
    assert not Index.exists(tmp_path / "index")


def test_values_of_other_types(encoder, tmp_path):
    values = {
        "day": date(2020, 1, 31),
        "decimal": Decimal("1.10"),
        "missing": math.nan,
        "large": 10**30,
        "small": -(2**63),
        "array": np.float32(0.5),
        **{name: name for name in ("path", "chunk", "vector", "metadata", "_rowid", "_score", "words")},
    }
    index = Index.build_records([{"id": 1, "text": "Roses"} | values], encoder, tmp_path / "index")
    found = index.search("roses", where=["day>=2020-01-30", "path=path", "metadata=metadata", "_score!=2", "array<1"])
    expected = values | {"day": "2020-01-31", "decimal": 1.1, "large": 1e30, "array": 0.5}
    del expected["missing"]
    assert found[0].metadata == expected
    assert ids(index, f"small={-(2**63)}", "roses") == ["1"]


def test_decimals_and_large_integers_of_parquet_are_compared_by_size(encoder, tmp_path):
    prices = [Decimal("9.50"), Decimal("120.00"), Decimal("-3.25")]
    columns = {"id": ["a", "b", "c"], "text": ["roses"] * 3, "price": pa.array(prices, pa.decimal128(20, 2))}
    columns["number"] = pa.array([2**64 - 1, 7, 2**63], pa.uint64())
    pq.write_table(pa.table(columns), tmp_path / "items.parquet")
    index = Index.build_records(tmp_path / "items.parquet", encoder, tmp_path / "index")
    assert ids(index, "price<50", "roses") == ["a", "c"]
    assert ids(index, "price=120", "roses") == ["b"]
    assert ids(index, "number>1e3", "roses") == ["a", "c"]
    assert index.search("roses", where="price=9.5")[0].metadata == {"price": 9.5, "number": 2**64 - 1}


def test_columns_of_bytes_are_left_out_and_named(encoder, tmp_path):
    images = [{"bytes": b"\x89PNG", "path": "a.png"}, None]
    columns = {"id": ["a", "b"], "text": ["roses"] * 2, "data": [None, b"\0\xff"], "image": images, "year": [1, 2]}
    pq.write_table(pa.table(columns), tmp_path / "items.parquet")
    with pytest.warns(CorpusWarning, match="has bytes, which cannot be metadata; left out") as found:
        index = Index.build_records(tmp_path / "items.parquet", encoder, tmp_path / "index")
    assert [str(each.message).split("'")[1] for each in found] == ["image", "data"]
    assert index.search("roses", where="year=2")[0].metadata == {"year": 2}


def test_texts_compared_with_a_number_are_a_warning(encoder, tmp_path):
    records = [{"id": "a", "text": "roses", "price": "$9.50"}, {"id": "b", "text": "roses", "price": 120}]
    index = Index.build_records(records, encoder, tmp_path / "index")
    with pytest.warns(
        UserWarning, match="the column 'price' has texts, which are compared by their characters"
    ) as found:
        assert ids(index, "price<50", "roses") == ["a", "b"]
    assert [each.filename for each in found] == [__file__]


def test_thousands_of_columns(encoder, tmp_path):
    index = Index.build_records(
        [{"id": 1, "text": "Roses"} | {f"c{n}": n for n in range(5_000)}], encoder, tmp_path / "index"
    )
    assert ids(index, "c4999=4999", "roses") == ["1"]


def test_texts_with_ids_are_records(encoder, tmp_path):
    texts, metadata = ["Roses need water.", "Tulips grow from bulbs."], [{"year": 1999}, {"year": 2005}]
    index = Index.build(texts, encoder, tmp_path / "index", ids=["rose", 7], metadata=metadata)
    assert [(hit.id, hit.metadata, hit.text) for hit in index.search("tulips", where="year>2000")] == [
        ("7", {"year": 2005}, "Tulips grow from bulbs.")
    ]
    assert Index.build(texts, encoder, tmp_path / "index", ids=["a", "b"]).files() == ["a", "b"]
    for arguments, reason in (
        ((texts, None, metadata), "ids and metadata are for a list of texts, each with an id"),
        (("Roses need water.", ["rose"], None), "ids and metadata are for a list of texts"),
        ((texts, ["rose"], None), "texts, ids and metadata must be equally many, not 2, 1 and 2"),
        ((texts, ["rose", 7], [{}, {"text": 1}]), "the metadata of text 2 must be a dict without 'id' and 'text', not"),
        ((texts, ["rose", "rose"], None), "record 2: the id 'rose' belongs to an earlier record"),
    ):
        with pytest.raises(UsageError, match=reason):
            Index.build(arguments[0], encoder, tmp_path / "other", ids=arguments[1], metadata=arguments[2])


def test_searches_are_evaluated_by_ids(index):
    questions = [Question("Roses", ["rose"]), Question("Plant in autumn", ["3", "tulip"])]
    assert {scores.recall_1 for scores in evaluate_search(index, questions)} == {1.0}
    with pytest.raises(UsageError, match="question 1: the index has no record with the id 'none'"):
        evaluate_search(index, [Question("roses", ["none"])])


def test_another_process_sees_new_columns(index, tmp_path):
    other = Index.open(tmp_path / "index", Encoder(make_table()))
    index.update_records([{"id": "new", "text": "Roses", "color": "red"}])
    assert ids(other, "color=red") == ["new"]
