"""Vectors of the modes, compared with those of model2vec and sentence-transformers."""

import dataclasses
import itertools
import json

import numpy as np
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit

from rowspace.encode import Encoder
from rowspace.encode.modes import median_token_length
from rowspace.errors import FileFormatError, UsageError
from rowspace.store import load
from rowspace.table import Table

from .conftest import TEXTS, WORDS

pytestmark = pytest.mark.kernels
HALF_STEP = 2.0**-10  # between neighboring numbers of float16, of numbers near 1


@pytest.fixture(scope="module")
def static_embedding():
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding

    return StaticEmbedding


def sentence_model(module, *, normalize):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Normalize

    return SentenceTransformer(modules=[module, *[Normalize()] * normalize], device="cpu")


def both_ways(encoder, texts=TEXTS, **options):
    """Encode by the library and NumPy, and by kernels; they give the same."""
    plan = encoder.executor.plan_for(dataclasses.replace(encoder.options, **options))
    plain, compiled = (encoder.executor.empty(len(texts), plan) for _ in range(2))
    encoder.executor.encode_piece(texts, plan, plain, compiled=False)
    encoder.executor.encode_piece(texts, plan, compiled, compiled=True)
    atol = HALF_STEP if plan.rules.half else 1e-6
    np.testing.assert_allclose(compiled, plain, rtol=1e-5, atol=atol)
    return compiled


def tolerance(dtype):
    """The largest difference of numbers near 1; sums of 700 numbers in float32 are not those in float64."""
    return {"float16": 4 * HALF_STEP, "float64": 2e-5}.get(dtype, 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64", "int8"])
def test_model2vec_folders_give_the_vectors_of_model2vec(tmp_path, wordpiece, rows, dtype):
    vectors = (rows * 30).round().clip(-127, 127).astype(dtype) if dtype == "int8" else rows.astype(dtype)
    rng = np.random.default_rng(1)
    weights = rng.random(len(WORDS), np.float32) + 0.1
    mapping = rng.integers(0, 9, len(WORDS))
    shapes = [
        {},
        {"weights": weights},
        {"weights": weights.astype(np.float64)},
        {"token_mapping": mapping, "vectors": vectors[:9]},
        {"token_mapping": mapping, "vectors": vectors[:9], "weights": weights},
    ]
    for number, (shape, normalize) in enumerate(itertools.product(shapes, (False, True))):
        options = {"vectors": vectors, "tokenizer": wordpiece(), "normalize": normalize} | shape
        StaticModel(**options).save_pretrained(tmp_path / str(number))
        model = StaticModel.from_pretrained(tmp_path / str(number))
        encoder = Encoder.load(tmp_path / str(number))
        assert encoder.options.mode == "model2vec"
        expected = model.encode(TEXTS).astype(np.float32)
        found = both_ways(encoder)
        scale = np.abs(expected).max()
        np.testing.assert_allclose(found, expected, atol=tolerance(dtype) * max(1, scale), err_msg=f"{shape}")
        if dtype == "float16":
            assert (found == found.astype(np.float16)).all()


@pytest.mark.parametrize("max_length", [None, 0, 1, 3, 512])
def test_model2vec_cuts_long_texts(tmp_path, wordpiece, rows, max_length):
    StaticModel(rows, wordpiece(), max_length=max_length).save_pretrained(tmp_path / "m")
    model, encoder = StaticModel.from_pretrained(tmp_path / "m"), Encoder.load(tmp_path / "m")
    np.testing.assert_allclose(both_ways(encoder), model.encode(TEXTS), atol=1e-5)
    for given in (1, 5, 100):  # for one call
        expected = model.encode(TEXTS, max_length=given)
        np.testing.assert_allclose(encoder.encode(TEXTS, max_tokens=given), expected, atol=1e-6)
    np.testing.assert_allclose(encoder.encode(TEXTS, max_tokens=0), model.encode(TEXTS, max_length=None), atol=1e-5)
    expected = model.encode(TEXTS, normalize=True)
    np.testing.assert_allclose(encoder.encode(TEXTS, normalize=True), expected, atol=1e-5)


def test_median_length_is_that_of_model2vec(wordpiece, rows):
    assert median_token_length(wordpiece()) == StaticModel(rows, wordpiece()).median_token_length


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("folder", [".", "0_StaticEmbedding"])
def test_static_folders_give_the_vectors_of_sentence_transformers(
    tmp_path, wordpiece, rows, static_embedding, normalize, folder
):
    model = sentence_model(static_embedding(wordpiece(), embedding_weights=rows), normalize=normalize)
    model.save(str(tmp_path / "m"))
    if folder == "0_StaticEmbedding" and not (tmp_path / "m" / folder).exists():
        (tmp_path / "m" / folder).mkdir()
        for name in ("model.safetensors", "tokenizer.json"):
            (tmp_path / "m" / name).rename(tmp_path / "m" / folder / name)
        modules = json.loads((tmp_path / "m" / "modules.json").read_text())
        modules[0]["path"] = folder
        (tmp_path / "m" / "modules.json").write_text(json.dumps(modules))
    encoder = Encoder.load(tmp_path / "m")
    assert encoder.options.mode == "sentence-transformers"
    np.testing.assert_allclose(both_ways(encoder), model.encode(TEXTS), atol=1e-6)


@pytest.mark.parametrize("direction", ["left", "right"])
@pytest.mark.parametrize("length", [0, 2, 100])
def test_sentence_transformers_obeys_the_truncation_of_tokenizer_json(
    wordpiece, rows, static_embedding, direction, length
):
    tokenizer = wordpiece()
    tokenizer.enable_truncation(length, direction=direction)
    tokenizer.enable_padding(length=7)
    encoder = Encoder(Table(WORDS, rows, tokenizer=tokenizer.to_str()), mode="sentence-transformers")
    model = sentence_model(
        static_embedding(Tokenizer.from_str(tokenizer.to_str()), embedding_weights=rows), normalize=0
    )
    np.testing.assert_allclose(both_ways(encoder), model.encode(TEXTS), atol=1e-6)


def test_float16_of_sentence_transformers(wordpiece, rows, static_embedding):
    half = rows.astype(np.float16)
    model = sentence_model(static_embedding(wordpiece(), embedding_weights=half), normalize=False)
    encoder = Encoder(Table(WORDS, half, tokenizer=wordpiece().to_str()), mode="sentence-transformers")
    np.testing.assert_allclose(both_ways(encoder), model.encode(TEXTS), atol=2 * HALF_STEP)


def test_rowspace_leaves_unknown_tokens_out_and_cuts_no_text(table, rows):
    encoder = Encoder(table)
    found = both_ways(encoder)
    library = Tokenizer.from_str(table.tokenizer)
    for text, vector in zip(TEXTS, found, strict=True):
        ids = [number for number in library.encode(text, add_special_tokens=False).ids if number != 1]
        expected = rows[ids].astype(np.float64).mean(axis=0) if ids else np.zeros(20)
        np.testing.assert_allclose(vector, expected, atol=tolerance("float64"))
    cut = encoder.encode(["the cat sat."], max_tokens=2)
    np.testing.assert_allclose(cut, encoder.encode(["the cat"]), atol=1e-6)


def test_ids_without_a_row_count_as_zeros_in_other_libraries(tmp_path, rows):
    words = ["the", "cat"]
    Table(words, rows[:2]).save(tmp_path / "m")  # [UNK] has a row of zeros in the file, and none in the table
    encoder = Encoder(Table(words, rows[:2], tokenizer=(tmp_path / "m" / "tokenizer.json").read_text()))
    from sentence_transformers import SentenceTransformer

    sentence_transformers = SentenceTransformer(str(tmp_path / "m"), device="cpu")
    texts = ["the cat", "the dog", "dog"]
    for mode, expected in (
        ("sentence-transformers", sentence_transformers.encode(texts)),
        ("model2vec", StaticModel.from_pretrained(tmp_path / "m").encode(texts)),
        ("rowspace", np.stack([rows[:2].mean(axis=0), rows[0], np.zeros(20)])),
    ):
        np.testing.assert_allclose(both_ways(encoder, texts, mode=mode), expected, atol=1e-6)


@pytest.mark.parametrize(
    ("content", "error", "complaint"),
    [
        (
            '[{"type": "a.StaticEmbedding", "path": ""}, {"type": "a.Dense", "path": "1_Dense"}]',
            UsageError,
            "has a module 'Dense', which an encoder",
        ),
        ("{", FileFormatError, "modules.json: is not a list of modules"),
        ("[1]", FileFormatError, "modules.json: is not a list of modules"),
    ],
)
def test_other_modules_of_sentence_transformers_are_refused(tmp_path, table, content, error, complaint):
    table.save(tmp_path / "m", format="sentence-transformers")
    (tmp_path / "m" / "modules.json").write_text(content)
    with pytest.raises(error, match=complaint):
        Encoder.load(tmp_path / "m")
    assert Encoder.load(tmp_path / "m", mode="rowspace").encode("the").shape == (20,)


def test_an_id_without_a_row_is_zeros_if_no_token_is_unknown():
    tokenizer = Tokenizer(WordLevel({"a": 0, "b": 1, "c": 2, "d": 3}, unk_token="none"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    encoder = Encoder(Table(["a", "b"], np.eye(2), tokenizer=tokenizer.to_str()), mode="model2vec")
    assert both_ways(encoder, ["a c", "a d"]).tolist() == [[0.5, 0], [0.5, 0]]
    assert encoder.encode_ids([[0, 2], [0, 3]]).tolist() == [[0.5, 0], [0.5, 0]]


@pytest.mark.parametrize(("prompt", "width"), [("the cat: ", None), ("", 3), ("a dog ", 5)])
def test_the_default_prompt_and_the_cut_of_sentence_transformers(
    tmp_path, wordpiece, rows, static_embedding, prompt, width
):
    from sentence_transformers import SentenceTransformer

    module = static_embedding(wordpiece(), embedding_weights=rows)
    prompts = {"prompts": {"query": prompt, "document": ""}, "default_prompt_name": "query"} if prompt else {}
    SentenceTransformer(modules=[module], device="cpu", truncate_dim=width, **prompts).save(str(tmp_path / "m"))
    encoder = Encoder.load(tmp_path / "m")
    expected = SentenceTransformer(str(tmp_path / "m"), device="cpu").encode(TEXTS)
    assert expected.shape[1] == encoder.dim == (width or 20)
    np.testing.assert_allclose(both_ways(encoder), expected, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_ids(encoder.encode_tokens(TEXTS)), expected, atol=1e-6)
    np.testing.assert_allclose(encoder.token_rows("the dog sat").rows.mean(axis=0), encoder.encode("the dog sat"))
    assert encoder.token_rows("the cat").spans[-2:].tolist() == [[0, 3], [4, 7]]
    same = Encoder(load(tmp_path / "m"), mode="sentence-transformers")
    np.testing.assert_array_equal(same.encode(TEXTS), encoder.encode(TEXTS))
    encoder.table.save(tmp_path / "copy", format="sentence-transformers")
    np.testing.assert_allclose(
        SentenceTransformer(str(tmp_path / "copy"), device="cpu").encode(TEXTS), expected, atol=1e-6
    )
    before = encoder.fingerprint
    encoder.table.settings.pop("default_prompt", None)
    without = Encoder(encoder.table, mode="sentence-transformers")
    assert (without.fingerprint != before) == bool(prompt)


def test_a_cut_of_normalized_vectors_is_refused_until_their_length_is_named(tmp_path, table):
    table.settings["normalize"] = True
    table.save(tmp_path / "m", format="sentence-transformers")
    source = tmp_path / "m" / "config_sentence_transformers.json"
    source.write_text(json.dumps({"truncate_dim": 3, "prompts": {"query": "a ", "document": ""}}))
    with pytest.raises(UsageError, match="normalizes vectors and then cuts them to 3 columns; give normalize=True"):
        Encoder.load(tmp_path / "m")
    assert np.linalg.norm(Encoder.load(tmp_path / "m", normalize=True).encode("the")) == pytest.approx(1)
    source.write_text(json.dumps({"truncate_dim": None, "prompts": {"query": "a "}, "default_prompt_name": None}))
    np.testing.assert_array_equal(
        Encoder.load(tmp_path / "m").encode("the"), Encoder(table, normalize=True).encode("the")
    )
    source.write_text('{"prompts": {"query": 3}}')
    with pytest.raises(FileFormatError, match=r"config_sentence_transformers.json: prompts are not texts"):
        Encoder.load(tmp_path / "m")


def test_the_rows_of_a_contextual_model_need_a_mode(tmp_path, table):
    contextual = Table(table.vocabulary, table.rows, tokenizer=table.tokenizer, settings={"contextual": True})
    contextual.save(tmp_path / "rows")
    for opened in (lambda: Encoder(contextual), lambda: Encoder.load(tmp_path / "rows")):
        with pytest.raises(UsageError, match="the rows of this model's tokens are not its vectors"):
            opened()
    for encoder in (Encoder(contextual, mode="rowspace"), Encoder.load(tmp_path / "rows", mode="rowspace")):
        np.testing.assert_array_equal(encoder.encode(TEXTS), Encoder(table).encode(TEXTS))
