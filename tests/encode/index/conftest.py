"""The files of `samples.py`, and an encoder for them."""

import pytest
from tests.encode.index.samples import make_table, write_files

from rowspace.encode import Encoder
from rowspace.encode.index import Index


@pytest.fixture
def folder(tmp_path):
    return write_files(tmp_path / "files")


@pytest.fixture(scope="session")
def encoder():
    return Encoder(make_table())


@pytest.fixture
def index(folder, encoder, tmp_path):
    return Index.build(folder, encoder, tmp_path / "index")
