"""Where what was learned once is kept."""

from pathlib import Path

import pytest

from rowspace._base.paths import cache_dir
from rowspace.errors import RowspaceError


def test_a_whole_path_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_dir() == tmp_path / "rowspace"


@pytest.mark.parametrize("named", ["", "relative/cache", None])
def test_else_it_is_in_the_users_home(named: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if named is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", named)
    assert cache_dir() == Path.home() / ".cache" / "rowspace"


def test_without_a_home_it_says_what_to_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "~")  # which leads nowhere, as for a user whom the machine does not know
    with pytest.raises(RowspaceError, match="no home folder is known here; name a folder for caches in XDG_CACHE_HOME"):
        cache_dir()
