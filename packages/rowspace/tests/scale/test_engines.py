"""Ray and Dask: they write the files of one process, and `EncodeBatches` runs in Ray Data and Dask's data frames."""

from functools import partial

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import ray
from tests.scale.corpus import DieOnce, always_die, contents, write_texts
from tests.search.samples import contents as index_contents, make_table, write_files

import rowspace as rs
from rowspace.errors import RowspaceError
from rowspace.learn.fit import run_fit
from rowspace.scale import EncodeBatches, Part, PartsOptions, build_index, encode_parts, map_parts
from rowspace.scale.fit.fit_parts import encode_in_parts
from rowspace.search import Index

pytestmark = [
    pytest.mark.long,  # a cluster takes 5 to 20 seconds to start
    pytest.mark.filterwarnings("ignore"),  # those of Ray and Dask
]

TEXT = PartsOptions(column="text")


@pytest.fixture(scope="module", autouse=True)
def _ray():
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield
    ray.shutdown()


@pytest.fixture(scope="module", autouse=True)
def _dask():
    with (
        distributed.LocalCluster(2, host="127.0.0.1", threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        yield


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_an_engine_writes_the_same_bytes(engine, tmp_path, table_path):
    source = write_texts(tmp_path / "texts")
    encode_parts(table_path, source, tmp_path / "one", options=TEXT, on=None)
    result = encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=engine, workers=2)
    assert result.new_parts == 3
    assert contents(tmp_path / "one") == contents(tmp_path / "out")
    (source / "part-1.parquet").write_bytes(b"PAR1 damaged")
    with pytest.raises(RowspaceError, match=r"^part part-1.parquet failed: .* is a damaged Parquet file"):
        encode_parts(table_path, source, tmp_path / "out", options=TEXT, on=engine)


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_an_engine_builds_the_same_index(engine, tmp_path):
    make_table().save(tmp_path / "table")
    write_files(tmp_path / "files")
    made = build_index(tmp_path / "files", str(tmp_path / "table"), tmp_path / "made", on=engine, workers=2)
    one = Index.build(tmp_path / "files", str(tmp_path / "table"), tmp_path / "one")
    assert index_contents(made) == index_contents(one)
    assert made.search("tulips water") == one.search("tulips water")


@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_an_engine_counts_the_words_of_a_text(engine, english):
    options = {"dim": 4, "epochs": 1, "workers": 1}
    encode = partial(encode_in_parts, on=engine, workers=None, part_bytes=100_000)
    counted, one = run_fit(english, options, encode=encode), rs.fit(english, **options)
    assert counted.vocabulary == one.vocabulary
    np.testing.assert_array_equal(counted.rows, one.rows)


def test_batches_of_ray_data_and_dask_have_the_vectors(tmp_path, table_path):
    import dask.dataframe
    import ray.data

    source = write_texts(tmp_path / "texts")
    texts = pa.concat_tables([pq.read_table(path) for path in sorted(source.iterdir())])["text"].to_pylist()
    expected = rs.Encoder.load(table_path).encode(texts)
    encode = EncodeBatches(table_path)
    rows = ray.data.read_parquet(str(source), columns=["text"]).map_batches(encode, batch_format="pyarrow").take_all()
    by_text = {row["text"]: row["vector"] for row in rows}
    assert len(rows) == 150
    assert all(
        (np.asarray(by_text[text], np.float32) == vector).all() for text, vector in zip(texts, expected, strict=True)
    )
    frame = dask.dataframe.read_parquet(source, columns=["text"]).map_partitions(encode).compute()
    by_text = dict(zip(frame["text"], frame["vector"], strict=True))
    assert all((by_text[text] == vector).all() for text, vector in zip(texts, expected, strict=True))


@pytest.mark.parametrize("engine", ["processes", "ray", "dask"])
def test_the_parts_of_a_killed_worker_are_given_to_another(engine, tmp_path):
    parts = [Part(f"{number}", "", 0, 0) for number in range(4)]
    done = dict(map_parts(DieOnce(tmp_path), parts, on=engine, workers=2))
    assert done.keys() == set(parts)
    with pytest.raises(RowspaceError, match=r"^part 0 failed: its (process|worker) died"):
        list(map_parts(always_die, parts[:1], on=engine))
