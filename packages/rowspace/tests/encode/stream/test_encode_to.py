"""Files of vectors equal what the encoder returns at once; interrupted runs resume to the same file."""

import json
import os
import shutil
import signal
import sys

import lancedb
import numpy as np
import pytest
from pyarrow import parquet

from rowspace._base.work_folder import locked
from rowspace.encode import StreamOptions, encode_to
from rowspace.errors import (
    EncodingInterrupted,
    FileFormatError,
    MissingExtraError,
    RowspaceError,
    UsageError,
)

TEXTS = [f"the {word} sat on {'the ' * (number % 7)}mat" for number in range(3000) for word in ("cat", "dog", "é", "x")]
AT_EACH_BATCH = StreamOptions(seconds_between_saves=0.0)
OUTPUTS = ("v.npy", "v.parquet", "v.lance")


def read(path):
    """Return the vectors and the texts in a file, by the library of its format."""
    if path.suffix == ".npy":
        return np.load(path), None
    if path.suffix == ".parquet":
        table = parquet.read_table(path)
    else:
        table = lancedb.connect(path.parent).open_table(path.stem).to_arrow()
    vectors = table["vector"].combine_chunks()
    width = vectors.type.list_size
    texts = table["text"].to_pylist() if "text" in table.column_names else None
    return vectors.flatten().to_numpy(zero_copy_only=False).reshape(-1, width), texts


class Typed:
    """An encoder with vectors of another dtype, as the option `dtype` gives them."""

    def __init__(self, encoder, dtype):
        self.encoder, self.dtype = encoder, np.dtype(dtype)
        self.texts_at_once = 7
        self.fingerprint = encoder.fingerprint + self.dtype.name

    def encode(self, texts):
        return (self.encoder.encode(texts) * 10).astype(self.dtype)


def stopping(texts, after, error=KeyboardInterrupt):
    """Yield texts, and raise instead of text `after`."""
    yield from texts[:after]
    raise error


def stop_after_5000(progress):
    if progress.texts > 5000:
        raise KeyboardInterrupt


@pytest.mark.parametrize("name", OUTPUTS)
def test_files_have_the_encoders_vectors(tmp_path, encoder, name):
    expected = encoder.encode(TEXTS)
    for texts in (TEXTS, TEXTS[:1], []):
        result = encode_to(encoder, iter(texts), tmp_path / name)
        vectors, saved = read(tmp_path / name)
        np.testing.assert_array_equal(vectors, expected[: len(texts)])
        assert vectors.dtype == np.float32
        assert saved in (None, texts)
        assert result[:5] == (tmp_path / name, len(texts), 6, "float32", 0)
        assert [entry.name for entry in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", OUTPUTS)
def test_each_dtype_keeps_its_bits(tmp_path, encoder, name):
    for dtype in ("float16", "int8", "uint8"):
        typed = Typed(encoder, dtype)
        encode_to(typed, iter(TEXTS[:50]), tmp_path / name)
        vectors, _ = read(tmp_path / name)
        assert vectors.dtype == dtype
        np.testing.assert_array_equal(vectors, typed.encode(TEXTS[:50]))


def test_texts_can_be_left_out_and_are_valid_unicode(tmp_path, encoder):
    for name in OUTPUTS[1:]:
        encode_to(encoder, iter(["a\ud800", "b"]), tmp_path / name)
        assert read(tmp_path / name)[1] == ["a\ufffd", "b"]
        encode_to(encoder, iter(["a"]), tmp_path / name, options=StreamOptions(keep_text=False))
        assert read(tmp_path / name)[1] is None


def test_encoder_has_the_same_as_a_method(tmp_path, encoder):
    (tmp_path / "t.txt").write_text("the cat\nthe dog\n")
    assert encoder.encode_to(tmp_path / "t.txt", tmp_path / "v.npy").texts == 2
    np.testing.assert_array_equal(np.load(tmp_path / "v.npy"), encoder.encode(["the cat", "the dog"]))


def test_npy_can_be_mapped_and_parquet_has_row_groups_of_bounded_size(tmp_path, encoder_of):
    encoder = encoder_of(0, 2048)
    encode_to(encoder, iter(TEXTS), tmp_path / "v.npy")
    assert np.load(tmp_path / "v.npy", mmap_mode="r").shape == (len(TEXTS), 2048)
    encode_to(encoder, iter(TEXTS), tmp_path / "v.parquet")
    file = parquet.ParquetFile(tmp_path / "v.parquet")
    assert file.num_row_groups > 1
    assert max(file.metadata.row_group(number).total_byte_size for number in range(file.num_row_groups)) < 1 << 26


def test_progress_counts_texts_and_bytes(tmp_path, encoder):
    path = tmp_path / "t.txt"
    path.write_text("the cat\n" * 100_000)
    seen = []
    encoder.encode_to(path, tmp_path / "v.npy", on_progress=seen.append)
    assert seen[-1] == (100_000, 100_000, path.stat().st_size, path.stat().st_size, None)
    assert len(seen) > 5
    assert [step.texts for step in seen] == sorted(step.texts for step in seen)


def test_progress_counts_the_rows_of_a_long_copy(tmp_path, encoder, monkeypatch):
    path, seen = tmp_path / "texts.txt", []
    path.write_text("\n".join(TEXTS))
    monkeypatch.setattr(sys.modules["rowspace.encode.stream.encode_to"], "SECONDS_UNTIL_REPORT", 0.0)
    for name in OUTPUTS:
        seen.clear()
        encode_to(encoder, path, tmp_path / name, on_progress=seen.append)
        saved = [progress.saved_texts for progress in seen if progress.saved_texts is not None]
        assert saved == sorted(saved), name
        assert saved[-1:] == ([] if name == "v.npy" else [len(TEXTS)]), name
        assert all(progress.texts == len(TEXTS) for progress in seen if progress.saved_texts is not None), name


def test_a_resumed_run_has_all_rows_without_a_text(tmp_path, encoder, monkeypatch):
    monkeypatch.setattr(sys.modules["rowspace.encode.stream.encode_to"], "SECONDS_UNTIL_REPORT", 0.0)
    encoder, path, out = Typed(encoder, "float32"), tmp_path / "texts.jsonl", tmp_path / "v.parquet"
    lines = [json.dumps({"text": text}) for text in TEXTS[:40]]
    lines[5] = "{"
    path.write_text("\n".join([*lines, '{"text": null}']))

    def stop_at_end(progress):
        if progress.texts > 40:
            raise KeyboardInterrupt

    def stop_in_copy(progress):
        if progress.saved_texts is not None:
            raise KeyboardInterrupt

    options = StreamOptions(column="text", seconds_between_saves=0.0)
    once = encode_to(encoder, path, tmp_path / "once.parquet", options=options)
    assert [row.number for row in once.bad_rows] == [6, 41]
    for stop in (stop_at_end, stop_in_copy):
        with pytest.raises(EncodingInterrupted):
            encode_to(encoder, path, out, options=options, on_progress=stop)
        resumed = encode_to(encoder, path, out, options=options, resume=True)
        assert (resumed.bad, resumed.bad_rows) == (2, once.bad_rows)
        assert out.read_bytes() == (tmp_path / "once.parquet").read_bytes()


def test_a_source_is_never_replaced_by_its_vectors(tmp_path, encoder):
    out = tmp_path / "v.parquet"
    encode_to(encoder, iter(TEXTS), out)
    (tmp_path / "link.parquet").symlink_to(out)
    for path in (out, tmp_path / "link.parquet"):
        with pytest.raises(UsageError, match=r"parquet is read and would be replaced by its vectors; name another"):
            encode_to(encoder, out, path, options=StreamOptions(column="text"))
    assert read(out)[1] == TEXTS


def test_a_folder_is_read_without_the_output_in_it_and_its_run(tmp_path, wide):
    (tmp_path / "t.txt").write_text("\n".join(TEXTS))
    for name, resume in [("v.npy", True), ("v.npy", False), ("v.parquet", True), ("v.parquet", False)]:
        out = tmp_path / name
        with pytest.raises(EncodingInterrupted):
            wide.encode_to(tmp_path, out, options=AT_EACH_BATCH, on_progress=stop_after_5000)
        assert wide.encode_to(tmp_path, out, resume=resume).texts == len(TEXTS)
        np.testing.assert_array_equal(read(out)[0], wide.encode(TEXTS))
    with pytest.raises(UsageError, match=r"v.parquet is read and would be replaced"):
        wide.encode_to(tmp_path, out, options=StreamOptions(column="text"))


@pytest.mark.parametrize("name", [OUTPUTS[0], *(pytest.param(name, marks=pytest.mark.long) for name in OUTPUTS[1:])])
def test_interrupted_run_resumes_to_the_same_file(tmp_path, encoder, name):
    out = tmp_path / name
    encode_to(encoder, iter(["an older file"]), out)
    for error in (KeyboardInterrupt, SystemExit):
        with pytest.raises(
            EncodingInterrupted, match=r"stopped after .* texts, whose rows are in .*\.encode'; run the"
        ):
            encode_to(encoder, stopping(TEXTS, 9000, error), out, options=AT_EACH_BATCH)
        assert len(read(out)[0]) == 1  # the older file is untouched
        source = stopping(TEXTS, 11_000, OSError("the network is gone"))
        with pytest.raises(OSError, match="the network is gone"):  # any error of the source keeps what is done
            encode_to(encoder, source, out, options=AT_EACH_BATCH, resume=True)
        result = encode_to(encoder, iter(TEXTS), out, resume=True)
        assert 8192 <= result.resumed_texts <= 11_000
        vectors, texts = read(out)
        np.testing.assert_array_equal(vectors, encoder.encode(TEXTS))
        assert texts in (None, TEXTS)
        assert [entry.name for entry in tmp_path.iterdir()] == [name]
        encode_to(encoder, iter(["an older file"]), out)


def test_interruption_before_any_row_leaves_nothing(tmp_path, encoder):
    with pytest.raises(KeyboardInterrupt):
        encode_to(encoder, stopping(TEXTS, 10), tmp_path / "v.npy", options=AT_EACH_BATCH)
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def wide(encoder_of):
    """An encoder with batches of 4,096 texts."""
    return encoder_of(0, 1024)


@pytest.fixture
def interrupted(tmp_path, wide):
    """A file of texts, and a run of it that was stopped after some of them."""
    path, out = tmp_path / "t.txt", tmp_path / "v.npy"
    path.write_text("\n".join(TEXTS))
    with pytest.raises(EncodingInterrupted):
        wide.encode_to(path, out, options=AT_EACH_BATCH, on_progress=stop_after_5000)
    return path, out


def test_resumption_refuses_changes_and_keeps_the_rows(interrupted, wide, encoder_of, tmp_path):
    path, out = interrupted
    other = tmp_path / "u.txt"
    shutil.copy2(path, other)

    def refused(complaint, encoder=wide, source=path, **options):
        with pytest.raises(UsageError, match=complaint):
            encoder.encode_to(source, out, resume=True, **options)

    refused(
        "the interrupted run used another table or encoder options; give those, or start again without resume",
        encoder=encoder_of(1, 1024),
    )
    refused("the interrupted run had column None, not 'x'; give the same", options=StreamOptions(column="x"))
    refused("the interrupted run read '.*t.txt', not '.*u.txt'; give it", source=other)
    refused("the interrupted run read 1 files, not 2", source=[path, other])
    before = path.stat()
    with path.open("a") as file:
        file.write("\nanother line")
    refused(r"t.txt' has changed since the interrupted run \(size or time\); start again without resume")
    path.write_text("\n".join(TEXTS))
    refused(r"t.txt' has changed since the interrupted run")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    wide.encode_to(path, out, resume=True)
    np.testing.assert_array_equal(np.load(out), wide.encode(TEXTS))


def test_resumption_refuses_other_texts_of_an_iterable(tmp_path, encoder):
    out = tmp_path / "v.npy"
    with pytest.raises(EncodingInterrupted):
        encode_to(encoder, stopping(TEXTS, 9000), out, options=AT_EACH_BATCH)
    with pytest.raises(UsageError, match="the first 8,192 texts of the source differ from those encoded before"):
        encode_to(encoder, iter(["another", *TEXTS[1:]]), out, resume=True)
    with pytest.raises(UsageError, match="the source has only 10 texts, but 8,192 were encoded before"):
        encode_to(encoder, iter(TEXTS[:10]), out, resume=True)
    assert encode_to(encoder, iter(TEXTS), out, resume=True).texts == len(TEXTS)


def test_nothing_to_resume(tmp_path, encoder):
    with pytest.raises(
        UsageError, match=r"there is no interrupted run of '.*v.npy' to resume; start one without resume"
    ):
        encode_to(encoder, iter(TEXTS), tmp_path / "v.npy", resume=True)
    assert list(tmp_path.iterdir()) == []


def test_new_run_discards_an_interrupted_one(interrupted, wide):
    path, out = interrupted
    wide.encode_to(path, out)
    np.testing.assert_array_equal(np.load(out), wide.encode(TEXTS))
    assert not out.with_name("v.npy.encode").exists()


def test_damaged_state_and_missing_rows_are_refused(interrupted, wide):
    path, out = interrupted
    folder = out.with_name("v.npy.encode")
    whole = json.loads((folder / "state.json").read_text())
    state = {name: value for name, value in whole.items() if not name.startswith("checksum")} | {"version": 1}
    for damage, complaint in [
        (b"{", "not valid JSON"),
        (b"{}", "written by another version"),
        (json.dumps(whole | {"version": 3}).encode(), "written by another version of rowspace; upgrade rowspace, or"),
        (json.dumps(whole | {"texts": 1}).encode(), r"is damaged \(its checksum differs\)"),
        (json.dumps(whole | {"version": 1}).encode(), "entries are missing or unknown"),
        (json.dumps(state | {"texts": -1}).encode(), "an entry has a value of the wrong type"),
        (json.dumps(state | {"extra": 1}).encode(), "entries are missing or unknown"),
        (json.dumps(state | {"mark": 10**6}).encode(), "rows.npy has fewer than 1,000,000 rows"),
    ]:
        (folder / "state.json").write_bytes(damage)
        with pytest.raises(FileFormatError, match=rf"{complaint}.*start again without resume"):
            wide.encode_to(path, out, resume=True)


def test_a_changed_row_is_noticed_when_a_run_is_resumed(interrupted, wide):
    path, out = interrupted
    rows = out.with_name("v.npy.encode") / "rows.npy"
    data = bytearray(rows.read_bytes())
    data[200] ^= 1
    rows.write_bytes(data)
    with pytest.raises(FileFormatError, match=r"rows.npy is damaged \(its checksum differs\); start again without res"):
        wide.encode_to(path, out, resume=True)


def test_missing_or_damaged_part_is_refused(tmp_path, encoder):
    out = tmp_path / "v.parquet"

    def interrupt():
        with pytest.raises(EncodingInterrupted):
            encode_to(encoder, stopping(TEXTS, 9000), out, options=AT_EACH_BATCH)
        return next(tmp_path.glob("v.parquet.encode/part-*.arrow"))

    interrupt().unlink()
    with pytest.raises(FileFormatError, match=r"part-00000\d.arrow is missing; start again without resume"):
        encode_to(encoder, iter(TEXTS), out, resume=True)
    interrupt().write_bytes(b"ARROW1\0\0 damaged")
    with pytest.raises(
        FileFormatError, match=r"part-00000\d.arrow is damaged \(its checksum differs\); start again without resume"
    ):
        encode_to(encoder, iter(TEXTS), out, resume=True)


def test_targets_that_cannot_be_written_are_refused_before_reading(tmp_path, encoder):
    (tmp_path / "text.npy").write_text("not an array")
    (tmp_path / "full.lance").mkdir()
    (tmp_path / "full.lance" / "photo.jpg").write_bytes(b"x")
    (tmp_path / "w.npy.encode").mkdir()
    (tmp_path / "w.npy.encode" / "photo.jpg").write_bytes(b"x")

    for name, complaint in {
        "v.csv": "v.csv': vectors are saved as .npy, .parquet or .lance; give such a name",
        "v": "vectors are saved as",
        "text.npy": "a file of another kind is there",
        "full.lance": "it is not empty and holds no _versions",
        "missing/v.npy": "the folder .*missing does not exist",
        "w.npy": "w.npy.encode' is needed for the run but contains 'photo.jpg'; move it away",
    }.items():
        with pytest.raises(UsageError, match=complaint):
            encode_to(encoder, iter(TEXTS) if name == "w.npy" else stopping([], 0, AssertionError), tmp_path / name)


def test_second_run_of_an_output_is_refused(tmp_path, encoder):
    folder = tmp_path / "v.npy.encode"
    folder.mkdir()
    with (
        locked(folder),
        pytest.raises(RowspaceError, match=r"another process is writing '.*v.npy'; wait until it ends"),
    ):
        encode_to(encoder, iter(TEXTS), tmp_path / "v.npy")


def test_missing_packages_are_named(tmp_path, encoder, monkeypatch):
    monkeypatch.setitem(sys.modules, "lance", None)  # stands for a package that is not installed
    with pytest.raises(MissingExtraError, match=r"Lance datasets need Lance: pip install 'rowspace\[search\]'"):
        encode_to(encoder, iter(TEXTS), tmp_path / "v.lance")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"Parquet files need pyarrow: pip install 'rowspace\[arrow\]'"):
        encode_to(encoder, iter(TEXTS), tmp_path / "v.parquet")


@pytest.mark.parametrize("number", [pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM])
def test_a_signal_saves_all_that_is_encoded(encoder, tmp_path, number):
    source = tmp_path / "texts.txt"
    source.write_text("the cat\ncat\n" * 200_000)
    seen = []

    def stop_at_the_second(progress):
        seen.append(progress.texts)
        if len(seen) == 2:
            os.kill(os.getpid(), number)

    with pytest.raises(EncodingInterrupted):
        encode_to(encoder, source, tmp_path / "v.npy", on_progress=stop_at_the_second)
    assert 0 < seen[1] < 400_000
    result = encode_to(encoder, source, tmp_path / "v.npy", resume=True)
    assert result.resumed_texts == seen[-1] == seen[1]
    encode_to(encoder, source, tmp_path / "whole.npy")
    assert (tmp_path / "v.npy").read_bytes() == (tmp_path / "whole.npy").read_bytes()
