"""The share of a text's letters that its vector is made of, and the files that an update names for it."""

from pathlib import Path

import numpy as np
import pytest

from rowspace.encode import Encoder
from rowspace.search import Index
from rowspace.search.storage.vectors import known_share_of
from rowspace.table import Table
from rowspace.text import whitespace_json

WORDS = ["red", "cat", "x"]


@pytest.fixture
def table() -> Table:
    rows = np.eye(3, dtype=np.float32)
    return Table(WORDS, rows, tokenizer=whitespace_json(WORDS))


def test_share_is_that_of_letters_in_tokens_with_a_row(table: Table) -> None:
    table.rows[1] = 0  # as the rows of special tokens are
    for text, share in {"red": 1.0, "red кот": 0.5, "red cat": 0.5, "x red dogs": 0.5, "": 0.0}.items():
        assert known_share_of(text, Encoder(table)) == share, text
    assert known_share_of("кот", Encoder(table, pooling="max")) == 1.0


def test_update_names_files_with_many_unknown_letters(table: Table, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    texts = {
        "known": "red cat " * 30,
        "some": "red cat red dog " * 9,
        "other": "кот дом x " * 20,
        "none": "-- ++ " * 30,
    }
    for name, text in texts.items():
        (files / f"{name}.txt").write_text(text)
    summary = Index.build(files, Encoder(table), tmp_path / "index").summary
    assert summary.unknown == {str(files / "other.txt"): 0.857, str(files / "some.txt"): 0.25}
    assert summary.unknown_share == pytest.approx((0.25 + 6 / 7) / 3)
