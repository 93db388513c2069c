"""Tables found on this machine."""

from pathlib import Path

import numpy as np
import pytest

import rowspace as rs
from rowspace_lab.tables.recent import find_recent, hub_cache

TABLE = rs.Table(["a", "b"], np.eye(2, dtype=np.float32))


def test_tables_of_the_working_folder_are_found(tmp_path: Path) -> None:
    for name in ("table", "below/deep/vectors.bin", "below/.hidden/table", "one/two/three/table"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        TABLE.save(tmp_path / name)
    (tmp_path / "notes.txt").write_text("a 1 2\nb 3 4\n")
    (tmp_path / "broken.npy").write_bytes(b"\x93NUMPY")
    found = {choice.title: choice for choice in find_recent(tmp_path, tmp_path / "no-hub")}
    assert found.keys() - {"broken.npy"} == {"table", "below/deep/vectors.bin"}
    lab = found["below/deep/vectors.bin"].open()
    assert lab.table.vocabulary == ["a", "b"]
    assert lab.id == found["below/deep/vectors.bin"].id


def test_ids_contain_no_path(tmp_path: Path) -> None:
    TABLE.save(tmp_path / "my-table")
    (choice,) = find_recent(tmp_path, tmp_path / "no-hub")
    assert choice.id.startswith("recent-")
    assert choice.id.removeprefix("recent-").isalnum()
    assert "my-table" not in choice.id


def test_models_of_the_hub_are_found(tmp_path: Path) -> None:
    hub = tmp_path / "hub"
    snapshot = hub / "models--minishlab--potion" / "snapshots" / "0123abc"
    snapshot.parent.mkdir(parents=True)
    TABLE.save(snapshot)
    (hub / "models--someone--without-table" / "snapshots" / "4567def").mkdir(parents=True)
    assert [choice.title for choice in find_recent(tmp_path / "nowhere", hub)] == ["minishlab/potion"]


def test_search_stops_at_a_number_of_files_and_of_tables(tmp_path: Path) -> None:
    for number in range(5):
        TABLE.save(tmp_path / f"table{number}.npz")
    assert len(find_recent(tmp_path, tmp_path / "no-hub", limit=3)) == 3
    assert len(find_recent(tmp_path, tmp_path / "no-hub", limit=3, max_paths=2)) == 2


def test_cache_of_the_hub_follows_its_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_CACHE", "HF_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert hub_cache() == Path("/caches/huggingface/hub")
    monkeypatch.setenv("HF_HOME", "/home-of-models")
    assert hub_cache() == Path("/home-of-models/hub")
    monkeypatch.setenv("HF_HUB_CACHE", "/elsewhere")
    assert hub_cache() == Path("/elsewhere")
