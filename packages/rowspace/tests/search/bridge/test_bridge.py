"""Queries of an index by an encoder that did not build it."""

import dataclasses
import random
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tests.search.samples import FILES, make_table

from rowspace.encode import Encoder
from rowspace.errors import FileFormatError, UsageError
from rowspace.search import BridgeOptions, Index, IndexOptions
from rowspace.search.bridge import Bridge
from rowspace.table import Table

LINEAR = BridgeOptions(kind="linear")
SHORT = IndexOptions(max_chars=200)


def turned(table, dim, noise=0.0):
    """Return a table with the same tokens, whose rows are those of another one times a random matrix, plus noise."""
    generator = np.random.default_rng(7)
    rows = table.rows @ generator.normal(size=(table.dim, dim)) + noise * generator.normal(size=(len(table), dim))
    return Table(table.vocabulary, rows.astype(np.float32), tokenizer=table.tokenizer)


@pytest.fixture(scope="session")
def tables():
    old = make_table(dim=24)
    return old, turned(old, 32), turned(old, 16, noise=2.0)


@pytest.fixture(scope="session")
def texts(tmp_path_factory):
    """A folder with 300 passages of random words."""
    chance, folder = random.Random(0), tmp_path_factory.mktemp("passages")
    words = sorted(set(" ".join(FILES.values()).split()))
    for number in range(30):
        passages = (" ".join(chance.choices(words, k=30)) for _ in range(10))
        (folder / f"{number}.txt").write_text("\n\n".join(passages))
    return folder


@pytest.fixture
def index(tables, texts, tmp_path):
    tables[0].save(tmp_path / "old-table")
    encoder = Encoder.load(tmp_path / "old-table")
    return Index.build(texts, encoder, tmp_path / "index", options=SHORT, table=tmp_path / "old-table")


def test_a_linear_map_of_the_rows_is_found_and_answers_like_the_old_encoder(index, tables):
    new = Encoder(tables[1])
    with pytest.raises(UsageError, match=r"another table .*; use that table, or learn a bridge to it with rowspace b"):
        Index.open(index.path, new)
    steps, counts = [], []
    bridge = index.build_bridge(
        new, options=LINEAR, on_step=steps.append, on_progress=lambda *each: counts.append(each)
    )
    assert counts == [(128, len(index)), (256, len(index)), (len(index), len(index))]
    assert bridge.recall > 0.9
    assert bridge.interval[0] <= bridge.recall <= bridge.interval[1]
    assert (bridge.kind, bridge.passages + bridge.held_out + bridge.held_out // 2) == ("linear", len(index))
    assert (bridge.source, bridge.target) == (new.fingerprint, index.settings.fingerprint)
    assert [step.split()[0] for step in steps] == ["encoding", "learning", "measuring"]
    queried = Index.open(index.path, new)
    assert queried.bridge.facts() == bridge.facts()
    for query in ("tulips water", "install the package", "bulbs"):
        found, expected = ({(hit.path, hit.first_line) for hit in each.search(query)} for each in (queried, index))
        assert len(found & expected) >= 8
    assert queried.search("nothing-known", mode="dense") == []
    assert index.bridge is None


def test_recall_is_lower_for_an_unrelated_table(index, tables):
    bridge = index.build_bridge(Encoder(tables[2]))
    assert bridge.recall < 0.9
    assert bridge.interval[1] - bridge.interval[0] > 0.01
    assert bridge == dataclasses.replace(index.build_bridge(Encoder(tables[2])), map=bridge.map)  # the same seed


def test_an_update_needs_the_encoder_of_the_index(index, tables):
    new = Encoder(tables[1])
    index.build_bridge(new, options=LINEAR)
    with pytest.raises(UsageError, match="a bridge is for searches only"):
        Index.open(index.path, new).update()
    assert index.update().unchanged == 30
    assert Index.open(index.path, new).bridge is not None


def test_open_indexes_see_a_rebuild(index, texts, tables, tmp_path):
    new = Encoder(tables[1])
    index.build_bridge(new, options=LINEAR)
    bridged, given = Index.open(index.path, new), Index.open(index.path, Encoder(tables[0]))
    by_path = Index.open(index.path)
    for each in (bridged, given, by_path):
        assert each.search("tulips water", mode="dense")
    tables[1].save(tmp_path / "new-table")
    rebuilt = Index.build(texts, new, index.path, options=SHORT, table=tmp_path / "new-table")
    expected = rebuilt.search("tulips water")
    assert bridged.search("tulips water") == expected
    assert by_path.search("tulips water") == expected
    assert bridged.bridge is None
    with pytest.raises(UsageError, match="was made with another table"):
        given.search("tulips water")
    with pytest.raises(UsageError, match="was made with another table"):  # its bridge went with the old index
        Index.open(index.path, Encoder(tables[2]))


def test_encoders_and_indexes_without_a_bridge(index, tables, folder, tmp_path):
    with pytest.raises(UsageError, match="was made with this table, so it needs no bridge"):
        index.build_bridge(Encoder(tables[0]))
    with pytest.raises(UsageError, match="a bridge needs vectors of float32 or float16"):
        index.build_bridge(Encoder(tables[1], dtype="int8"))
    small = Index.build(folder, Encoder(tables[0]), tmp_path / "small")
    with pytest.raises(UsageError, match=r"needs at least 50 different passages .* and 5 of 5 have them; build"):
        small.build_bridge(Encoder(tables[1]))
    assert not (tmp_path / "small" / "bridges").exists()


def test_damaged_bridges(index, tables):
    new = Encoder(tables[1])
    bridge = index.build_bridge(new, options=LINEAR)
    [path] = Path(index.path, "bridges").iterdir()
    content = path.read_bytes()
    renamed = [content.replace(b'"bias"', b'"bass"'), content.replace(b"held_out", b"held_off")]
    for damaged in (b"", content[:-1], b"\xff" * 100, *renamed):
        path.write_bytes(damaged)
        with pytest.raises(FileFormatError, match=r"bridges/.*; learn the bridge again"):
            Index.open(index.path, new)
    save_file({"weight": np.eye(2)}, path)
    with pytest.raises(FileFormatError, match="learn the bridge again"):
        Index.open(index.path, new)
    path.write_bytes(content)
    opened = Bridge.from_file(path, "x")
    vectors = np.vstack([new.encode(["tulips", "roses need"]), np.zeros((1, 32), np.float32)])
    np.testing.assert_array_equal(opened.apply(vectors), bridge.apply(vectors))
    assert not opened.apply(vectors)[2].any()
