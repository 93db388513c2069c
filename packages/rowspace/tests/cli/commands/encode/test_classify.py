"""`rowspace tune --classifier` and `rowspace classify`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import app

Run = Callable[..., Any]


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


def test_a_classifier_is_learned_saved_and_used(run: Run, table_path: str, labeled: Path) -> None:
    output = str(labeled.with_name("classifier"))
    learned = run("tune", table_path, str(labeled), "--classifier", "linear", "-o", output, "--held-out", "0.2").stdout
    assert "linear classifier of 2 labels, learned from " in learned
    assert "held-out texts: " in learned
    assert "always the most frequent label: 0." in learned
    facts = json.loads(
        run("tune", table_path, str(labeled), "--classifier", "mlp", "-o", f"{output}2", "--json").stdout
    )
    assert facts["kind"] == "mlp"
    assert facts["interval"][0] <= facts["accuracy"] <= facts["interval"][1]
    text = labeled.read_text().splitlines()[-1].split(",")[0]
    lines = run("classify", output, text, "the").stdout.splitlines()
    assert [line.split("\t")[2] for line in lines] == [text, "the"]
    label, probability, _ = lines[0].split("\t")
    document = json.loads(run("classify", output, text, "--json").stdout)
    [answer] = document["texts"]
    assert answer["label"] == label
    assert f"{answer['probabilities'][label]:.3f}" == probability
    piped = CliRunner().invoke(app, ["classify", output], input=f"{text}\nthe\n").stdout
    assert piped.splitlines() == lines
    for arguments, piped, message in (
        (["caf\udce9"], b"", "text 1: not valid UTF-8"),
        ([], b"the\ncaf\xe9\n", "standard input: line 2: not valid UTF-8"),
    ):
        result = CliRunner().invoke(app, ["classify", output, *arguments], input=piped)
        assert result.exit_code == 2
        assert message in result.stderr


def test_usage_errors(run: Run, table_path: str, labeled: Path) -> None:
    output = str(labeled.with_name("out"))
    for arguments, expected in {
        (
            "tune",
            table_path,
            str(labeled),
            "--classifier",
            "linear",
            "-o",
            output,
            "--epochs",
            "3",
        ): "--epochs is for pairs",
        ("tune", table_path, str(labeled), "--classifier", "linear", "-o", table_path): "cannot save to",
        ("tune", table_path, "none.csv", "--classifier", "linear", "-o", output): "give a CSV file or JSON lines",
        ("classify", table_path, "a text"): "learn one with rowspace tune --classifier linear",
    }.items():
        assert expected in " ".join(run(*arguments, status=2).stderr.split()), arguments
    assert not Path(output).exists()
