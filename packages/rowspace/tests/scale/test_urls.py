"""`fit`, `load` and `encode` read URLs, and parts of files at URLs; vectors and tables are saved at URLs."""

import gzip
import os
import signal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scale.corpus import write_texts
from tests.scale.fit.simulated import fit_on
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import app
from rowspace.encode import Encoder, StreamOptions
from rowspace.errors import EncodingInterrupted, FitInterrupted, RowspaceError, UsageError
from rowspace.files.remote import RemotePath, read_remote, remote_names, upload
from rowspace.learn import Reports
from rowspace.scale import fit_parts
from rowspace.scale.fit.text_parts import text_parts
from rowspace.text import TextOptions

TEXTS = ["the cat sat on the mat", "the dog sat", "a cat and a dog"] * 5


@pytest.fixture(autouse=True)
def _cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def ctrl_c_once():
    """A callback for progress, which presses Ctrl-C when it is first called; a second time would end the tests."""
    numbers = [signal.SIGINT]
    return lambda _progress: numbers and os.kill(os.getpid(), numbers.pop())


def test_encode_fit_and_load_read_urls(tmp_path, bucket):
    pq.write_table(pa.table({"text": TEXTS}), tmp_path / "texts.parquet")
    (tmp_path / "texts.txt.gz").write_bytes(gzip.compress("\n".join(TEXTS).encode()))
    for name in ("texts.parquet", "texts.txt.gz"):
        upload(tmp_path / name, f"{bucket}/texts/{name}")
    options = {"dim": 4, "epochs": 1, "min_count": 1, "workers": 1}
    table = rs.fit(f"{bucket}/texts/*.gz", **options)
    assert (table.rows == rs.fit(tmp_path / "texts.txt.gz", **options).rows).all()
    table.save(tmp_path / "table")
    for path in (tmp_path / "table").iterdir():
        upload(path, f"{bucket}/tables/small/{path.name}")
    assert (rs.load(f"{bucket}/tables/small").rows == table.rows).all()
    arguments = ["--table", f"{bucket}/tables/small", "--column", "text", "-o", str(tmp_path / "vectors.npy")]
    run = CliRunner().invoke(app, ["encode", f"{bucket}/texts/*.parquet", *arguments], prog_name="rowspace")
    assert run.exit_code == 0, run.output
    assert (np.load(tmp_path / "vectors.npy") == rs.Encoder(table).encode(TEXTS)).all()


@pytest.mark.long
def test_parts_of_a_file_at_a_url_are_counted(tmp_path, bucket):
    (tmp_path / "texts.txt").write_text("\n".join(TEXTS * 9))
    upload(tmp_path / "texts.txt", f"{bucket}/plain/texts.txt")
    options = {"dim": 4, "epochs": 1, "min_count": 1, "workers": 1}
    one = rs.fit(tmp_path / "texts.txt", **options)
    assert len(text_parts(f"{bucket}/plain", 4, options=TextOptions())) == 4
    (found, _) = fit_on(2, f"{bucket}/plain/*.txt", **options)
    assert found.vocabulary == one.vocabulary
    assert found.counts.tolist() == one.counts.tolist()
    counted = fit_parts(f"{bucket}/plain", on="processes", **options)
    assert (counted.rows == one.rows).all()


@pytest.fixture
def texts(bucket, tmp_path):
    """The path of a file of texts, and its URL."""
    path = next(file for file in sorted(write_texts(tmp_path / "texts").rglob("*")) if file.suffix == ".parquet")
    upload(path, url := f"{bucket}/texts/{path.name}")
    return path, url


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_vectors_at_a_url_are_those_of_a_file(suffix, texts, bucket, table_path, tmp_path):
    encoder, options = Encoder.load(table_path), StreamOptions(column="text")
    path, url = texts
    result = encoder.encode_to(url, f"{bucket}/vectors{suffix}", options=options)
    assert os.fspath(result.path) == f"{bucket}/vectors{suffix}"
    encoder.encode_to(path, tmp_path / f"vectors{suffix}", options=options)
    assert read_remote(os.fspath(result.path)) == (tmp_path / f"vectors{suffix}").read_bytes()


def test_outputs_that_cannot_be_at_a_url_are_refused(texts, bucket, table_path):
    encoder, options = Encoder.load(table_path), StreamOptions(column="text")
    before = read_remote(texts[1])
    for out, resume, kind, sentence in [
        (texts[1], False, UsageError, f"{texts[1]} is read and would be replaced by its vectors"),
        (f"{bucket}/v.lance", False, UsageError, f"{bucket}/v.lance: at a URL, vectors are saved as .npy or .parquet"),
        (f"{bucket}/v.npy", True, UsageError, f"a run that saves to a URL such as {bucket}/v.npy cannot be resumed"),
        ("s3://none/v.npy", False, RowspaceError, "s3://none/v.npy: cannot be written (no such bucket)"),
    ]:
        with pytest.raises(kind) as caught:
            encoder.encode_to(texts[1], out, options=options, resume=resume)
        assert str(caught.value).startswith(sentence)
    sources = [texts[0], RemotePath(texts[1])]
    with pytest.raises(UsageError, match="is read and would be replaced by its vectors"):
        encoder.encode_to(sources, texts[1], options=options)
    assert read_remote(texts[1]) == before


def test_ctrl_c_leaves_no_vectors_at_a_url(texts, bucket, table_path):
    with pytest.raises(EncodingInterrupted, match=rf"^stopped; nothing is saved at {bucket}/stopped.npy, so start it"):
        Encoder.load(table_path).encode_to(
            texts[0],
            f"{bucket}/stopped.npy",
            options=StreamOptions(column="text"),
            on_progress=ctrl_c_once(),
        )
    assert not [name for name in remote_names(bucket) if "stopped" in name]


def test_a_fit_saves_its_table_at_a_url(english, bucket):
    options = {"dim": 8, "epochs": 1, "workers": 1}
    upload(english, f"{bucket}/english.txt")
    found = rs.fit(f"{bucket}/english.txt", output=f"{bucket}/fitted", **options)
    np.testing.assert_array_equal(rs.load(f"{bucket}/fitted").rows, found.rows)
    np.testing.assert_array_equal(rs.fit(english, **options).rows, found.rows)
    with pytest.raises(UsageError, match=r"^a fit that saves to a URL such as .* cannot be resumed; start it again$"):
        rs.fit(output=f"{bucket}/fitted", resume=True)


def test_ctrl_c_saves_the_table_of_a_fit_at_a_url(english, bucket):
    stop = Reports(on_progress=ctrl_c_once())
    with pytest.raises(
        FitInterrupted, match=rf"^stopped after [\d,]+ words; the table so far is saved in '{bucket}/s'$"
    ):
        rs.fit(english, output=f"{bucket}/s", reports=stop, dim=8, epochs=50, workers=1)
    assert len(rs.load(f"{bucket}/s")) > 0
