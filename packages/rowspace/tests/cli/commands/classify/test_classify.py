"""`rowspace classify fit`, `predict` and `test`."""

import json
import re
import shlex
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fasttext
import pytest
from typer.main import get_command
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import SUBCOMMANDS, app
from rowspace.learn import TextClassifier

Run = Callable[..., Any]
FAST = ("--dim", "4", "--epochs", "3", "--buckets", "1000", "--workers", "1")


@pytest.fixture
def labeled(table: rs.Table, tmp_path: Path) -> Path:
    words = [word for word in table.vocabulary if word.isalpha()][:40]
    lines = [
        f"{first} {second},{'early' if place < 20 else 'late'}"
        for place, first in enumerate(words)
        for second in words[place - 3 : place]
    ]
    (tmp_path / "labels.csv").write_text("\n".join(["text,label", *lines]))
    return tmp_path / "labels.csv"


def test_texts_with_tags_of_html_are_named(tmp_path: Path) -> None:
    lines = [f"<p>a {name} text <b>{name}</b></p>,{name}" for name in ("red", "blue")]
    (tmp_path / "pages.csv").write_text("\n".join(["text,label", *lines * 20]))
    arguments = [str(tmp_path / "pages.csv"), "-o", str(tmp_path / "classifier"), *FAST]
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # printed, as for users
        result = CliRunner().invoke(app, ["classify", "fit", *arguments])
    assert "tags of HTML (<b>, <p>), whose names become words" in " ".join(result.stderr.split())


def test_a_classifier_is_learned_used_and_measured(run: Run, table_path: str, labeled: Path) -> None:
    output = str(labeled.with_name("classifier"))
    learned = run("classify", "fit", str(labeled), "-o", output, "--table", table_path, *FAST).stdout
    assert "2 labels, learned from 111 texts" in " ".join(learned.split())
    assert "chosen: " in learned
    assert "on 111 held-out texts" in learned
    facts = json.loads(run("classify", "fit", str(labeled), "-o", output, "--balanced", "--json", *FAST).stdout)
    assert len(facts["candidates"]) == 2
    text = labeled.read_text().splitlines()[-1].split(",")[0]
    lines = run("classify", "predict", output, text, "the").stdout.splitlines()
    assert [line.split("\t")[2] for line in lines] == [text, "the"]
    label, probability, _ = lines[0].split("\t")
    document = json.loads(run("classify", "predict", output, text, "-k", "2", "--json").stdout)
    [answer] = document["texts"]
    assert answer["labels"][0]["label"] == label
    assert f"{answer['labels'][0]['probability']:.3f}" == probability
    assert len(answer["labels"]) == 2
    assert run("classify", "predict", output, text, "--threshold", "1").stdout == f"\t\t{text}\n"
    piped = CliRunner().invoke(app, ["classify", "predict", output], input=f"{text}\nthe\n").stdout
    assert piped.splitlines() == lines
    marked = f"\ufeff{text}\r\nthe\rthe\n\udce9\n".encode(errors="surrogateescape")
    with warnings.catch_warnings():
        warnings.simplefilter("default")  # printed, as for users
        result = CliRunner().invoke(app, ["classify", "predict", output], input=marked)
    assert [line.split("\t")[2] for line in result.stdout.split("\n")[:-1]] == [text, "the\\rthe", "\ufffd"]
    assert result.stdout.split("\n")[0] == lines[0]
    assert "line 3 is not valid UTF-8; such bytes are replaced by U+FFFD" in " ".join(result.stderr.split())
    labeled.with_name("in.csv").write_text(f"id,body\n7,{text}\n8,the\n")
    found = run("classify", "predict", output, str(labeled.with_name("in.csv")), "--column", "body").stdout
    rows = [json.loads(line) for line in found.splitlines()]
    assert [(row["id"], row["body"]) for row in rows] == [("7", text), ("8", "the")]
    assert [row["predicted"][0]["label"] for row in rows] == [line.split("\t")[0] for line in lines]
    labeled.with_name("again.jsonl").write_text(found)
    wrong = run("classify", "predict", output, str(labeled.with_name("again.jsonl")), "--column", "body", status=2)
    assert "line 1: the labels would replace the column 'predicted'; rename it" in " ".join(wrong.stderr.split())
    records = "\n".join(json.dumps({"a": {"b": each}}) for each in (text, "the"))
    piped = CliRunner().invoke(app, ["classify", "predict", output, "--column", "a.b"], input=records).stdout
    assert piped.splitlines() == lines
    wrong = CliRunner().invoke(app, ["classify", "predict", output, "--column", "b"], input=b'{"b": "caf\xe9"}\n')
    assert "line 1: not valid UTF-8; convert the file to UTF-8" in wrong.stderr
    tested = run("classify", "test", output, str(labeled)).stdout
    assert "111 texts: accuracy " in tested
    assert all(word in tested for word in ("early", "late", "precision", "macro F1", "P@1"))
    figures = json.loads(run("classify", "test", output, str(labeled), "-k", "2", "--json").stdout)
    assert figures["recall_at_k"] == 1.0
    result = CliRunner().invoke(app, ["classify", "predict", output, "caf\udce9"])
    assert result.exit_code == 2
    assert "text 1: not valid UTF-8" in result.stderr


def test_several_labels_and_fasttext_files(run: Run, tmp_path: Path) -> None:
    data, output = tmp_path / "data.txt", str(tmp_path / "model.bin")
    data.write_text("__label__pet a cat\n__label__pet __label__red a red dog\nno label\n__label__red red\n" * 5)
    result = run("classify", "fit", str(data), "--method", "rows", "-o", output, *FAST)
    assert "5 lines without a label left out" in result.stderr
    piped = CliRunner().invoke(
        app, ["classify", "fit", "-", "--method", "rows", "-o", f"{output}.bin", *FAST], input=data.read_bytes()
    )
    assert "2 labels, learned from 15 texts" in piped.stdout
    expected = fasttext.load_model(output).f.predict("a red cat\n", 2, 0.0, "strict")
    lines = run("classify", "predict", output, "-k", "2", "a red cat").stdout.splitlines()
    assert lines == [f"{label.removeprefix('__label__')}\t{value:.3f}\ta red cat" for value, label in expected]
    assert "15 texts: macro F1" in run("classify", "test", output, str(data)).stdout
    data.write_text("__label__pet a cat\n__label__blue a sky\n")
    tested = run("classify", "test", output, str(data))
    assert "1 text without a label that the classifier knows left out of P@1 and R@1" in tested.stderr
    assert (
        tuple(map(float, re.findall(r"P@1 (\S+), R@1 (\S+)", tested.stdout)[0]))
        == fasttext.load_model(output).test(str(data))[1:]
    )


def test_classifiers_of_tune_open(run: Run, table: rs.Table, tmp_path: Path) -> None:
    old = TextClassifier(table).fit(["class", "method", "the"], ["a", "a", "b"])
    old.save(tmp_path / "old")
    [line] = run("classify", "predict", str(tmp_path / "old"), "class").stdout.splitlines()
    assert line == f"a\t{old.predict_proba(['class'])[0, 0]:.3f}\tclass"


def test_help_of_each_command_has_valid_examples(run: Run) -> None:
    group = get_command(app).commands["classify"]
    for name in SUBCOMMANDS["classify"]:
        assert run("classify", name, "--help").stdout.startswith(f"Example:\n  rowspace classify {name}")
        for line in group.commands[name].example.split("\n")[1:]:
            if line.strip():
                arguments = shlex.split(line.split(" < ")[0])[3:]
                group.commands[name].make_context(name, arguments)


def test_usage_errors(run: Run, table_path: str, labeled: Path) -> None:
    output = str(labeled.with_name("out"))
    for arguments, expected in {
        ("fit", str(labeled), "-o", table_path): "cannot save to",
        ("fit", "none.csv", "-o", output): "there is no file or folder 'none.csv'",
        ("fit", str(labeled), "-o", output, "--label-column", "stars"): "name one with --label-column",
        ("fit", str(labeled), "-o", f"{output}.bin"): "give --method rows",
        ("fit", str(labeled), "-o", f"{output}.ftz"): "give --method rows",
        (
            "fit",
            str(labeled),
            "-o",
            f"{output}.bin",
            "--method",
            "rows",
            "--time-budget",
            "1",
        ): "leave it out, or save a",
        ("fit", str(labeled), "-o", output, "--method", "vectors"): "needs a table; give one by --table",
        ("fit", str(labeled), "-o", output, "--method", "ngrams", "--patience", "2"): "--patience is for learned rows",
        ("fit", str(labeled), "-o", output, "--min-n", "9"): "min_n must not exceed max_n",
        ("predict", table_path, "a text", "a", "--column", "b"): "--column is for one file of records",
        ("predict", table_path, "a text"): "learn one with rowspace classify fit",
        ("predict", output, "a text"): "learn one with rowspace classify fit",
        (): "Usage: rowspace classify",
    }.items():
        assert expected in " ".join(run("classify", *arguments, status=2).stderr.split()), arguments
    assert not Path(output).exists()
