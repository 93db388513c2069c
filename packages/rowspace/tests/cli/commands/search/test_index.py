"""`rowspace index` and `rowspace search`."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.fuzz.hostile import MB, page
from tests.learn.distillation.small_bert import save_bert

import rowspace as rs
from rowspace.search import Index, evaluate_search

Run = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is the current one, with text that has words of the table."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "loops.md").write_text("# Loops\n\nA loop repeats statements.\n\n" + "word " * 50 + "\n" * 9)
    (tmp_path / "docs" / "more.txt").write_text("\n".join(f"line {number} of a list" for number in range(20)))
    (tmp_path / "code.py").write_text("def raise_error():\n\traise TypeError('\x1b[2J')\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def index(run: Run, table_path: str, folder: Path) -> Path:
    run("index", "docs", "code.py", "-o", "my-index", "--table", table_path)
    return folder / "my-index"


def summary(run: Run, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("index", *arguments, "--json").stdout)
    return found


def test_index_prints_a_summary(run: Run, table_path: str, folder: Path) -> None:
    (folder / "docs" / "image.bin").write_bytes(b"\0")
    first = run("index", "docs", "-o", "my-index", "--table", table_path)
    assert first.stdout == ""
    expected = r"rowspace: files: 2 added; left out: 1 binary; my-index has 2 passages; \d\.\d s\n"
    assert re.fullmatch(expected, first.stderr)
    (folder / "docs" / "more.txt").write_text("changed")
    (folder / "docs" / "loops.md").unlink()
    again = summary(run, "-o", "my-index")
    assert again.pop("seconds") > 0
    assert again == {
        "index": "my-index",
        "added": 0,
        "changed": 1,
        "removed": 1,
        "unchanged": 0,
        "chunks": 1,
        "skipped": {"binary": 1},
        "left_out": {f"{folder}/docs/image.bin": "binary"},
        "problems": {},
        "unknown_share": 0.0,
        "unknown": {},
    }
    rebuilt = summary(run, "code.py", "-o", "my-index", "--rebuild", "--table", table_path)
    assert (rebuilt["added"], rebuilt["chunks"]) == (1, 1)


def test_files_that_are_left_out_are_named_on_request(run: Run, table_path: str, folder: Path) -> None:
    (folder / "docs" / "\x1b.lock").write_bytes(b"\0")
    (folder / "docs" / "uv.lock").write_text("text")
    arguments = ("index", "docs", "-o", "my-index", "--table", table_path)
    lines = run(*arguments, "--verbose").stderr.split("\n")
    assert lines[:2] == [
        rf"rowspace: {folder}/docs/\x1b.lock: left out: binary",
        f"rowspace: {folder}/docs/uv.lock: left out: lock file",
    ]
    assert run(*arguments).stderr.startswith("rowspace: files: 2 unchanged; left out: 1 binary, 1 lock file; ")


def test_files_that_their_parser_cannot_read_are_named(
    run: Run, table_path: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rowspace.cli.commands.search.index._NAMED", 1)
    bomb = page(b" " * (80 * MB), "FlateDecode")
    for name in ("\x1b.pdf", "2.pdf"):
        (folder / "docs" / name).write_bytes(bomb)
    lines = run("index", "docs", "-o", "my-index", "--table", table_path).stderr.split("\n")
    problem = "makes its parser fail (LimitReachedError); left out"
    assert lines[:2] == [
        f"rowspace: {folder}/docs/\\x1b.pdf: {problem}",
        "rowspace: and 1 more file; --json names all",
    ]
    assert "files: 2 added; left out: 2 not readable by their parser; " in lines[2]


def test_files_with_many_words_that_have_no_row_are_named(run: Run, table_path: str, folder: Path) -> None:
    (folder / "code.py").unlink()
    for number in range(4):
        (folder / f"{number}.txt").write_text("тест слово " * 20)
    first, *_ = run("index", ".", "-o", "my-index", "--table", table_path).stderr.split("\n")
    named = ", ".join(f"{folder}/{number}.txt (100%)" for number in range(3))
    assert re.fullmatch(
        r"rowspace: in one passage from the middle of each file, \d\d% of the letters are in words that the vectors "
        r"do not cover, and more than 20% in 4 files: "
        rf"{re.escape(named)}, and 1 more, which --json names; another --table or --encoder may fit better",
        first,
    )


def test_search_quotes_passages_with_path_and_line(run: Run, index: Path) -> None:
    shown = run("search", "my-index", "line of a list", "--mode", "lexical", "--lines", "2", "-k", "1").stdout
    assert shown == "docs/more.txt:1  (words 1)\n    line 0 of a list\n    line 1 of a list\n    ... to line 20\n\n"
    shown = run("search", "my-index", "raise_error TypeError", "-k", "1").stdout
    assert re.match(r"code\.py:1  raise_error  \((vectors \d, )?words 1\)\n    def raise_error\(\):\n", shown)
    assert r"raise TypeError('\x1b[2J')" in shown


def test_search_as_json_equals_search_in_python(run: Run, index: Path, table_path: str) -> None:
    for arguments in ((), ("--mode", "dense", "-k", "2"), ("--path", "*.md"), ("--table", table_path)):
        document = json.loads(run("search", "my-index", "a loop repeats", *arguments, "--json").stdout)
        options = dict(zip([name.strip("-") for name in arguments[::2]], arguments[1::2], strict=True))
        options.pop("table", None)
        hits = Index.open(index).search("a loop repeats", **options | {"k": int(options.get("k", 5))})
        assert document["hits"] == [
            {k: v for k, v in vars(hit).items() if k != "metadata"} | {"change": None} for hit in hits
        ]
        assert (document["index"], document["mode"]) == ("my-index", options.get("mode", "hybrid"))


def test_search_is_evaluated_on_queries_with_answers(run: Run, index: Path) -> None:
    lines = ({"query": "raise_error", "files": ["code.py"], "kind": "name"}, {"query": "loop", "files": ["more.txt"]})
    Path("queries.jsonl").write_text("\n".join(map(json.dumps, lines)))
    scores = evaluate_search(Index.open(index), "queries.jsonl")
    document = json.loads(run("search", "my-index", "--evaluate", "queries.jsonl", "--json").stdout)
    assert document == {
        "index": "my-index",
        "queries": "queries.jsonl",
        "scores": [each._asdict() for each in scores],
    }
    shown = run("search", "my-index", "--evaluate", "queries.jsonl").stdout.split("\n\n")
    assert [table.split("\n")[0] for table in shown[:2]] == ["all queries", "name"]
    for each, line in zip(scores, [line for table in shown for line in table.split("\n")[3:]], strict=False):
        assert line.split() == [each.mode, str(each.questions), *(f"{share:.3f}" for share in each[3:])]


def test_passages_of_files_that_have_changed_or_are_gone_are_marked(run: Run, index: Path, folder: Path) -> None:
    (folder / "docs" / "more.txt").write_text("changed")
    (folder / "code.py").unlink()
    expected = {"more.txt": "changed", "code.py": "gone", "loops.md": None}
    arguments = ("search", "my-index", "line loop raise_error", "-k", "3")
    hits = json.loads(run(*arguments, "--json").stdout)["hits"]
    assert {Path(hit["path"]).name: hit["change"] for hit in hits} == expected
    shown = [line for line in run(*arguments).stdout.split("\n") if re.match(r"\S", line)]
    marks = {Path(line.partition(":")[0]).name: line.partition("[")[2] for line in shown}
    assert marks == {
        "more.txt": "the file has changed since it was indexed]",
        "code.py": "the file is gone since it was indexed]",
        "loops.md": "",
    }


def test_nothing_found(run: Run, table_path: str, index: Path) -> None:
    (index.parent / "code.py").write_text("zzzz = 1\n")  # a word without a row
    run("index", "-o", "my-index")
    no_row = "no word of the query has a row in the table"
    for arguments, reason in (
        (("loop", "--path", "*.none"), "no file matches path"),
        (("loop", "--path", "*.py", "--mode", "lexical"), "no file that matches path has a word of the query"),
        (("???",), "the query has no word"),
        (("qqqq",), "no passage has a word of the query"),
        (("zzzz", "--mode", "dense"), no_row),
        (("zzzz", "--path", "*.py", "--mode", "dense"), no_row),
        (("zzzz", "--path", "*.none", "--mode", "dense"), "no file matches path"),
    ):
        found = run("search", "my-index", *arguments)
        assert (found.stdout, found.stderr) == ("", f"rowspace: nothing found: {reason}\n")
    (index.parent / "empty").mkdir()
    run("index", "empty", "-o", "empty-index", "--table", table_path)
    found = run("search", "empty-index", "loop", "--mode", "dense")
    assert found.stderr == "rowspace: nothing found: the index has no passages\n"


def test_the_table_of_another_index_is_an_error(run: Run, index: Path, tmp_path: Path, english: Path) -> None:
    rs.fit(english, output=tmp_path / "other", dim=8, epochs=1, workers=1)
    wrong = run("search", "my-index", "loop", "--table", str(tmp_path / "other"), status=2).stderr
    assert "was made with another table" in wrong
    assert "another table" in run("index", "-o", "my-index", "--table", str(tmp_path / "other"), status=2).stderr


def test_wrong_usage(run: Run, index: Path, table_path: str) -> None:
    for arguments, expected in {
        ("search", "nothing", "loop"): "nothing'; create it with rowspace index FILES -o ",
        ("search", "docs", "loop"): "docs'; create it",
        ("search", "my-index", "loop", "--path", ""): "path must be a pattern",
        ("search", "my-index", " "): "the query is empty; give words or a question",
        ("search", "my-index"): "the query is empty; give words or a question",
        ("search", "my-index", "loop", "--evaluate", "queries.jsonl"): "leave out QUERY, --path and --where",
        ("search", "my-index", "--evaluate", "nothing.jsonl"): "there is no file or folder 'nothing.jsonl'",
        ("search", "my-index", "loop", "--rerank", table_path): f"and {table_path} is a table; leave it out",
        ("search", "my-index", "loop", "--rerank", "bert"): "there is no file or folder 'bert'",
        ("search", "my-index", "loop", "--rerank", "bert", "--mode", "dense"): "leave out --mode dense",
        ("search", "my-index", "loop", "-k", "0"): "it must be greater than or equal to 1",
        ("index", "-o", "new"): "name files or folders to index",
        (
            "index",
            "nothing",
            "-o",
            "new",
            "--table",
            table_path,
        ): f"there is no file or folder '{Path.cwd() / 'nothing'}'",
        ("index", "docs", "-o", "docs", "--table", table_path): "docs is not an index; name a new or an empty folder",
        ("index", "-o", "my-index", "--max-chars", "300"): "was built with --max-chars 1500; to change it",
        ("mcp", "nothing"): "nothing'; create it",
    }.items():
        assert expected in run(*arguments, status=2).stderr, arguments
    assert not Path("new", "chunks.lance").exists()


def test_records_are_indexed_and_filtered(run: Run, table_path: str, folder: Path) -> None:
    (folder / "books.csv").write_text(
        "title,about,year,language\nLoops,a loop repeats statements,1999,en\nLists,a list of lines,2005,de\n"
        "Errors,raise an error,2010,en\n"
    )
    columns = ("--column", "about", "--title-column", "title")
    failed = run("index", "books.csv", "-o", "books", "--table", table_path, status=2)
    assert re.search(
        r"books\.csv: there is no column 'text'; it has 'about', 'language', 'title', 'year'; name one with "
        r"--column \(column= in Python\)\n",
        failed.stderr,
    )
    first = run("index", "books.csv", *columns, "-o", "books", "--table", table_path).stderr
    assert re.search(
        r"more than 20% in 1 record: books\.csv:2 \(32%\); .*\nrowspace: records: 3 added; books has 3 ", first
    )
    assert summary(run, "-o", "books", *columns)["unchanged"] == 3
    failed = run("index", "-o", "books", "--id-column", "title", status=2)
    assert "books was built without --id-column; to change it, build it again with --rebuild" in failed.stderr

    shown = run("search", "books", "a loop or a list", "--where", "year>=1999", "--where", "language=de").stdout
    assert re.fullmatch(
        r"books\.csv:3  Lists  \(vectors 1, words 1\)\n    language=de year=2005\n    a list of lines\n\n", shown
    )
    document = json.loads(run("search", "books", "error", "--where", "language=en", "--json").stdout)
    (hit,) = (hit for hit in document["hits"] if hit["name"] == "Errors")
    assert (hit["id"], hit["metadata"]) == ("books.csv:4", {"language": "en", "year": 2010})
    assert "path" not in hit
    assert hit["change"] is None
    Path("queries.jsonl").write_text('{"query": "list of lines", "files": ["books.csv:3"]}')
    document = json.loads(run("search", "books", "--evaluate", "queries.jsonl", "--json").stdout)
    assert document["scores"][0]["recall_1"] == 1.0
    (folder / "books.csv").write_text("title,about\n")
    marked = run("search", "books", "a list of lines", "-k", "1").stdout.split("\n")[0]
    assert marked.endswith("  [a file of the records has changed since it was indexed]")
    nothing = run("search", "books", "list", "--where", "year=1").stderr
    assert nothing == "rowspace: nothing found: no record meets where\n"
    nothing = run("search", "books", "qqqq", "--where", "year=2010").stderr
    assert nothing == "rowspace: nothing found: no record that meets where has a word of the query\n"


def test_first_build_that_failed_is_repeated_with_other_columns(run: Run, table_path: str, folder: Path) -> None:
    (folder / "a.csv").write_text("name,kind,text\na,x,a loop\nb,x,a list\n")
    arguments = ("index", "a.csv", "-o", "new", "--table", table_path, "--id-column")
    assert "line 3: the id 'x' belongs to an earlier record" in run(*arguments, "kind", status=1).stderr
    assert "records: 2 added; new has 2 passages" in run(*arguments, "name").stderr


def test_what_is_not_of_records_is_refused(run: Run, table_path: str, index: Path) -> None:
    Path("a.csv").write_text("text\na loop\n")
    for arguments, message in (
        (("index", "a.csv", "docs", "-o", "new"), "a.csv has records and docs does not; index them separately"),
        (
            ("index", "docs", "--column", "x", "-o", "new"),
            "--column is for records, whose names end in .jsonl",
        ),
        (
            ("index", "a.csv", "--workers", "2", "-o", "new"),
            "a.csv has records, which one process indexes; leave out --on and --workers",
        ),
        (("index", "docs", "--column", "x", "-o", "my-index"), "my-index was built without --column"),
        (("index", "a.csv", "-o", "my-index"), "my-index has files and a.csv has records; index them separately"),
        (("search", "my-index", "loop", "--where", "x=1"), "where is for an index of records, and this one has files"),
        (("search", "my-index", "--where", "x=1", "--evaluate", "q"), "leave out QUERY, --path and --where"),
    ):
        assert message in run(*arguments, status=2).stderr.replace("\n", " ")


def test_an_update_says_that_it_needs_no_workers(run: Run, index: Path) -> None:
    said = run("index", "docs", "-o", "my-index", "--workers", "2").stderr
    assert "rowspace: my-index is updated by one process, so --on and --workers have no effect\n" in said
    assert "unchanged" in said


def test_unsuitable_output_is_refused_before_a_table_is_learned(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    failed = run("index", "code.py", "-o", "docs", status=2)
    assert "docs is not an index; name a new or an empty folder" in failed.stderr
    assert "learning" not in failed.stderr


def test_download_without_a_name_is_refused(run: Run) -> None:
    done = run("index", "docs", "-o", "my-index", "--download", status=2)
    assert (
        "rowspace: --download needs --table or --encoder with a name of the Hugging Face Hub, such as org/name"
        in done.stderr
    )


def test_hits_are_reranked_by_a_sentence_encoder(run: Run, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(index / "cache"))
    save_bert(Path("bert"))
    expected = Index.open(index, reranker="bert").search("a loop of statements", k=3)
    found = run("search", "my-index", "a loop of statements", "--rerank", "bert", "-k", "3", "--json").stdout
    assert [hit["score"] for hit in json.loads(found)["hits"]] == [hit.score for hit in expected]
    assert expected != Index.open(index).search("a loop of statements", k=3)


def test_a_sentence_encoder_is_given_by_its_own_option(run: Run, table_path: str, folder: Path) -> None:
    save_bert(folder / "bert")
    assert "files: 2 added; my-index has" in run("index", "docs", "-o", "my-index", "--encoder", "bert").stderr
    assert "files: 2 unchanged" in run("index", "-o", "my-index").stderr
    assert "loops.md" in run("search", "my-index", "a loop repeats", "-k", "1").stdout
    for arguments, complaint in (
        (("--table", "bert"), "with rowspace distill bert, or run it with --encoder in place of --table"),
        (("--encoder", table_path), "is not a sentence encoder of transformers; give a table with --table"),
        (("--encoder", "nothing"), "there is no file or folder 'nothing'; check the path\n"),
        (
            ("--encoder", "org/model"),
            "'org/model'; check the path, or fetch it from the Hugging Face Hub with --download",
        ),
        (
            ("--table", "org/model"),
            "'org/model'; check the path, or fetch it from the Hugging Face Hub with --download",
        ),
        (("--encoder", "bert", "--table", table_path), "--table and --encoder both encode passages; give one of them"),
    ):
        assert complaint in run("index", "docs", "-o", "other", *arguments, status=2).stderr
