"""The cache directory."""

import os
from pathlib import Path

import pytest

from rowspace._base.work_folder import cache_dir
from rowspace.errors import RowspaceError


def test_absolute_xdg_cache_home_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "rowspace"


@pytest.mark.parametrize("named", ["", "relative/cache", None])
def test_default_is_in_the_home_directory(named: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if named is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert cache_dir() == Path.home() / ".cache" / "rowspace"


def test_error_without_a_home_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    # A user that the password database does not know. Only root could become one.
    monkeypatch.setattr(os, "getuid", lambda: 2**31 - 2)
    with pytest.raises(RowspaceError, match="there is no home directory; set XDG_CACHE_HOME"):
        cache_dir()
