"""Damaged indexes: every changed, cut or missing file that belongs to the index is noticed before it is searched."""

import json
import shutil

import lance
import numpy as np
import pytest
from tests.search.samples import contents, write_files

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.search import Index
from rowspace.search.bridge import Bridge
from rowspace.search.bridge.maps import VectorMap
from rowspace.search.storage import damage
from rowspace.search.storage.damage import CHECKSUMS, lance_errors


def flipped(path, place):
    """Flip a bit at a place from 0 (the start of the file) to 1 (its end)."""
    data = bytearray(path.read_bytes())
    data[round(place * (len(data) - 1))] ^= 4
    path.write_bytes(data)


def names_of(index):
    """The files that have checksums."""
    return sorted(json.loads((index / "chunks.lance" / CHECKSUMS).read_text())["files"])


@pytest.fixture
def updated(index, folder, encoder, tmp_path):
    """The folder of an index with a removed row, among so many that they are not written again without it."""
    write_files(folder, {f"{number}.txt": f"Roses {number}" for number in range(30)})
    index.update()
    (folder / "garden.txt").write_text("Roses need little water.")
    index.update()
    return tmp_path / "index"


def test_each_damaged_file_of_an_index_is_named_with_the_remedy(updated, encoder, tmp_path):
    names = names_of(updated)
    assert {name.split("/")[0] for name in names} == {"data", "_deletions", "_indices", "_versions"}
    for name in names:
        for number, change in enumerate(
            (
                lambda path: flipped(path, 0.5),
                lambda path: flipped(path, 1),
                lambda path: path.write_bytes(path.read_bytes()[:-1]),
                lambda path: path.unlink(),
            )
        ):
            copy = tmp_path / f"copy-{number}"
            shutil.rmtree(copy, ignore_errors=True)
            shutil.copytree(updated, copy)
            change(copy / "chunks.lance" / name)
            with pytest.raises(FileFormatError, match=f"{name}: the index is damaged; build it again with --rebuild$"):
                Index.open(copy, encoder)


def test_damaged_or_missing_checksums_are_noticed(updated, encoder):
    path = updated / "chunks.lance" / CHECKSUMS
    text = path.read_text()
    path.write_text(text.replace('"dataset": ', '"dataset": 1'))
    with pytest.raises(FileFormatError, match=r"checksums.json: is damaged \(its checksum differs\); build it again"):
        Index.open(updated, encoder)
    path.write_text(text.replace('"version": 1', '"version": 9'))
    with pytest.raises(FileFormatError, match=r"checksums.json: written by another version of rowspace; upgrade"):
        Index.open(updated, encoder)
    path.unlink()
    with pytest.raises(FileFormatError, match=r"checksums.json: missing; restore the file, or build it again"):
        Index.open(updated, encoder)


def test_in_a_large_index_opening_reads_the_ends_of_files_and_an_update_all_of_them(
    folder, encoder, monkeypatch, tmp_path
):
    monkeypatch.setattr(damage, "_CHECKED_WHOLE", 0)  # as if other files had filled it
    monkeypatch.setattr(damage, "_END", 64)
    Index.build(folder, encoder, tmp_path / "index")
    name = next(name for name in names_of(tmp_path / "index") if name.startswith("data/"))
    for end in (0, 1):
        shutil.copytree(tmp_path / "index", tmp_path / f"copy-{end}")
        flipped(tmp_path / f"copy-{end}/chunks.lance" / name, end)
        with pytest.raises(FileFormatError, match=f"{name}: the index is damaged"):
            Index.open(tmp_path / f"copy-{end}", encoder)
    flipped(tmp_path / "index/chunks.lance" / name, 0.5)
    index = Index.open(tmp_path / "index", encoder)
    with pytest.raises(FileFormatError, match=f"{name}: the index is damaged"):
        index.update()


def test_an_open_index_notices_damage_of_a_later_version(updated, folder, encoder):
    index = Index.open(updated, encoder)
    before = set(names_of(updated))
    (folder / "new.txt").write_text("More tulips.")
    Index.open(updated, encoder).update()
    (new,) = [name for name in names_of(updated) if name.startswith("data/") and name not in before]
    flipped(updated / "chunks.lance" / new, 0.5)
    with pytest.raises(FileFormatError, match=f"{new}: the index is damaged"):
        index.search("tulips")


def test_an_index_whose_update_was_killed_between_a_commit_and_the_checksums_opens(updated, folder, encoder):
    (folder / "new.txt").write_text("More tulips.")
    earlier = (updated / "chunks.lance" / CHECKSUMS).read_bytes()
    index = Index.open(updated, encoder)
    index.update()
    (updated / "chunks.lance" / CHECKSUMS).write_bytes(earlier)  # as the killed update left them
    assert contents(Index.open(updated, encoder)) == contents(index)


def test_errors_of_lance_are_one_sentence(updated, encoder, monkeypatch):
    for path in (updated / "chunks.lance/data").iterdir():
        path.write_bytes(b"LANC" * 100)
    monkeypatch.setattr(damage.Checksums, "check", lambda self, whole=False: True)  # of damage that they do not notice
    index = Index.open(updated, encoder)
    calls = (lambda: index.search("tulips"), index.names, index.files, index.vectors, index.update)
    for call in calls:
        with pytest.raises(FileFormatError, match=r"the index cannot be read \(.*\); build it again with --rebuild$"):
            call()

    class PanicException(BaseException):  # stands for that of PyO3, which cannot be imported
        pass

    for writes, message in ((False, r"read \(out of range\); build"), (True, r"written \(out of range\); check the")):
        with (
            pytest.raises(RowspaceError, match=f"x: the index cannot be {message}"),
            lance_errors("x", is_remote=False, writes=writes),
        ):
            raise PanicException("out of range, /lance/rust/lance-io/src/reader.rs:12:5\nmore")


def test_other_versions_and_damaged_settings_are_named(updated, encoder):
    path = updated / "chunks.lance"
    settings = json.loads(lance.dataset(path).schema.metadata[b"rowspace"])
    for changes, message in (
        ({"version": 2}, r"has version 2, this rowspace reads 4; build it again with --rebuild"),
        (
            {"version": 5},
            r"has version 5, this rowspace reads 4; upgrade with pip install -U rowspace, or build it again",
        ),
        ({"version": "4"}, r"has version '4', this rowspace reads 4; upgrade with"),
        ({"dim": "8"}, "the settings of the index are damaged; build it again"),
        ({"roots": [1]}, "the settings of the index are damaged; build it again"),
        *(
            (
                {"records": {"text": "a", "id": None, "title": None, "types": {}} | wrong},
                "the settings of the index are",
            )
            for wrong in ({"text": 1}, {"id": 1}, {"types": []}, {"types": {"a": "b"}}, {"types": {"a": []}})
        ),
    ):
        lance.dataset(path).update_schema_metadata({"rowspace": json.dumps(settings | changes)})
        with pytest.raises(FileFormatError, match=message):
            Index.open(updated, encoder)


def test_each_changed_byte_of_a_bridge_is_noticed(tmp_path):
    from_map = VectorMap(np.eye(2, dtype=np.float32), np.zeros(2, np.float32))
    bridge = Bridge("a" * 32, "b" * 32, "linear", 100, 20, 0.5, (0.25, 0.75), from_map)
    data, path = bridge.to_bytes(), tmp_path / "bridge"
    path.write_bytes(data)
    assert Bridge.from_file(path, "x").facts() == bridge.facts()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ 2]) + data[place + 1 :])
        with pytest.raises(FileFormatError, match="learn the bridge again with rowspace bridge"):
            Bridge.from_file(path, "x")
