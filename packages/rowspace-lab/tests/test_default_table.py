"""The default table: learned once, and again if it is damaged."""

from pathlib import Path

import numpy as np
import pytest

from rowspace.errors import RowspaceError
from rowspace.learn.default_table import default_table, default_table_path
from rowspace.table import Table


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


def learned() -> Table:
    return Table(["sin", "cos"], np.eye(2, dtype=np.float32))


def never() -> Table:
    pytest.fail("the table exists already")


def test_table_is_learned_once(cache: Path) -> None:
    assert default_table(learned).vocabulary == ["sin", "cos"]
    assert list(default_table(never).vocabulary) == ["sin", "cos"]
    assert default_table_path().parent == cache / "rowspace"


@pytest.mark.parametrize(
    "broken", ["a file is cut short", "a byte is changed", "a file is in its place", "it is empty"]
)
def test_damaged_table_is_learned_again(broken: str) -> None:
    default_table(learned)
    path = default_table_path()
    rows = path / "model.safetensors"
    if broken == "a file is cut short":
        rows.write_bytes(rows.read_bytes()[:-1])
    elif broken == "a byte is changed":
        one = np.float32(1).tobytes()
        rows.write_bytes(rows.read_bytes().replace(one, one[::-1]))
    else:
        for file in path.iterdir():
            file.unlink()
        if broken == "a file is in its place":
            path.rmdir()
            path.write_bytes(b"\xff\x00")
    assert default_table(learned)["cos"].tolist() == [0.0, 1.0]
    assert default_table(never)["cos"].tolist() == [0.0, 1.0]


def test_unwritable_cache_is_an_error_before_learning(cache: Path) -> None:
    (cache / "rowspace").write_text("a file")
    with pytest.raises(RowspaceError, match=r"cannot save the table there: .* XDG_CACHE_HOME"):
        default_table(never)


@pytest.mark.parametrize("named", ["", "relative/cache"])
def test_empty_or_relative_cache_home_is_ignored(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert default_table_path().parent == Path.home() / ".cache" / "rowspace"
