"""What folders of sentence encoders say of themselves."""

import json
import shutil

import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tests.learn.distillation.small_bert import DIM, save_bert

from rowspace.contextual.pipeline import read_pipeline
from rowspace.errors import FileFormatError


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    save_bert(folder / "bert")
    modules = [Transformer(str(folder / "bert")), Pooling(DIM, "mean"), Normalize()]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder / "encoder"))
    return folder / "encoder"


def test_names_of_poolings_before_version_5(encoder, tmp_path):
    folder = shutil.copytree(encoder, tmp_path / "encoder")
    (pooling,) = folder.glob("*_Pooling")
    (pooling / "config.json").write_text(
        json.dumps({"word_embedding_dimension": 24, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    )
    found = read_pipeline(folder)
    assert (found.transformer, found.pooling, found.normalizes) == (folder, "first", True)


def test_prompts_that_are_not_texts(encoder, tmp_path):
    folder = shutil.copytree(encoder, tmp_path / "encoder")
    (folder / "config_sentence_transformers.json").write_text('{"prompts": {"query": 3}}')
    with pytest.raises(FileFormatError, match=r"config_sentence_transformers\.json: prompts are not texts"):
        read_pipeline(folder)
