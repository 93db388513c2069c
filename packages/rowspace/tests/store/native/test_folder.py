import json
import os
import shutil
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.files.safetensors_header import header_bytes
from rowspace.store import native
from rowspace.store.native.manifest import FILES, FileRecord, Manifest
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table

VOCABULARY = ["cat", "dog", "né"]
ROWS = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]], np.float32)


@pytest.fixture
def saved(tmp_path):
    table = Table(VOCABULARY, ROWS, np.array([3, 2, 1]), settings={"window": 5})
    native.save(table, tmp_path / "t")
    return tmp_path / "t"


def assert_same(actual, expected):
    assert actual.vocabulary == list(expected.vocabulary)
    assert actual.rows.dtype == expected.rows.dtype
    assert actual.rows.tobytes() == expected.rows.tobytes()
    assert (actual.counts is None) == (expected.counts is None)
    assert actual.counts is None or (actual.counts.dtype == np.int64 and (actual.counts == expected.counts).all())
    assert actual.tokenizer == expected.tokenizer
    assert actual.settings == expected.settings


# Save then load.


@given(st.data())
def test_saved_table_loads_equal(tmp_path_factory, data):
    awkward = st.sampled_from(["", " ", "\n", "\0", '"', "\\", "\u2028", "[UNK]", "e\u0301", "👩‍👩‍👧", "한국어"])
    vocabulary = data.draw(st.lists(st.text() | awkward, unique=True))
    dtype = data.draw(st.sampled_from([np.float16, np.float32, np.float64]))
    shape = (len(vocabulary), data.draw(st.integers(1, 5)))
    rows = data.draw(hnp.arrays(dtype, shape))
    counts = data.draw(st.none() | hnp.arrays(np.int64, len(vocabulary), elements=st.integers(0, 2**63 - 1)))
    settings = data.draw(st.dictionaries(st.text(), st.integers() | st.text() | st.booleans() | st.none()))
    table = Table(vocabulary, rows, counts, settings=settings)
    path = tmp_path_factory.mktemp("s") / "t"
    native.save(table, path)
    assert_same(native.load(path, verify=True), table)


def test_tokenizer_of_the_table_round_trips_unchanged(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({"cat": 0, "[UNK]": 1}, unk_token="[UNK]")).to_str(pretty=True)
    table = Table(["cat"], np.ones((1, 2)), tokenizer=tokenizer)
    native.save(table, tmp_path / "t")
    assert_same(native.load(tmp_path / "t"), table)


@pytest.mark.parametrize("order", ["big", "F", "reversed"])
def test_rows_in_any_byte_order_and_memory_layout_are_saved(tmp_path, order):
    wide = np.tile(ROWS, 350_000)  # 12 MB, written in two pieces
    rows = {"big": wide.astype(">f4"), "F": np.asfortranarray(wide), "reversed": wide[::-1]}[order]
    native.save(Table(VOCABULARY, rows), tmp_path / "t")
    assert (native.load(tmp_path / "t").rows == rows).all()


def test_table_without_rows_round_trips(tmp_path):
    tokenizer = Tokenizer(models.WordLevel({}, unk_token="[UNK]")).to_str()
    table = Table([], np.zeros((0, 3), np.float32), tokenizer=tokenizer)
    native.save(table, tmp_path / "t")
    assert_same(native.load(tmp_path / "t"), table)


def test_rows_are_mapped_read_only_and_cache_line_aligned(saved):
    rows = native.load(saved).rows
    assert isinstance(rows, np.memmap)
    assert not rows.flags.writeable
    assert rows.ctypes.data % 64 == 0


@pytest.mark.long
def test_saving_does_not_copy_the_rows_in_memory(tmp_path):
    # 256 MB of mapped zeros whose bytes must be swapped, with 64 MB of memory to do it in.
    script = """
import resource, sys
import numpy as np
from rowspace.store import native
from rowspace.table import Table
rows = np.memmap(sys.argv[1] + "/rows", ">f4", "w+", shape=(64, 1_000_000))
table = Table([str(i) for i in range(64)], rows)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**26,) * 2)
native.save(table, sys.argv[1] + "/t")
"""
    subprocess.run([sys.executable, "-c", script, tmp_path], check=True)
    assert native.load(tmp_path / "t").rows.shape == (64, 1_000_000)
    shutil.rmtree(tmp_path / "t")


def test_manifest_is_read_without_the_rows(saved):
    manifest = native.read_manifest(saved)
    assert (manifest.num_embeddings, manifest.embedding_dim, manifest.unknown_rows) == (3, 3, 1)
    assert manifest.settings == {"window": 5}
    assert set(manifest.versions) == {"rowspace", "numpy", "numba", "tokenizers"}
    assert {name: record.size for name, record in manifest.files.items()} == {
        name: (saved / name).stat().st_size for name in FILES
    }


@pytest.mark.parametrize(
    "table",
    [
        Table(["\ud800"], np.ones((1, 1))),
        Table(["a"], np.ones((1, 1)), settings={"odd": object()}),
        Table(["a"], np.ones((1, 1)), tokenizer="{"),
        Table(["a"], np.ones((1, 1), np.longdouble)),
    ],
    ids=["surrogate", "setting", "tokenizer", "dtype"],
)
def test_table_that_cannot_be_saved_is_refused_before_anything_is_written(saved, table):
    before = {file.name: file.stat().st_mtime_ns for file in saved.iterdir()}
    with pytest.raises(UsageError):
        native.save(table, saved)
    assert {file.name: file.stat().st_mtime_ns for file in saved.iterdir()} == before


def test_folder_with_other_files_is_not_replaced(saved):
    (saved / "notes.txt").write_text("precious")
    for act in (
        lambda: native.check_target(saved),
        lambda: native.save(Table(["a"], np.ones((1, 1))), saved),
    ):
        with pytest.raises(UsageError, match=r"also holds 'notes.txt'"):
            act()


# Damaged files.


def load_damaged(path, data):
    """Replace the bytes at `path` and load the table; None if that is refused."""
    path.write_bytes(data)
    try:
        return native.load(path.parent)
    except FileFormatError:
        return None


@pytest.mark.long
@pytest.mark.parametrize("name", ["model.safetensors", "vocabulary.safetensors"])
def test_changed_byte_in_a_header_is_refused_or_has_no_effect(saved, name):
    data = (saved / name).read_bytes()
    table = native.load(saved)
    for place in range(8 + int.from_bytes(data[:8], "little")):
        for value in (
            data[place] ^ 1,
            data[place] ^ 128,
            ord("0"),
            ord("9"),
            ord(" "),
            ord('"'),
            ord("F"),
            0,
        ):
            again = load_damaged(saved / name, data[:place] + bytes([value]) + data[place + 1 :])
            if again is not None:
                assert_same(again, table)


def test_changed_byte_in_the_vocabulary_loads_or_is_refused(saved):
    path = saved / "vocabulary.safetensors"
    data = path.read_bytes()
    for place in range(8 + int.from_bytes(data[:8], "little"), len(data)):
        for value in (data[place] ^ 1, data[place] ^ 128, 10, 255):
            again = load_damaged(path, data[:place] + bytes([value]) + data[place + 1 :])
            assert again is None or len(again) == 3


@pytest.mark.parametrize("name", FILES)
def test_verify_names_the_damaged_file(saved, name):
    data = bytearray((saved / name).read_bytes())
    data[-1] ^= 1
    (saved / name).write_bytes(data)
    with pytest.raises(FileFormatError, match=rf"{name}: damaged \(its SHA-256 is not the saved one\)"):
        native.load(saved, verify=True)


@pytest.mark.parametrize("name", [*FILES, "rowspace.json"])
@pytest.mark.parametrize(
    ("stand_in", "complaint"), [("nothing", "missing"), ("pipe", "not a reg"), ("dir", "a folder")]
)
def test_missing_or_irregular_file_is_named_in_the_error(saved, name, stand_in, complaint):
    (saved / name).unlink()
    if stand_in == "pipe":
        os.mkfifo(saved / name)
    elif stand_in == "dir":
        (saved / name).mkdir()
    with pytest.raises(FileFormatError, match=f"{name}: {complaint}"):
        native.load(saved)


def forge(saved, name, data, **changes):
    """Write `data` to the file `name` and make rowspace.json match it, as an attacker could."""
    (saved / name).write_bytes(data)
    manifest = native.read_manifest(saved)
    files = {**manifest.files, name: FileRecord(len(data), "")}
    fields = {**vars(manifest), "files": files, **changes}
    (saved / "rowspace.json").write_bytes(Manifest(**fields).to_bytes())


@pytest.mark.parametrize(
    ("tensors", "complaint"),
    [
        (
            {"embeddings": ("F32", (3, 3))},
            r"'embeddings' is F32 of shape \(3, 3\), but F32 of shape \(4, 3\) was saved",
        ),
        ({"embeddings": ("F16", (4, 3))}, "'embeddings' is F16 of"),
        ({"embeddings": ("F32", (12,))}, "'embeddings' is F32 of"),
        ({"rows": ("F32", (4, 3))}, r"holds \['rows'\], expected \['embeddings'\]"),
        ({"embeddings": ("F32", (4, 3)), "more": ("U8", (1,))}, "holds"),
    ],
)
def test_rows_that_contradict_rowspace_json_are_refused(saved, tensors, complaint):
    header = header_bytes(tensors)
    size = sum({"F32": 4, "F16": 2, "U8": 1}[dtype] * int(np.prod(shape)) for dtype, shape in tensors.values())
    forge(saved, "model.safetensors", header + bytes(size))
    with pytest.raises(FileFormatError, match=f"model.safetensors: .*{complaint}"):
        native.load(saved)


def vocabulary_file(tensors):
    header = header_bytes({name: (dtype, array.shape) for name, (dtype, array) in tensors.items()})
    return header + b"".join(array.tobytes() for _, array in tensors.values())


OFFSETS = ("I64", np.array([0, 2, 4, 6]))
TOKENS = ("U8", np.frombuffer(b"a\nb\na\n", np.uint8))


@pytest.mark.parametrize(
    ("tensors", "complaint"),
    [
        ({"offsets": ("I64", np.array([0, 2, 4, 5])), "tokens": TOKENS}, "token offsets do not increase from 0 to 6"),
        ({"offsets": ("I64", np.array([0, 6])), "tokens": TOKENS}, "'offsets' is I64"),
        ({"offsets": ("U64", np.array([0, 2, 4, 6])), "tokens": TOKENS}, "'offsets' is U64"),
        ({"offsets": OFFSETS, "tokens": ("U8", TOKENS[1].reshape(2, 3))}, "'tokens' is U8"),
        ({"offsets": OFFSETS, "tokens": TOKENS, "counts": ("I64", np.arange(2))}, "'counts' is I64"),
        ({"offsets": OFFSETS}, "holds"),
    ],
)
def test_inconsistent_vocabulary_is_refused(saved, tensors, complaint):
    forge(saved, "vocabulary.safetensors", vocabulary_file(tensors))
    with pytest.raises(FileFormatError, match=f"vocabulary.safetensors: .*{complaint}"):
        native.load(saved)


@pytest.mark.parametrize(
    ("offsets", "tokens", "complaint"),
    [
        ([0, 2, 4, 6], b"a\nb\na\n", "'a' is duplicated in the vocabulary, as ids 0 and 2"),
        ([0, 2, 4, 6], b"a\nbba\n", "token 1 does not end where its offset says"),
        ([0, 2, 2, 6], b"a\nb\nc\n", "token offsets do not increase from 0 to 6"),
        ([0, 2, 4, 6], b"a\n\xff\nc\n", "token 1 is not valid UTF-8"),
    ],
)
def test_damaged_tokens_are_refused_at_first_access(saved, offsets, tokens, complaint):
    tensors = {"offsets": ("I64", np.array(offsets)), "tokens": ("U8", np.frombuffer(tokens, np.uint8))}
    forge(saved, "vocabulary.safetensors", vocabulary_file(tensors))
    table = native.load(saved)
    assert table.rows.shape == (3, 3)
    with pytest.raises(RowspaceError, match=complaint):
        table.id("c")


def test_opening_a_table_reads_neither_rows_nor_tokens(tmp_path):
    """Open a sparse table of 10 GB and read one row: peak memory stays below 1 MB."""
    size, dim = 80_000, 32_000
    table = Table([""], np.zeros((1, dim), np.float32), np.zeros(1, np.int64))
    native.save(table, tmp_path / "t")
    rows, offsets = size + 1, np.zeros(size + 1, np.int64)
    offsets[1:] = np.arange(1, size + 1) * 8
    model = header_bytes({"embeddings": ("F32", (rows, dim))})
    forge(tmp_path / "t", "vocabulary.safetensors", vocabulary_file({
        "offsets": ("I64", offsets), "tokens": ("U8", np.zeros(8 * size, np.uint8))
    }), num_embeddings=size)  # fmt: skip
    with (tmp_path / "t" / "model.safetensors").open("wb") as file:
        file.write(model)
        file.truncate(len(model) + 4 * rows * dim)
    manifest = native.read_manifest(tmp_path / "t")
    files = {**manifest.files, "model.safetensors": FileRecord(len(model) + 4 * rows * dim, "")}
    (tmp_path / "t" / "rowspace.json").write_bytes(Manifest(**{**vars(manifest), "files": files}).to_bytes())
    tracemalloc.start()
    opened = native.load(tmp_path / "t")
    assert not opened.rows[size // 2].any()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(opened), opened.dim) == (size, dim)
    assert peak < 1 << 20


def test_forged_rowspace_json_is_refused(saved):
    manifest = native.read_manifest(saved)
    for changes, complaint in [
        ({"dtype": "int8"}, "rows of unknown dtype 'int8'"),
        ({"files": {}}, "does not list model.safetensors"),
        ({"num_embeddings": 2**62}, "'offsets' is"),
        ({"embedding_dim": 2**62}, "'embeddings' is"),
    ]:
        (saved / "rowspace.json").write_bytes(Manifest(**{**vars(manifest), **changes}).to_bytes())
        with pytest.raises(FileFormatError, match=complaint):
            native.load(saved)


def test_tokenizer_that_is_not_utf8_is_refused(saved):
    forge(saved, "tokenizer.json", b"{\xff", own_tokenizer=True)
    table = native.load(saved)
    with pytest.raises(FileFormatError, match=r"tokenizer.json: byte 1: not valid UTF-8"):
        _ = table.tokenizer


def test_tokenizer_is_the_one_present_when_the_table_was_loaded(saved):
    before, replaced = native.load(saved), (saved / "tokenizer.json").with_suffix(".new")
    text = (saved / "tokenizer.json").read_text()
    forge(saved, "tokenizer.json", text.encode(), own_tokenizer=True)
    before = native.load(saved)
    replaced.write_text("{}")
    replaced.replace(saved / "tokenizer.json")
    assert before.tokenizer == text


def test_oversized_rowspace_json_is_refused(saved):
    with (saved / "rowspace.json").open("wb") as file:
        file.truncate(10**12)  # sparse: uses no disk space
    with pytest.raises(FileFormatError, match="larger than"):
        native.load(saved)


def test_loading_during_concurrent_saves_is_consistent(tmp_path):
    def table_of(version):
        return Table([f"{version}"], np.full((1, 2), version, np.float32), np.array([version]))

    def save_on():
        for version in range(1, 60):
            native.save(table_of(version), tmp_path / "t")

    native.save(table_of(0), tmp_path / "t")
    saver = threading.Thread(target=save_on)
    saver.start()
    seen = []
    while saver.is_alive():
        table = native.load(tmp_path / "t")
        assert (table.rows == int(table.vocabulary[0])).all()
        assert table.counts[0] == int(table.vocabulary[0])
        seen.append(int(table.vocabulary[0]))
    saver.join()
    assert seen == sorted(seen)


# Interoperability: model2vec and sentence-transformers open native folders.

TEXTS = ["cat", "dog cat cat", "cat unseen dog", "unseen", "", "dog " * 600 + "cat " * 600]
KNOWN = [[0], [1, 0, 0], [0, 1], [], [], [1] * 600 + [0] * 600]


def means(rows, counted):
    """Return the sum of the known words' rows divided by `counted`, in float64."""
    return np.array(
        [rows[ids].sum(axis=0, dtype=np.float64) / max(n, 1) for ids, n in zip(KNOWN, counted, strict=True)]
    )


@pytest.fixture(params=[np.float32, np.float64, np.float16], ids=lambda dtype: dtype.__name__)
def table(request):
    rows = np.random.default_rng(0).standard_normal((4, 8)).astype(request.param)
    return Table(["cat", "dog", "né", "x"], rows, np.arange(4))


def test_model2vec_encodes_texts_as_the_mean_of_known_words(tmp_path, table, assert_close):
    from model2vec import StaticModel

    native.save(table, tmp_path / "t")
    model = StaticModel.from_pretrained(tmp_path / "t")
    assert (model.encode(table.vocabulary) == table.rows).all()
    assert_close(model.encode(TEXTS), means(table.rows, map(len, KNOWN)).astype(table.rows.dtype))
    assert not model.encode(["unseen", ""]).any()


def sentence_transformer(path):
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(path), device="cpu")


def test_sentence_transformers_averages_unknown_words_as_zeros(tmp_path, table, assert_close):
    native.save(table, tmp_path / "t")
    model = sentence_transformer(tmp_path / "t")
    assert (model.encode(table.vocabulary) == table.rows).all()
    counted = [len(text.split()) for text in TEXTS]
    assert_close(model.encode(TEXTS), means(table.rows, counted).astype(table.rows.dtype))
    assert not model.encode(["unseen", ""]).any()


@pytest.mark.parametrize("with_unknown", [False, True])
def test_both_libraries_use_the_tokenizer_of_the_table(tmp_path, with_unknown):
    from model2vec import StaticModel

    vocabulary = ["[UNK]", "cat", "dog"] if with_unknown else ["cat", "dog"]
    tokenizer = Tokenizer(models.WordLevel({token: i for i, token in enumerate([*vocabulary, "[UNK]"][:3])}, "[UNK]"))
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    rows = np.eye(len(vocabulary), dtype=np.float32)
    native.save(Table(vocabulary, rows, tokenizer=tokenizer.to_str()), tmp_path / "t")
    expected = (rows[-1] + rows[-2]) / 2
    for model in (StaticModel.from_pretrained(tmp_path / "t"), sentence_transformer(tmp_path / "t")):
        assert (model.encode("CAT, Dog".replace(",", "")) == expected).all()


def test_config_files_for_other_libraries_disable_normalization(saved):
    assert json.loads((saved / "config.json").read_text())["normalize"] is False
    assert [module["type"] for module in json.loads((saved / "modules.json").read_text())] == [
        "sentence_transformers.models.StaticEmbedding"
    ]


def test_failed_write_leaves_the_saved_table_unchanged(saved):
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        with pytest.raises(RowspaceError, match="cannot save to"):
            native.save(Table(["a"], np.ones((1, 10_000))), saved)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert native.load(saved, verify=True).vocabulary == VOCABULARY


def test_table_saved_in_format_1_opens():
    """`format_1` was written by rowspace 0.1.0; a later format keeps its fixture too."""
    table = native.load(Path(__file__).with_name("format_1"), verify=True)
    assert table.vocabulary == ["cat", "né", "한국"]
    assert table.rows.tolist() == [[0.5, -1.25], [3, float(np.float32(1e-5))], [-0.0, 2]]
    assert table.counts is not None
    assert table.counts.tolist() == [7, 5, 2**40]
    assert table.settings == {"dim": 2, "window": 5}
    assert table.subwords is not None
    expected = Subwords(np.array([[1, 2], [3, 4]], np.float32), 2 * table.rows, np.array([0, 1, 0], np.int32), 2, 3)
    for word in ("cat", "cats", "né", "x"):
        assert table.subwords.row(word).tolist() == expected.row(word).tolist()
