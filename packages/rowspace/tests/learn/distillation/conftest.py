"""A small BERT as folders of transformers and sentence-transformers, and model2vec's computation of rows."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from tests.learn.distillation.small_bert import DIM, save_bert


@pytest.fixture(scope="session")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder of transformers."""
    folder = tmp_path_factory.mktemp("models") / "bert"
    save_bert(folder)
    return folder


@pytest.fixture(scope="session")
def encoder(bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a folder of sentence-transformers, with mean pooling and normalization."""
    folder = tmp_path_factory.mktemp("models") / "encoder"
    transformer = Transformer(str(bert))
    SentenceTransformer(modules=[transformer, Pooling(DIM, "mean"), Normalize()], device="cpu").save(str(folder))
    return folder


@pytest.fixture(scope="session")
def peer() -> ModuleType:
    """model2vec's module that computes rows; its package `distill` needs skeletoken, which is not installed."""
    found = importlib.util.find_spec("model2vec")
    assert found is not None
    path = Path(str(found.origin)).with_name("distill") / "inference.py"
    spec = importlib.util.spec_from_file_location("model2vec_inference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
