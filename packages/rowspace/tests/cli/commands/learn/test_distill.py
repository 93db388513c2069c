import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.learn.distillation.small_bert import save_bert

import rowspace as rs

Run = Callable[..., Any]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("models") / "bert"
    save_bert(folder)
    return str(folder)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_summary_and_progress(run: Run, model: str, folder: Path) -> None:
    (folder / "words.txt").write_text("\ufeffNew York\n\n cat \nredcat\n")
    done = run("distill", model, "--words", "words.txt", "--dim", "8", "-o", "table")
    assert "74 tokens × 8, distilled from bert with mean pooling; 6 special or unused ones have zeros" in done.stdout
    assert "% of the variance of 68 tokens is in these 8 of 24 dimensions; weights from ranks" in done.stdout
    assert "2 extra words; 1 more are tokens already or have no known text" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("saved in table; try: rowspace near table ")
    assert "rowspace: distilling: 68 of 68 tokens, " in done.stderr
    assert "Loading weights" not in done.stderr
    assert rs.load("table").vocabulary[-2:] == ["redcat", "new york"]


def test_json_and_corpus(run: Run, model: str, folder: Path) -> None:
    for name in ("one.txt", "two.txt"):
        (folder / name).write_text("the redcat sat\n" * 5)
    done = run("distill", model, "--corpus", "one.txt", "--corpus", "two.txt", "--pooling", "first", "--json")
    facts = json.loads(done.stdout)
    assert (facts["table"], facts["num_embeddings"], facts["embedding_dim"]) == ("bert-table", 73, 24)
    assert (facts["weights"], facts["pooling"], facts["extra_words"]) == ("corpus", "first", 1)
    table = rs.load("bert-table")
    assert table.counts is not None
    assert table.counts[table.id("redcat")] == 10
    assert "'bert-table' already exists; give -o bert-table" in run("distill", model, status=2).stderr


def test_usage_errors(run: Run, model: str, folder: Path) -> None:
    (folder / "latin.txt").write_bytes(b"fine\n\xff\n")
    before = sorted(folder.iterdir())
    for arguments, status, complaint in [
        (("missing",), 2, "there is no folder 'missing'; check the path"),
        ((model, "-o", ""), 2, "-o is empty; give the folder to save the table in"),
        (
            (model, "--words", "none.txt"),
            2,
            "there is no file or folder 'none.txt'; give a file with a word in each line with --words",
        ),
        ((model, "--words", "latin.txt"), 1, "latin.txt: line 2: not valid UTF-8; convert the file to UTF-8"),
        ((model, "--dim", "30"), 2, "dim must be at most the length of the model's vectors, 24, not 30"),
        ((model, "-o", "latin.txt"), 2, "cannot save to"),
        ((model, "--corpus", "none.txt"), 2, "there is no file or folder 'none.txt'"),
    ]:
        assert complaint in run("distill", *arguments, status=status).stderr
    assert sorted(folder.iterdir()) == before


def test_output_is_checked_before_the_model_is_read(run: Run, folder: Path) -> None:
    (folder / "notes.txt").write_text("kept")
    assert "cannot save to" in run("distill", "missing", "-o", "notes.txt", status=2).stderr
