"""A file that is read while it grows, and that survives a torn end."""

import numpy as np
import pytest

from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace_lab.experiments.language_model.telemetry.events import (
    NAME,
    ROWS,
    SNAPSHOT,
    Events,
    EventWriter,
    read_events,
)

HEADER = {"num_embeddings": 3, "watched": ["a"]}
STEPS = [(step, 5.0 / step, 0.1, 1.0, 7, 32) for step in range(1, 6)]


@pytest.fixture
def writer(tmp_path):
    writer = EventWriter.create(tmp_path / NAME, HEADER)
    yield writer
    writer.close()


def test_records_come_back_as_they_were_written(writer, tmp_path):
    rows = {"distance": np.arange(3, dtype=np.float32), "input_updates": np.ones(3, np.uint32)}
    writer.held_out(0, 2.5)
    for step in STEPS:
        writer.step(*step)
    writer.arrays(ROWS, 5, rows)
    writer.arrays(SNAPSHOT, 5, {"rows": np.eye(2, dtype=np.float16)})
    with read_events(tmp_path) as events:
        assert events.header == HEADER
        assert [tuple(record) for record in events.steps().tolist()] == STEPS
        assert events.held_out() == [(0, 2.5)]
        assert (events.row_steps(), events.snapshot_steps()) == ([5], [5])
        found = events.rows(5)
        assert {name: (array.dtype, array.tolist()) for name, array in found.items()} == {
            name: (array.dtype, array.tolist()) for name, array in rows.items()
        }
        with pytest.raises(UsageError, match=r"step 4 is not recorded; the recorded ones are \[5\]"):
            events.rows(4)


def test_a_reader_follows_appended_records(writer, tmp_path):
    with Events(tmp_path) as events:
        for number, step in enumerate(STEPS, start=1):
            assert not events.refresh()
            writer.step(*step)
            assert events.refresh()
            assert len(events.steps()) == number


def test_every_torn_end_leaves_the_whole_records(writer, tmp_path):
    writer.step(*STEPS[0])
    whole = writer.close()
    grown = EventWriter(tmp_path / NAME)
    grown.arrays(ROWS, 2, {"distance": np.zeros(3, np.float32)})
    data = (tmp_path / NAME).read_bytes()
    grown.close()
    for length in range(whole, len(data)):
        (tmp_path / NAME).write_bytes(data[:length])
        with Events(tmp_path) as events:
            assert (events.end, len(events.steps()), events.row_steps()) == (whole, 1, [])
    cut = EventWriter(tmp_path / NAME, length=whole)
    cut.step(*STEPS[1])
    cut.close()
    with Events(tmp_path) as events:
        assert events.steps()["step"].tolist() == [1, 2]


def test_a_reader_notices_that_the_file_was_cut_or_replaced(writer, tmp_path):
    for step in STEPS:
        writer.step(*step)
    with Events(tmp_path) as events:
        start = next(iter(events)).offset - 16
        EventWriter(tmp_path / NAME, length=start).close()
        assert events.refresh()
        assert len(events.steps()) == 0
        (tmp_path / "other").mkdir()
        other = EventWriter.create(tmp_path / "other" / NAME, {"num_embeddings": 4})
        other.step(*STEPS[0])
        other.close()
        (tmp_path / "other" / NAME).replace(tmp_path / NAME)
        assert events.refresh()
        assert (events.header, len(events.steps())) == ({"num_embeddings": 4}, 1)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: b"", "is not the events of a training"),
        (lambda data: b"x" * len(data), "is not the events of a training"),
        (lambda data: data[:8] + b"\x03" + data[9:], "has version 3, this rowspace reads 2; upgrade rowspace"),
        (lambda data: data[:16] + b"[" + data[17:], "events.bin"),
        (lambda data: data[:12] + b"\xff" * 4 + data[16:], "its header is too long"),
        (lambda data: data.replace(b'"num_embeddings": 3', b'"num_embeddings": 5'), "its checksum differs"),
        (lambda data: data[:-9] + b"?" + data[-8:], "the checksum of the record at byte .* differs"),
        (lambda data: data + bytes(10_000), "there is no record at byte"),
        (lambda data: data + b"\xff" * 30, "there is no record at byte"),
    ],
)
def test_damage_is_an_error(damage, message, writer, tmp_path):
    writer.step(*STEPS[0])
    (tmp_path / NAME).write_bytes(damage((tmp_path / NAME).read_bytes()))
    with pytest.raises(FileFormatError, match=message), Events(tmp_path) as events:
        events.steps()


def test_without_a_file_there_is_one_sentence(tmp_path):
    with pytest.raises(FileFormatError, match=r"cannot be read .*; name a run of rowspace train"):
        read_events(tmp_path)


def test_a_full_disk_is_one_sentence(tmp_path):
    (tmp_path / NAME).symlink_to("/dev/full")
    writer = EventWriter.__new__(EventWriter)
    writer._path, writer._file = tmp_path / NAME, open("/dev/full", "wb", buffering=0)  # noqa: SIM115, PTH123  # the writer closes it; a Path has no buffering=0
    with pytest.raises(RowspaceError, match="the disk is full"):
        writer.step(*STEPS[0])
    writer._file.close()
