import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from rowspace.errors import FileFormatError
from rowspace.store.array_formats import parquet
from rowspace.store.array_formats.arrow_sizes import ArrowSizes

SIZE, DIM = 500_000, 40  # 80 MB of float32

# Opens the file given as the first argument, up to an optional row limit, and prints pyarrow's peak memory and
# the number of rows.
MEASURE = """
import sys
import warnings
import pyarrow as pa
from rowspace.errors import FileFormatError
from rowspace.store.array_formats import parquet

warnings.simplefilter("ignore")
limit = int(sys.argv[2]) if sys.argv[2:] else None
try:
    rows = len(parquet.load(sys.argv[1], limit=limit))
except FileFormatError as error:
    rows = str(error)
print(pa.default_memory_pool().max_memory(), rows, sep="\\t")
"""


def write(path, *batches, codec="zstd"):
    batches = [pa.RecordBatch.from_pydict(batch) for batch in batches]
    with pa.ipc.new_file(path, batches[0].schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as file:
        for batch in batches:
            file.write_batch(batch)


def zeros(size, dim=DIM):
    return pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(size * dim, np.float32)), dim)


def numbers(begin, end):
    return pa.array([str(number) for number in range(begin, end)])


def measure_load(path, *limit):
    command = [sys.executable, "-c", MEASURE, str(path), *map(str, limit)]
    memory, outcome = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().split("\t")
    return int(memory), outcome


REFUSED = "unpacks to .* far more than the rows read from it"


@pytest.mark.long
@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_table_of_equal_rows_opens_in_full(tmp_path, codec):
    write(tmp_path / "v.arrow", {"token": numbers(0, SIZE), "row": zeros(SIZE)}, codec=codec)
    table = parquet.load(tmp_path / "v.arrow")
    assert table.vocabulary == [str(number) for number in range(SIZE)]
    assert table.rows.shape == (SIZE, DIM)
    assert not table.rows.any()


def test_limit_does_not_decompress_a_huge_batch(tmp_path):
    write(tmp_path / "v.arrow", {"token": numbers(0, SIZE), "row": zeros(SIZE)})
    with pytest.raises(FileFormatError, match=REFUSED):
        parquet.load(tmp_path / "v.arrow", limit=10)


def equal_tokens():
    return pa.array(["cat"] * SIZE)


@pytest.mark.parametrize(
    "columns",
    [
        lambda: {"token": equal_tokens(), "row": zeros(SIZE)},
        lambda: {"token": equal_tokens().dictionary_encode(), "row": zeros(SIZE)},
        lambda: {"token": equal_tokens(), **{f"x{place}": np.zeros(SIZE, np.float32) for place in range(DIM)}},
        lambda: {"token": equal_tokens(), "row": zeros(SIZE).cast(pa.list_(pa.float32()))},
        lambda: {"token": pa.array(["cat" * 100] * SIZE), "row": zeros(SIZE, 1)},
        lambda: {"token": pa.array(["cat" * 20_000_000, "dog"]).dictionary_encode(), "row": zeros(2, 1)},
    ],
    ids=["lists", "dictionary", "numbered", "variable lists", "long tokens", "long dictionary"],
)
def test_batch_that_decompresses_to_far_more_than_its_rows_is_refused(tmp_path, columns):
    write(tmp_path / "v.arrow", columns())
    assert (tmp_path / "v.arrow").stat().st_size < 4 << 20
    with pytest.raises(FileFormatError, match=REFUSED):
        parquet.load(tmp_path / "v.arrow")


def test_lists_that_skip_most_values_of_their_column_are_refused_before_decompression(tmp_path):
    write(tmp_path / "v.arrow", {"token": ["a"], "row": pa.array([np.zeros(30_000_000, np.float32)])})
    packed = (tmp_path / "v.arrow").read_bytes()
    codec = pa.Codec("zstd")
    honest, lie = (codec.compress(np.int32([0, end]).tobytes(), asbytes=True) for end in (30_000_000, 1))
    assert packed.count(honest) == 1
    assert len(lie) <= len(honest)
    (tmp_path / "v.arrow").write_bytes(packed.replace(honest, lie.ljust(len(honest), b"\0")))
    with pytest.raises(FileFormatError, match=REFUSED):
        parquet.load(tmp_path / "v.arrow")


@pytest.mark.skipif(sys.platform != "linux", reason="pyarrow's memory use differs on other systems")
def test_unrelated_columns_are_not_decompressed(tmp_path):
    columns = {"note": pa.array(["cat" * 100] * SIZE), "token": numbers(0, SIZE), "row": zeros(SIZE, 1)}
    write(tmp_path / "v.arrow", columns)
    memory, outcome = measure_load(tmp_path / "v.arrow")
    assert outcome == str(SIZE)
    assert memory < 64 << 20


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="pyarrow's memory use differs on other systems")
def test_memory_of_a_batch_is_freed_after_its_new_tokens_are_copied(tmp_path):
    new, size = 65_536, 2_000_000
    for_each = [[*map(str, range(first, first + new)), *["cat"] * (size - new)] for first in range(0, 8 * new, new)]
    write(tmp_path / "v.arrow", *({"token": pa.array(tokens), "row": zeros(size, 2)} for tokens in for_each))
    memory, outcome = measure_load(tmp_path / "v.arrow")
    assert outcome == str(8 * 65_536 + 1)
    assert memory < 100 << 20  # the rows of the eight batches together are 128 MB


TYPES = {
    "null": pa.null(),
    "bool": pa.bool_(),
    "decimal": pa.decimal128(9),
    "binary": pa.large_binary(),
    "view": pa.string_view(),
    "binary view": pa.binary_view(),
    "fixed": pa.binary(3),
    "map": pa.map_(pa.string(), pa.list_(pa.int8())),
    "list view": pa.list_view(pa.string()),
    "large list view": pa.large_list_view(pa.int8()),
    "struct": pa.struct({"a": pa.string(), "b": pa.struct({"c": pa.int8()})}),
    "sparse": pa.sparse_union([pa.field("a", pa.int8()), pa.field("b", pa.string())]),
    "dense": pa.dense_union([pa.field("a", pa.int8()), pa.field("b", pa.string())]),
    "run ends": pa.run_end_encoded(pa.int32(), pa.string()),
    "dictionary": pa.dictionary(pa.int8(), pa.string()),
    "tensor": pa.fixed_shape_tensor(pa.float32(), [2, 2]),
    "uuid": pa.uuid(),
}


def test_column_sizes_are_read_next_to_columns_of_every_type(tmp_path):
    nulls = {name: pa.nulls(1000, kind) for name, kind in TYPES.items()}
    long = pa.array([f"{number:>30}" for number in range(1000)], pa.string_view())
    batch = {**nulls, "long": long, "token": numbers(0, 1000), "row": zeros(1000, 7)}
    write(tmp_path / "v.arrow", batch)
    content = np.fromfile(tmp_path / "v.arrow", np.uint8)
    sizes = ArrowSizes(content, pa.ipc.open_file(tmp_path / "v.arrow").schema).columns(0)
    assert [buffer.size for buffer in sizes["row"]][-1:] == [1000 * 7 * 4]
    assert [buffer.size for buffer in sizes["token"]][1:] == [1001 * 4, sum(len(str(number)) for number in range(1000))]
    assert [buffer.size for buffer in sizes["long"]][-2:] == [1000 * 16, 1000 * 30]


def test_buffers_decompress_to_what_pyarrow_decompresses(tmp_path):
    write(tmp_path / "v.arrow", {"token": numbers(0, 1000), "row": zeros(1000, 7)}, codec="lz4")
    content = np.fromfile(tmp_path / "v.arrow", np.uint8)
    file = pa.ipc.open_file(tmp_path / "v.arrow")
    sizes = ArrowSizes(content, file.schema).columns(0)
    for name, column in zip(file.schema.names, file.get_batch(0).columns, strict=True):
        unpacked = [buffer.unpacked().tobytes() for buffer in sizes[name]]
        assert unpacked == [b"" if buffer is None else buffer.to_pybytes() for buffer in column.buffers()]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_unknown_codec_is_refused(tmp_path):
    path = tmp_path / "v.arrow"
    write(path, {"token": pa.array(["a", "b"]), "row": zeros(2)})
    content, refused = path.read_bytes(), []
    for place, byte in enumerate(content):
        if byte != 1:  # the code of zstd
            continue
        path.write_bytes(content[:place] + b"\x09" + content[place + 1 :])
        try:
            parquet.load(path)
        except FileFormatError as error:
            refused.append(str(error))
    assert any("unknown compression codec 9" in message for message in refused)
