import datetime
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.learn.distillation.small_bert import save_bert

import rowspace as rs
from rowspace.encode import Encoder
from rowspace.text import whitespace_json

Run = Callable[..., Any]
TEXTS = ["a class is an object", "", "the statement", "zzzz qqqq"]


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "texts.txt"
    path.write_text("\n".join(TEXTS))
    return str(path)


@pytest.fixture
def vectors(table: rs.Table) -> Any:
    return Encoder(table).encode(TEXTS)


def test_vectors_are_saved_with_a_summary(run: Run, table_path: str, file: str, vectors: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "v.npy")
    lines = run("encode", file, "--table", table_path, "-o", out).stdout.splitlines()
    np.testing.assert_array_equal(np.load(out), vectors)
    assert lines[0] == "4 texts × 16 float32"
    assert lines[1] == "9 tokens, 22.2 % out of vocabulary; another table may fit this text better"
    assert lines[2].startswith("encoding took ")
    assert lines[3].startswith(f"saved in {out}; try: python -c ")
    step = lines[3].partition("python -c ")[2].strip("'")
    done = subprocess.run([sys.executable, "-c", step], capture_output=True, text=True, check=True)
    assert done.stdout == "(4, 16)\n"
    packed = run("encode", file, "--table", table_path, "-o", out, "--dtype", "ubinary").stdout
    assert packed.startswith("4 texts × 16 bits, packed in 2 uint8\n")


def test_a_sentence_encoder_runs_in_its_mode_only(run: Run, file: str, tmp_path: Path) -> None:
    save_bert(tmp_path / "bert")
    arguments = ("encode", file, "--table", str(tmp_path / "bert"), "-o", str(tmp_path / "v.npy"))
    failed = run(*arguments, status=2)
    assert "the rows of this model's tokens are not its vectors" in failed.stderr
    assert run(*arguments, "--mode", "contextual").stdout.startswith("4 texts × 24 float32\n")
    expected = Encoder.load(tmp_path / "bert", mode="contextual").encode(TEXTS)
    np.testing.assert_allclose(np.load(tmp_path / "v.npy"), expected, atol=1e-6)


def test_other_sources_and_formats(run: Run, table_path: str, vectors: Any, tmp_path: Path) -> None:
    records = tmp_path / "texts.jsonl"
    records.write_text("\n".join(json.dumps({"body": text}) for text in TEXTS))
    out = tmp_path / "v.parquet"
    run("encode", str(records), "--column", "body", "--table", table_path, "-o", str(out))
    table = parquet.read_table(out)
    assert table["body"].to_pylist() == TEXTS
    np.testing.assert_array_equal(np.stack(table["vector"].to_numpy()), vectors)
    lance, texts = tmp_path / "again.lance", tmp_path / "texts.parquet"
    parquet.write_table(table.drop(["vector"]), texts)
    run("encode", str(texts), "--column", "body", "--no-text", "--table", table_path, "-o", str(lance))
    found = lancedb.connect(tmp_path).open_table("again").to_arrow()
    assert found.column_names == ["vector"]
    np.testing.assert_array_equal(np.stack(found["vector"].to_numpy()), vectors)


def test_options_of_the_encoder(run: Run, table: rs.Table, table_path: str, file: str, tmp_path: Path) -> None:
    out = str(tmp_path / "v.npy")
    arguments = ("--normalize", "--dtype", "float16", "--dim", "8", "--mode", "model2vec", "--pooling", "sum")
    document = json.loads(run("encode", file, "--table", table_path, "-o", out, *arguments, "--json").stdout)
    encoder = Encoder(table, normalize=True, dtype="float16", dim=8, mode="model2vec", pooling="sum")
    np.testing.assert_array_equal(np.load(out), encoder.encode(TEXTS))
    assert (document["texts"], document["dim"], document["dtype"]) == (4, 8, "float16")
    assert document["fingerprint"] == encoder.fingerprint
    assert document["options"]["pooling"] == "sum"


def test_vectors_are_printed_without_an_output(run: Run, table_path: str, file: str, vectors: Any) -> None:
    documents = [json.loads(line) for line in run("encode", file, "--table", table_path).stdout.splitlines()]
    assert [document["text"] for document in documents] == TEXTS
    np.testing.assert_array_equal(np.array([each["vector"] for each in documents], np.float32), vectors)


def test_columns_of_records_are_printed_with_the_vectors(run: Run, table_path: str, tmp_path: Path) -> None:
    rows = [{"id": 7, "body": "class", "tags": ["a", "\ud800"]}, {"id": 8, "body": None, "day": "Monday"}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "a.csv").write_text("id,body\n7,class\n8,object\n")
    typed = [{"id": 7, "body": "class", "on": datetime.date(2026, 1, 2)}, {"id": 8, "body": "object", "on": None}]
    parquet.write_table(pa.Table.from_pylist(typed), tmp_path / "a.parquet")
    found = {}
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        lines = run("encode", str(tmp_path / name), "--column", "body", "--table", table_path).stdout.splitlines()
        found[name] = [json.loads(line) for line in lines]
        assert all(len(row.pop("vector")) == 16 for row in found[name])
    assert found["a.jsonl"] == [{"id": 7, "body": "class", "tags": ["a", "\ufffd"]}, rows[1]]
    assert found["a.csv"] == [{"id": "7", "body": "class"}, {"id": "8", "body": "object"}]
    assert found["a.parquet"] == [{"id": 7, "body": "class", "on": "2026-01-02"}, typed[1]]
    again = "encode", str(tmp_path / "a.csv"), "--column", "body", "--table", table_path, "--vector-column", "id"
    assert "there is a column 'id' already; choose another name" in run(*again, status=2).stderr


def test_a_number_that_json_does_not_have_is_printed_as_null(run: Run, file: str, tmp_path: Path) -> None:
    words = ["statement", "class"]
    rs.Table(words, np.array([[1, np.nan], [1, 2]]), tokenizer=whitespace_json(words)).save(tmp_path / "table")
    lines = run("encode", file, "--table", str(tmp_path / "table")).stdout.splitlines()
    assert [json.loads(line)["vector"] for line in lines] == [[1, 2], [0, 0], [1, None], [0, 0]]
    assert "NaN" not in "".join(lines)


def test_standard_input_is_read_in_a_pipe(table_path: str, table: rs.Table, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "rowspace", "encode", "-", "--table", table_path]
    done = subprocess.run(command, input="class é\nobject".encode(), capture_output=True, check=True)
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    assert [document["text"] for document in documents] == ["class é", "object"]
    expected = Encoder(table).encode(["class é", "object"])
    np.testing.assert_array_equal(np.array([each["vector"] for each in documents], np.float32), expected)


@pytest.mark.long
def test_ctrl_c_keeps_the_rows(table_path: str, tmp_path: Path) -> None:
    texts = ["a class is an object"] * 20_000
    out = tmp_path / "v.npy"
    command = [sys.executable, "-m", "rowspace", "encode", "-", "--table", table_path, "-o", out]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stderr is not None
    process.stdin.write("\n".join(texts))
    process.stdin.flush()
    state = tmp_path / "v.npy.encode" / "state.json"
    while process.poll() is None and not (state.exists() and json.loads(state.read_text())["texts"]):
        process.stdin.write("a class is an object\n" * 1000)  # the state is saved at a batch after five seconds
        process.stdin.flush()
        time.sleep(0.02)  # so that the wait takes little processor time
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate()
    assert process.returncode == 1, messages
    assert "rowspace: stopped after " in messages
    assert "with --resume" in messages
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (("{file}", "-o", "v.npy"), 2, "missing option '--table'"),
        (("--table", "{table}"), 2, "missing argument 'FILE'"),
        (("", "--table", "{table}", "-o", "v.npy"), 2, "the name of a file is empty"),
        (("{file}", "--table", "{table}", "-o", "v.csv"), 2, "vectors are saved as .npy, .parquet or .lance"),
        (("{file}", "--table", "{table}", "--json"), 2, "--json is for a run that saves vectors; give -o"),
        (("{file}", "--table", "{table}", "--resume"), 2, "--resume is for a run that saves vectors; give -o"),
        (("{file}", "--table", "{table}", "-o", "v.npy", "--resume"), 2, "there is no interrupted run of"),
        (("{file}", "--table", "missing", "-o", "v.npy"), 2, "there is no file or folder 'missing'"),
        (("missing.txt", "--table", "{table}", "-o", "v.npy"), 2, "there is no file or folder 'missing.txt'"),
        (("a class is", "--table", "{table}"), 2, "to encode a text, pipe it: echo TEXT | rowspace encode - ..."),
        (("{file}", "--table", "{table}", "-o", "v.npy", "--column", "body"), 1, "line 1: not valid JSON"),
        (("{file}", "--table", "{table}", "--vector-column", "text"), 2, "there is a column 'text' already"),
        (("{file}", "--table", "{table}", "-o", "v.parquet", "--vector-column", "text"), 2, "column 'text' already"),
        (("{file}", "--table", "{table}", "-o", "v.npy", "--dim", "17"), 2, "dim must be at most the table's 16"),
        (("{file}", "--table", "{table}", "-o", "v.npy", "--mode", "bert"), 2, "mode"),
    ],
)
def test_wrong_usage_gives_a_message_and_no_file(
    run: Run,
    table_path: str,
    file: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    status: int,
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    given = (part.format(table=table_path, file=file) for part in arguments)
    assert complaint in run("encode", *given, status=status).stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["texts.txt"]
