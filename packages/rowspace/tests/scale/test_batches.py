"""One class for the batches of several engines; it pickles small, and opens its table once a process."""

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import rowspace as rs
from rowspace.errors import RowspaceError, UsageError
from rowspace.scale import EncodeBatches

TEXTS = ["the cat sat", None, "é 안녕", ""]


@pytest.fixture
def expected(table_path):
    return rs.Encoder.load(table_path).encode(["the cat sat", "", "é 안녕", ""])


def test_each_kind_of_batch_gets_the_same_vectors(table_path, expected):
    encode = EncodeBatches(table_path)
    table = pa.table({"id": range(4), "text": TEXTS})
    given = encode(table)
    assert given.drop_columns(["vector"]).equals(table)
    in_lists = [np.array(given["vector"].to_pylist(), np.float32)]
    for batch in (table.to_batches()[0], next(encode(iter(table.to_batches())))):
        column = (encode(batch) if "vector" not in batch.schema.names else batch).column("vector")
        in_lists.append(np.array(column.to_pylist(), np.float32))
    assert next(encode(iter(table.to_batches()))).schema.field("vector").type == pa.list_(pa.float32())  # for Spark
    in_lists.append(encode({"text": np.array(TEXTS, object)})["vector"])
    for frame in (table.to_pandas(), pd.DataFrame({"text": pd.Series(TEXTS, dtype="string[pyarrow]")})):
        in_lists.append(np.stack(encode(frame)["vector"].tolist()))
    for vectors in in_lists:
        assert (vectors == expected).all()


def test_it_pickles_with_the_path_of_its_table_and_the_options(tmp_path, table_path):
    table = rs.load(table_path)
    large = rs.Table(list(table), np.tile(table.rows, 5_000), tokenizer=table.tokenizer)
    large.save(tmp_path / "large")
    for given in (str(tmp_path / "large"), rs.load(tmp_path / "large"), rs.Encoder.load(tmp_path / "large")):
        assert len(pickle.dumps(EncodeBatches(given))) < 1_000
    assert len(pickle.dumps(EncodeBatches(large))) > large.rows.nbytes
    encode = EncodeBatches(rs.Encoder.load(table_path, normalize=True), column="t", out="v")
    again = pickle.loads(pickle.dumps(encode))
    assert np.allclose(np.linalg.norm(again({"t": ["the cat"]})["v"], axis=1), 1)


def test_a_wrong_batch_is_one_sentence(table_path):
    encode = EncodeBatches(table_path)
    with pytest.raises(UsageError, match="there is no column 'text' in a batch with 'a'"):
        encode(pa.table({"a": [1]}))
    with pytest.raises(UsageError, match="a batch has a column 'vector' already; give another name"):
        encode(encode(pa.table({"text": ["a"]})))
    with pytest.raises(UsageError, match="the column 'text' has 3 in row 1, which is not text"):
        encode({"text": ["a", 3]})
    with pytest.raises(UsageError, match="a batch is one of Arrow, a dictionary or a data frame, not int"):
        encode(3)
    with pytest.raises(RowspaceError, match="no file or folder"):
        EncodeBatches("/none")
