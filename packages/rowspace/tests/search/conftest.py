"""The files of `samples.py`, and an encoder for them."""

import numpy as np
import pytest
from tests.search.samples import make_table, write_files
from tokenizers import Tokenizer, models, pre_tokenizers

from rowspace.encode import Encoder
from rowspace.search import Index
from rowspace.table import Table


@pytest.fixture
def folder(tmp_path):
    return write_files(tmp_path / "files")


@pytest.fixture(scope="session")
def encoder():
    return Encoder(make_table())


@pytest.fixture
def index(folder, encoder, tmp_path):
    return Index.build(folder, encoder, tmp_path / "index")


@pytest.fixture(scope="session")
def wordpieces():
    """An encoder that cuts "sitting" into pieces."""
    words = ["[UNK]", "cat", "sit", "##ting", ","]
    tokenizer = Tokenizer(models.WordPiece(dict(zip(words, range(len(words)), strict=True)), unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    rows = np.random.default_rng(0).standard_normal((len(words), 8)).astype(np.float32)
    return Encoder(Table(words, rows, tokenizer=tokenizer.to_str()))
