"""`fit`, `load` and `encode` read URLs, and parts of files at URLs."""

import gzip

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from tests.scale.fit.simulated import fit_on
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import app
from rowspace.files.remote import upload
from rowspace.scale import fit_parts
from rowspace.scale.fit.text_parts import text_parts
from rowspace.text import TextOptions

TEXTS = ["the cat sat on the mat", "the dog sat", "a cat and a dog"] * 5


def test_encode_fit_and_load_read_urls(tmp_path, monkeypatch, bucket):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
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
