"""fastText model files compared with fastText and gensim, and damaged files, which must raise errors."""

import struct
import tracemalloc

import fasttext
import numpy as np
import pytest
from gensim.models import FastText
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model

from rowspace.errors import FileFormatError, UsageError
from rowspace.store import format_of, load, save
from rowspace.subwords.hashing import NO_ROW, PRUNED_BUCKET, Subwords, ngram_buckets
from rowspace.table import Table

SENTENCES = ["the cat sat on the mat", "straße und häuser 日本 😀", "the dog ate the cats dinner"]
UNSEEN = ["catss", "zzz", "häuslein", "日本語", "a"]
RNG = np.random.default_rng(2)


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    path = tmp_path_factory.mktemp("fasttext") / "text"
    path.write_text("\n".join(f"__label__{'ab'[i % 2]} {line}" for i, line in enumerate(SENTENCES * 40)) + "\n")
    return str(path)


def trained_model(text, **options):
    # With T threads fastText 0.9.3 initializes only T * (size // 10) numbers; the rest is uninitialized memory.
    options = {"dim": 7, "minCount": 1, "bucket": 500, "epoch": 3, "thread": 11, "verbose": 0} | options
    if options.pop("supervised", False):
        model = fasttext.train_supervised(text, **options)
    else:
        model = fasttext.train_unsupervised(text, **options)
    return model


def row_of(table, word):
    if word in table:
        return table[word]
    row = table.subwords.row(word)
    return np.zeros(table.dim) if row is None else row  # fastText returns zeros if none of the n-grams has a row


def assert_same(table, model, unseen=UNSEEN):
    """Compare words, counts and rows, also those of unseen words, with an open fastText model."""
    words, counts = model.get_words(include_freq=True)
    assert list(table.vocabulary) == words
    assert table.counts.tolist() == counts.tolist()
    for word in [*words, *unseen]:
        np.testing.assert_array_equal(row_of(table, word), model.get_word_vector(word), err_msg=word)


KINDS = {
    "n-grams": {},
    "cbow": {"model": "cbow", "minn": 1, "maxn": 2},
    "from 0 characters": {"minn": 0, "maxn": 3},
    "classifier": {"supervised": True, "minn": 2, "maxn": 4},
}


@pytest.mark.parametrize("options", KINDS.values(), ids=KINDS)
def test_rows_of_fasttext_files_equal_fasttexts_bit_for_bit(tmp_path, text, options):
    # Parity: fastText 0.9.3.
    model = trained_model(text, **options)
    model.save_model(str(tmp_path / "m.bin"))
    assert format_of(tmp_path / "m.bin").name == "fasttext"
    assert_same(load(tmp_path / "m.bin"), model)


@pytest.mark.parametrize("options", [{"maxn": 0}, {"supervised": True, "wordNgrams": 2}], ids=["words", "classifier"])
def test_model_without_ngrams_is_memory_mapped(tmp_path, text, options):
    model = trained_model(text, **options)
    model.save_model(str(tmp_path / "m.bin"))
    table = load(tmp_path / "m.bin")
    assert_same(table, model, unseen=[])
    assert table.subwords is None
    assert not table.rows.flags.owndata
    assert "min_n" not in table.settings


@pytest.mark.parametrize(
    "options", [{}, {"qnorm": True}, {"dsub": 3}, {"qnorm": True, "dsub": 7, "qout": True}], ids=str
)
@pytest.mark.parametrize("cutoff", [0, 300], ids=["all", "pruned"])
def test_rows_of_quantized_models_equal_fasttexts_bit_for_bit(tmp_path, text, options, cutoff):
    # 300 classes of words, since product quantization needs 256 rows at least
    lines = [f"__label__{i % 300} word{i} {SENTENCES[i % 3]}" for i in range(600)]
    (tmp_path / "text").write_text("\n".join(lines) + "\n")
    model = trained_model(str(tmp_path / "text"), supervised=True, minn=2, maxn=4)
    model.quantize(str(tmp_path / "text"), cutoff=cutoff, retrain=False, **options)
    model.save_model(str(tmp_path / "m.ftz"))
    assert_same(load(tmp_path / "m.ftz"), model, unseen=["catss", "zzz", "words"])


def test_pruned_ngrams_can_be_saved_only_in_the_native_format(tmp_path):
    table = Table(
        ["a"], np.ones((1, 2), np.float32), subwords=Subwords(*np.ones((2, 1, 2), "f4"), np.array([0, PRUNED_BUCKET]))
    )
    with pytest.raises(UsageError, match=r"n-grams of this table were pruned.*save it as 'native'"):
        save(table, tmp_path / "m.bin", format="fasttext")
    save(table, tmp_path / "t")
    assert load(tmp_path / "t").subwords.places.tolist() == [0, PRUNED_BUCKET]


def pruned_model(word, *, buckets, max_n):
    """Return the bytes of a pruned quantized model with one word and one remaining n-gram."""
    start = struct.pack("<2i12id", 793712314, 12, 4, 5, 5, 1, 5, 1, 2, 2, buckets, 1, max_n, 100, 1e-4)
    words = struct.pack("<3i2q", 1, 1, 0, 1, 1) + word + struct.pack("<xqb2i", 1, 0, 3, 0)
    codes = struct.pack("<??2qi", True, False, 2, 4, 4) + bytes(4)
    centroids = struct.pack("<4i", 4, 2, 2, 2) + np.arange(1024, dtype="<f4").tobytes()
    return start + words + codes + centroids + struct.pack("<?2q", False, 0, 4)


def test_pruned_buckets_use_no_memory_and_round_trip(tmp_path):
    (tmp_path / "m.ftz").write_bytes(pruned_model(b"cat", buckets=2**31 - 1, max_n=3))
    save(load(tmp_path / "m.ftz"), tmp_path / "t")  # imports and compiles before memory is traced
    tracemalloc.start()
    table = load(tmp_path / "m.ftz")
    save(table, tmp_path / "t")
    again = load(tmp_path / "t")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20
    assert (again.rows == table.rows).all()
    buckets = np.array([0, 3, 2**31 - 2])
    for kept in (again, table):
        assert kept.subwords.places[buckets].tolist() == [PRUNED_BUCKET, 0, PRUNED_BUCKET]
    with pytest.raises(UsageError, match="were pruned"):
        save(table, tmp_path / "m.bin", format="fasttext")


def test_negative_number_of_codes_is_refused(tmp_path):
    content = pruned_model(b"cat", buckets=10, max_n=3)
    place = content.index(struct.pack("<2qi", 2, 4, 4)) + 16
    (tmp_path / "m.ftz").write_bytes(patched(content, place, "<i", -4))
    with pytest.raises(FileFormatError, match=r"m.ftz: byte \d+: -4 codes for 2 rows of 4 columns"):
        load(tmp_path / "m.ftz")


def test_implausible_number_of_ngrams_is_refused_before_they_are_computed(tmp_path):
    (tmp_path / "m.ftz").write_bytes(pruned_model(b"a" * 20_000, buckets=100, max_n=2**31 - 1))
    with pytest.raises(FileFormatError, match=r"have up to 400,080,004 n-grams of 1 to 2147483647 characters"):
        load(tmp_path / "m.ftz")


def test_rows_composed_in_several_blocks_are_the_mean_of_their_ngrams(tmp_path):
    # About 5 million n-grams, more than one block holds.
    words = [f"{number:010}" for number in range(40_000)]
    own, rows = np.arange(40_000, dtype=np.float32)[:, None], np.arange(50, dtype=np.float32)[:, None]
    subwords = Subwords(rows, own, np.arange(50, dtype=np.int32), 1, 10)
    save(Table(words, own, subwords=subwords), tmp_path / "m.bin", format="fasttext")
    table = load(tmp_path / "m.bin")
    for number in (0, 1, 20_000, 34_952, 34_953, 39_999):
        buckets = ngram_buckets(words[number], min_n=1, max_n=10, buckets=50)
        assert table.rows[number, 0] == pytest.approx((number + buckets.sum()) / (1 + len(buckets)), rel=1e-5)


def test_files_written_by_gensim_load(tmp_path):
    # Parity: gensim 4.4, which adds the n-gram rows in a different order.
    model = FastText([line.split() for line in SENTENCES * 20], vector_size=6, min_count=1, bucket=300, workers=1)
    save_facebook_model(model, str(tmp_path / "m.bin"))
    table = load(tmp_path / "m.bin")
    assert list(table.vocabulary) == model.wv.index_to_key
    np.testing.assert_array_equal(table.subwords.own, model.wv.vectors_vocab)
    for word in [*table.vocabulary, *UNSEEN]:
        np.testing.assert_allclose(row_of(table, word), model.wv[word], atol=1e-7)


def example_table(subwords=True):
    words = ["the", "häuser", "</s>", "日本"]
    own, rows = (RNG.normal(size=(size, 5)).astype(np.float32) for size in (4, 30))
    places = np.full(100, NO_ROW, np.int32)
    places[RNG.permutation(100)[:30]] = np.arange(30)
    table = Table(words, own, np.array([9, 8, 7, 6]), settings={"window": 3, "model": "cbow", "sample": 0.01})
    if subwords:
        table.subwords = Subwords(rows, own, places, 2, 5)
    return table


def test_saved_file_opens_in_fasttext_and_gensim_and_round_trips(tmp_path):
    table = example_table()
    save(table, tmp_path / "m.bin", format="fasttext")
    again = load(tmp_path / "m.bin")
    model = fasttext.load_model(str(tmp_path / "m.bin"))
    assert_same(again, model)
    np.testing.assert_array_equal(again.subwords.own, table.subwords.own)
    assert any(table.subwords.row(word) is not None for word in UNSEEN)
    assert (model.f.getArgs().ws, str(model.f.getArgs().model), model.f.getArgs().t) == (3, "model_name.cbow", 0.01)
    gensims = load_facebook_vectors(str(tmp_path / "m.bin"))
    np.testing.assert_allclose(gensims["häuser"], again["häuser"], atol=1e-6)


def test_table_without_ngrams_and_counts_can_be_saved(tmp_path):
    table = example_table(subwords=False)
    table.counts = None
    save(table, tmp_path / "m.bin", format="fasttext")
    model = fasttext.load_model(str(tmp_path / "m.bin"))
    for word, row in zip(table.vocabulary, table.rows, strict=True):
        np.testing.assert_array_equal(model.get_word_vector(word), row)
    assert load(tmp_path / "m.bin").counts.tolist() == [1, 1, 1, 1]


def test_limit_loads_the_first_words_with_all_ngrams(tmp_path, text):
    model = trained_model(text)
    model.save_model(str(tmp_path / "m.bin"))
    table = load(tmp_path / "m.bin", limit=2)
    assert list(table.vocabulary) == model.words[:2]
    for word in [*model.words[:2], "zzz"]:
        np.testing.assert_array_equal(row_of(table, word), model.get_word_vector(word))


def test_words_that_decode_to_the_same_text_keep_the_first_row(tmp_path):
    path = tmp_path / "m.bin"
    save(Table(["é", "ab", "cd"], np.arange(6, dtype=np.float32).reshape(3, 2)), path, format="fasttext")
    path.write_bytes(path.read_bytes().replace(b"ab\0", b"\xff\0", 1).replace(b"cd\0", b"\xfe\0", 1))
    with (
        pytest.warns(UserWarning, match="2 words are not valid UTF-8"),
        pytest.warns(UserWarning, match="1 word is duplicated"),
    ):
        table = load(path)
    assert list(table.vocabulary) == ["é", "\ufffd"]
    assert table.rows.tolist() == [[0, 1], [2, 3]]


def test_token_with_a_nul_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"token 'a\\x00b' \(id 0\) holds a NUL, which fastText cannot hold"):
        save(Table(["a\0b"], np.ones((1, 2))), tmp_path / "m.bin", format="fasttext")


def test_saving_ngrams_in_a_format_without_them_warns(tmp_path):
    with pytest.warns(UserWarning, match="the word2vec format cannot hold n-grams"):
        save(example_table(), tmp_path / "m.bin")


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory):
    path = tmp_path_factory.mktemp("saved_model") / "m.bin"
    save(example_table(), path, format="fasttext")
    return path.read_bytes()


def patched(data, place, code, *values):
    packed = struct.pack(code, *values)
    return data[:place] + packed + data[place + len(packed) :]


@pytest.mark.parametrize(
    ("place", "code", "values", "complaint"),
    [
        (4, "<i", (13,), r"byte 0: magic number 793712314 and version 13, but fastText's are .* 11 or 12"),
        (36, "<i", (9,), "byte 8: model 9, 5 columns"),
        (40, "<i", (-1,), "-1 buckets"),
        (40, "<i", (101,), "has 104 rows for 4 words and 101 n-grams in 101 buckets"),
        (64, "<3i", (5, 4, 0), "byte 64: 5 entries of 4 words and 0 labels"),
        (64, "<3i", (2**30, 2**30, 0), r"ends before its 1,073,741,824 words: 10,737,418,240 bytes needed"),
        (64, "<3i", (2**8, 2**8, 0), r"ends before its 256 words|entry \d+ of 256 is incomplete"),
        (84, "<q", (2**61,), "ends before the n-grams that are left"),
        (84, "<q", (-2,), "byte 64: 4 entries of 4 words and 0 labels, -2 n-grams"),
    ],
)
def test_invalid_header_fields_are_refused(tmp_path, saved_model, place, code, values, complaint):
    (tmp_path / "m.bin").write_bytes(patched(saved_model, place, code, *values))
    with pytest.raises(FileFormatError, match=complaint):
        load(tmp_path / "m.bin")


@pytest.mark.parametrize("change", [lambda data: data[:-1], lambda data: data + b"\0"], ids=["short", "long"])
def test_file_that_is_too_short_or_too_long_is_refused(tmp_path, saved_model, change):
    (tmp_path / "m.bin").write_bytes(change(saved_model))
    with pytest.raises(FileFormatError, match=r"m.bin: byte \d+: (ends before its rows|data continues after the end)"):
        load(tmp_path / "m.bin")


def test_word_of_65536_bytes_round_trips_and_a_longer_one_is_refused(tmp_path):
    for length in (65_535, 65_536):
        save(Table(["a" * length, "b"], np.ones((2, 1), np.float32)), tmp_path / "m.bin", format="fasttext")
        assert list(load(tmp_path / "m.bin").vocabulary) == ["a" * length, "b"]
    with pytest.raises(UsageError, match="has more than 65536 bytes"):
        save(Table(["a" * 65_537], np.ones((1, 1), np.float32)), tmp_path / "m.bin", format="fasttext")
    content = (tmp_path / "m.bin").read_bytes()
    (tmp_path / "m.bin").write_bytes(content.replace(b"a" * 65_536, b"a" * 65_537))
    with pytest.raises(FileFormatError, match="entry 1 of 2 is incomplete"):
        load(tmp_path / "m.bin")
