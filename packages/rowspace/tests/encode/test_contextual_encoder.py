"""Vectors of sentence encoders, compared with those of sentence-transformers, and the check that tables get."""

import json
import pickle
import shutil

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Normalize, Pooling, Transformer
from tests.bert_of_words import save_roberta_of_words
from tests.learn.distillation.small_bert import DIM, save_bert
from torch.nn.modules.module import register_module_forward_pre_hook

from rowspace.encode import ContextualEncoder, Encoder, encode_to
from rowspace.errors import FileFormatError, UsageError
from rowspace.learn.default_table import encoder_folder
from rowspace.store import load as load_table

TEXTS = ["the cat", "", "a", "Redly NEW york, the dog sat on the mat" * 3, "東京 ☃", "[SEP] cat", "the  cat\n"]
STEPS = {
    "mean": lambda: [Pooling(DIM, "mean")],
    "first, normalized": lambda: [Pooling(DIM, "cls"), Normalize()],
    "max": lambda: [Pooling(DIM, "max")],
    "last": lambda: [Pooling(DIM, "lasttoken")],
    "dense": lambda: [Pooling(DIM, "mean"), Dense(DIM, 8), Normalize()],
    "dense of another kind": lambda: [
        Pooling(DIM, "mean"),
        Dense(DIM, 40, bias=False, activation_function=torch.nn.Identity()),
    ],
}


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "bert"
    save_bert(folder)
    return folder


@pytest.fixture
def saved(bert, tmp_path):
    """`saved(modules, **options)` saves and returns a model of sentence-transformers."""

    def save(modules, **options):
        model = SentenceTransformer(modules=[Transformer(str(bert)), *modules], device="cpu", **options)
        model.save(str(tmp_path / "model"))
        return model

    return save


def load(path, **options):
    return Encoder.load(path, mode="contextual", **options)


@pytest.mark.parametrize("steps", STEPS)
def test_vectors_are_those_of_sentence_transformers(saved, tmp_path, assert_close, steps):
    model = saved(STEPS[steps]())
    encoder = load(tmp_path / "model")
    assert_close(encoder.encode(TEXTS), model.encode(TEXTS))
    assert_close(encoder.encode("the cat"), model.encode("the cat"))
    assert encoder.encode(TEXTS).shape == (len(TEXTS), encoder.dim)
    for options in ({"dim": 5}, {"dim": 5, "normalize": True}):
        theirs = model.encode(TEXTS, truncate_dim=5, normalize_embeddings="normalize" in options)
        assert_close(load(tmp_path / "model", **options).encode(TEXTS), theirs)


def test_the_real_encoder_gives_the_vectors_of_sentence_transformers():
    model, encoder = SentenceTransformer(str(encoder_folder()), device="cpu"), load(encoder_folder())
    texts = ["open a file", "한국어", "", "x" * 3000, "def f(x):\n    return x + 1\n" * 90]
    theirs = model.encode(texts)
    np.testing.assert_allclose(encoder.encode(texts), theirs, atol=1e-5)
    np.testing.assert_allclose(load(encoder_folder(), dim=64, dtype="float16").encode(texts), theirs[:, :64], atol=1e-3)
    assert (encoder.dim, encoder.report.texts, encoder.encode([]).shape) == (384, len(texts), (0, 384))


def test_the_rows_of_a_sentence_encoder_are_not_taken_for_its_vectors():
    with pytest.raises(UsageError, match=r"not its vectors, which depend on the context; make a table of the model"):
        Encoder(load_table(encoder_folder()))


def test_prompts_and_purposes(saved, tmp_path, assert_close):
    prompts = {"query": "the dog sat ", "passage": "new ", "plain": "a "}
    model = saved([Pooling(DIM, "mean")], prompts=prompts, default_prompt_name="plain")
    encoder = load(tmp_path / "model")
    assert_close(encoder.encode(TEXTS), model.encode(TEXTS))
    assert_close(encoder.encode(TEXTS, purpose="query"), model.encode_query(TEXTS))
    passages = model.encode(TEXTS, prompt=prompts["passage"])  # not the empty prompt "document", added when it is saved
    assert_close(encoder.encode(TEXTS, purpose="document"), passages)
    with pytest.raises(UsageError, match="purpose must be query or document, not 'plain'"):
        encoder.encode(TEXTS, purpose="plain")


def test_vectors_are_cut_as_the_folder_says(saved, tmp_path, assert_close):
    saved([Pooling(DIM, "mean"), Normalize()])
    source = tmp_path / "model" / "config_sentence_transformers.json"
    source.write_text(json.dumps(json.loads(source.read_text()) | {"truncate_dim": 3}))
    encoder = load(tmp_path / "model")
    assert_close(encoder.encode(TEXTS), SentenceTransformer(str(tmp_path / "model"), device="cpu").encode(TEXTS))
    assert (encoder.dim, load(tmp_path / "model", dim=4).dim) == (3, 4)


def test_length_and_case_are_those_of_the_folder(saved, tmp_path, assert_close):
    model = saved([Pooling(DIM, "mean")])
    source = tmp_path / "model" / "sentence_bert_config.json"
    source.write_text(json.dumps({"max_seq_length": 6, "do_lower_case": True}))
    config = json.loads((tmp_path / "model" / "tokenizer_config.json").read_text())
    (tmp_path / "model" / "tokenizer_config.json").write_text(json.dumps(config | {"do_lower_case": False}))
    model = SentenceTransformer(str(tmp_path / "model"), device="cpu")
    encoder = load(tmp_path / "model")
    assert_close(encoder.encode(TEXTS), model.encode(TEXTS))
    assert encoder.encode_and_count(TEXTS)[1].tolist() == [4, 2, 3, 6, 5, 4, 4]
    with pytest.raises(UsageError, match="texts must be a list of texts, not str"):
        encoder.encode_and_count("the cat")
    model.max_seq_length = 4
    assert_close(load(tmp_path / "model", max_tokens=4).encode(TEXTS), model.encode(TEXTS))
    with pytest.raises(UsageError, match="max_tokens must be at most the model's 16, not 17"):
        load(tmp_path / "model", max_tokens=17)


def test_roberta_reads_fewer_ids_than_it_has_positions(tmp_path):
    save_roberta_of_words(tmp_path, ["a", "pad", "b"])
    for max_tokens in (None, 0, 10):
        encoder = load(tmp_path, max_tokens=max_tokens)
        assert encoder.encode_and_count(["a b " * 20, "b"])[1].tolist() == [10, 1]
    with pytest.raises(UsageError, match="max_tokens must be at most the model's 10, not 12"):
        load(tmp_path, max_tokens=12)


def test_batches_are_formed_by_length_and_change_nothing(saved, tmp_path, assert_close, monkeypatch):
    saved([Pooling(DIM, "mean"), Normalize()])
    encoder = load(tmp_path / "model")
    whole = encoder.encode(TEXTS * 3)
    monkeypatch.setattr("rowspace.encode.contextual_encoder.TOKENS_PER_BATCH", 8)
    monkeypatch.setattr(ContextualEncoder, "texts_at_once", 4)
    assert_close(encoder.encode(TEXTS * 3), whole)


def test_ids_of_texts(saved, tmp_path, assert_close):
    model = saved([Pooling(DIM, "mean")])
    encoder = load(tmp_path / "model")
    ids = [model.tokenizer(text)["input_ids"] for text in TEXTS]
    assert_close(encoder.encode_ids([*ids[:3], []]), np.concatenate([model.encode(TEXTS[:3]), np.zeros((1, DIM))]))
    with pytest.raises(UsageError, match="id 72 is not one of the model's 72; check the tokenizer"):
        encoder.encode_ids([[encoder.num_embeddings]])


def test_known_tokens(saved, tmp_path):
    saved([Pooling(DIM, "mean")])
    assert load(tmp_path / "model").known_spans("cat ☃ 東").tolist() == [[0, 3], [6, 7]]


def test_fingerprint_depends_on_files_and_options(saved, tmp_path):
    saved([Pooling(DIM, "mean")])
    folder = shutil.copytree(tmp_path / "model", tmp_path / "copy")
    first = load(tmp_path / "model").fingerprint
    assert load(folder, workers=1).fingerprint == first
    assert load(folder, dim=3).fingerprint != first
    (folder / "README.md").write_text("other")
    assert load(folder).fingerprint == first
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 6}')
    assert load(folder).fingerprint != first


def test_workers_are_the_threads_of_torch_only_while_it_encodes(saved, tmp_path):
    saved([Pooling(DIM, "mean")])
    encoder, before, during = load(tmp_path / "model", workers=3), torch.get_num_threads(), set()
    hook = register_module_forward_pre_hook(lambda *_: during.add(torch.get_num_threads()))
    encoder.encode(["cat"])
    hook.remove()
    assert (during, torch.get_num_threads()) == ({3}, before)


def test_an_encoder_pickles_and_streams(saved, tmp_path, assert_close):
    saved([Pooling(DIM, "mean")])
    encoder = load(tmp_path / "model", dim=4)
    assert_close(pickle.loads(pickle.dumps(encoder)).encode(TEXTS), encoder.encode(TEXTS))
    result = encode_to(encoder, iter(TEXTS), tmp_path / "vectors.npy")
    assert_close(np.load(result.path), encoder.encode(TEXTS))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"pooling": "max"}, "mode 'contextual' pools as the model's folder says; leave out pooling and sif_a"),
        ({"dim": 25}, "dim must be at most the model's 24, not 25"),
    ],
)
def test_options_that_do_not_fit(saved, tmp_path, options, complaint):
    saved([Pooling(DIM, "mean")])
    with pytest.raises(UsageError, match=complaint):
        load(tmp_path / "model", **options)


@pytest.mark.parametrize("name", ["mine.Tanh", "torch.nn.modules.linear.Linear", "torch.nn.modules.functional"])
def test_activations_that_are_not_known(saved, tmp_path, name):
    saved([Pooling(DIM, "mean"), Dense(DIM, 8)])
    (config,) = (tmp_path / "model").glob("*_Dense/config.json")
    config.write_text(config.read_text().replace("torch.nn.modules.activation.Tanh", name))
    with pytest.raises(FileFormatError, match=f"activation '{name}', or a residual, is not known"):
        load(tmp_path / "model")


def test_rows_are_not_taken_for_vectors_unless_they_are_asked_for(saved, bert, tmp_path):
    saved([Pooling(DIM, "mean")])
    complaint = (
        r"the rows of this model's tokens are not its vectors.* with rowspace distill .*, or run it with "
        r"mode='contextual' \(--mode contextual\)"
    )
    for folder in (bert, tmp_path / "model", encoder_folder()):
        with pytest.raises(UsageError, match=complaint):
            Encoder.load(folder)
    assert Encoder.load(bert, mode="rowspace").encode("the cat").shape == (DIM,)
    with pytest.raises(UsageError, match="mode 'contextual' runs a model, not a table; open its folder with"):
        Encoder(Encoder.load(bert, mode="rowspace").table, mode="contextual")
    with pytest.raises(UsageError, match="but there is no folder 'nothing'; check the path"):
        load("nothing")
