"""Tiny models in the file layouts of other libraries."""

import json

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer, models, pre_tokenizers


@pytest.fixture(scope="session")
def words():
    return ["[UNK]", "cat", "né", "한국"]


@pytest.fixture(scope="session")
def rows():
    return np.array([[0, 0, 0], [0.1, -1.25, 3], [np.pi, 1e-5, 7], [1 / 3, 65504, -2]], np.float32)


@pytest.fixture(scope="session")
def tokenizer_of(words):
    """`tokenizer_of()` makes a word-level tokenizer; ids are positions in `words` unless given."""

    def make(ids=range(4)):
        tokenizer = Tokenizer(models.WordLevel(dict(zip(words, ids, strict=False)), unk_token="[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        return tokenizer

    return make


@pytest.fixture
def folder_of(tmp_path, tokenizer_of):
    """`folder_of(tensors)` writes the tensors with the safetensors library, next to a tokenizer.json."""

    def make(tensors, *, ids=range(4), config=None, file="model.safetensors"):
        folder = tmp_path / "model"
        folder.mkdir()
        save_file(tensors, folder / file)
        tokenizer_of(ids).save(str(folder / "tokenizer.json"))
        if config is not None:
            (folder / "config.json").write_text(json.dumps(config))
        return folder

    return make
