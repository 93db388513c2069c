"""The teacher's folder, its pooling and its vectors, compared with sentence-transformers."""

import json
import shutil

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Pooling, Transformer
from transformers import T5Config, T5ForConditionalGeneration

from rowspace.errors import FileFormatError, UsageError
from rowspace.learn.distillation.teacher import open_teacher

TEXTS = ["the cat", "a", "redly new york the dog sat on the mat"]


@pytest.mark.parametrize(
    ("theirs", "ours"), [("mean", "mean"), ("cls", "first"), ("lasttoken", "last"), ("max", "max")]
)
def test_vectors_are_those_of_sentence_transformers(bert, tmp_path, assert_close, theirs, ours):
    model = SentenceTransformer(modules=[Transformer(str(bert)), Pooling(24, theirs)], device="cpu")
    model.save(str(tmp_path / "encoder"))
    teacher = open_teacher(tmp_path / "encoder")
    assert (teacher.pooling, teacher.normalizes, teacher.dim, teacher.max_length) == (ours, False, 24, 16)
    ids = [model.tokenizer(text)["input_ids"] for text in TEXTS]
    assert_close(teacher.vectors(ids), model.encode(TEXTS))


def test_transformer_in_a_subfolder(bert, encoder, tmp_path):
    folder = tmp_path / "old"
    folder.mkdir()
    shutil.copytree(bert, folder / "0_Transformer")
    modules = [{"idx": 0, "name": "0", "path": "0_Transformer", "type": "sentence_transformers.models.Transformer"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    ids = [[3, 6, 4]]
    np.testing.assert_array_equal(open_teacher(folder).vectors(ids), open_teacher(bert).vectors(ids))


def test_only_the_encoder_of_an_encoder_and_decoder_is_used(bert, tmp_path, assert_close):
    sizes = {"d_model": 16, "d_ff": 16, "num_layers": 1, "num_heads": 2, "d_kv": 8}
    model = T5ForConditionalGeneration(T5Config(vocab_size=80, **sizes)).eval()
    model.save_pretrained(tmp_path)
    for path in bert.glob("tokenizer*"):
        shutil.copy(path, tmp_path)
    ids = torch.tensor([[5, 6, 7, 1]])
    with torch.no_grad():
        expected = model.encoder(input_ids=ids).last_hidden_state[0].mean(0)
    assert_close(open_teacher(tmp_path).vectors(ids.tolist())[0], expected)


def test_modules_that_cannot_be_distilled(bert, tmp_path):
    modules = [Transformer(str(bert)), Pooling(24, "mean"), Dense(24, 8)]
    SentenceTransformer(modules=modules, device="cpu").save(str(tmp_path / "dense"))
    with pytest.raises(
        FileFormatError, match=r"the modules 'Dense' cannot be computed; rowspace distill --pooling mean takes"
    ):
        open_teacher(tmp_path / "dense")
    assert open_teacher(tmp_path / "dense", pooling="max").pooling == "max"
    pooling = Pooling(24, ("mean", "max"))
    SentenceTransformer(modules=[modules[0], pooling], device="cpu").save(str(tmp_path / "two"))
    with pytest.raises(
        FileFormatError, match="pooling 'max', 'mean' cannot be computed; rowspace distill --pooling mean, first"
    ):
        open_teacher(tmp_path / "two")


def test_code_of_the_folder_is_not_run_without_a_prompt(bert, tmp_path):
    folder = shutil.copytree(bert, tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "mine", "auto_map": {"AutoConfig": "mine.Config", "AutoModel": "mine.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Config: ...\nclass Model: ...\n")
    with pytest.raises(FileFormatError, match="does not open as a model of transformers"):
        open_teacher(folder)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("content", ["{", "[1]", '[{"type": "x"}]', "3", "[" * 100_000])
def test_damaged_list_of_modules(bert, tmp_path, content):
    folder = shutil.copytree(bert, tmp_path / "damaged")
    (folder / "modules.json").write_text(content)
    with pytest.raises(FileFormatError, match=r"modules\.json: is not a list of modules with a type and a path"):
        open_teacher(folder)


def test_missing_files_are_named(bert, tmp_path):
    with pytest.raises(UsageError, match="there is no folder"):
        open_teacher(tmp_path / "missing")
    with pytest.raises(UsageError, match=r"has no config\.json"):
        open_teacher(tmp_path)
    folder = shutil.copytree(bert, tmp_path / "model")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(FileFormatError, match=r"tokenizer\.json: missing; write it with transformers"):
        open_teacher(folder)
    (folder / "modules.json").write_text("[]")
    with pytest.raises(FileFormatError, match="the first module is not a Transformer"):
        open_teacher(folder)


def test_weights_as_pickle_are_refused(bert, tmp_path):
    folder = shutil.copytree(bert, tmp_path / "pickle")
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    with pytest.raises(FileFormatError, match="does not open as a model of transformers"):
        open_teacher(folder)


def test_codes_that_transformers_takes_for_weights_are_refused(bert, tmp_path):
    shutil.copytree(bert, tmp_path / "m")
    tensors = load_file(bert / "model.safetensors")
    name = next(name for name in tensors if name.endswith("word_embeddings.weight"))
    scale = tensors[name].abs().amax(1)
    codes = (tensors[name] / scale[:, None] * 127).round().to(torch.int8)
    tensors |= {name: codes, name.replace("weight", "SCB"): scale}
    save_file(tensors, tmp_path / "m" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(FileFormatError, match=r"codes of a quantized model \('.*embeddings.weight'\), but its config"):
        open_teacher(tmp_path / "m")


def test_missing_weights_are_refused_which_would_be_random(bert, tmp_path):
    shutil.copytree(bert, tmp_path / "m")
    tensors = load_file(bert / "model.safetensors")
    kept = {name: tensor for name, tensor in tensors.items() if not name.endswith("word_embeddings.weight")}
    save_file(kept, tmp_path / "m" / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(FileFormatError, match=r"no weights for '.*word_embeddings.weight', which would be random"):
        open_teacher(tmp_path / "m")
