"""Indexes whose passages a sentence encoder has read."""

import signal
import subprocess
import sys

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from tests.learn.distillation.small_bert import DIM, save_bert
from tests.search.samples import FILES, contents, write_files

from rowspace.encode import ContextualEncoder, Encoder
from rowspace.errors import UsageError
from rowspace.search import Index, IndexOptions

KILLED = """
import os, signal, sys
from rowspace.encode import ContextualEncoder
from rowspace.search import Index, IndexOptions, writer
writer._SLOW_BATCH = 50
calls, encode = [], ContextualEncoder.encode
def stop(self, texts, **purpose):
    calls.append(texts)
    if len(calls) == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    return encode(self, texts, **purpose)
ContextualEncoder.encode = stop
Index.build(*sys.argv[1:])
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """The folder of a model with a prompt for queries and another one for passages."""
    folder = tmp_path_factory.mktemp("models")
    save_bert(folder / "bert")
    modules = [Transformer(str(folder / "bert")), Pooling(DIM, "mean")]
    prompts = {"query": "the cat ", "document": "a dog "}
    SentenceTransformer(modules=modules, prompts=prompts, device="cpu").save(str(folder / "model"))
    return folder / "model"


def test_an_index_remembers_its_encoder_and_ranks_by_its_vectors(folder, model, tmp_path, assert_close):
    Index.build(folder, model, tmp_path / "index")
    index, peer = Index.open(tmp_path / "index"), SentenceTransformer(str(model), device="cpu")
    query = peer.encode_query("bulbs in spring")
    assert_close(index.query_vector("bulbs in spring"), query / np.linalg.norm(query))
    found = index.vectors()
    order = np.argsort(-(found.vectors @ index.query_vector("bulbs in spring")))
    assert [hit.path for hit in index.search("bulbs in spring", mode="dense")] == [found.paths[row] for row in order]
    (folder / "garden.txt").write_text("Tulips grow.\n")
    assert (index.update().changed, len(index)) == (1, 5)
    with pytest.raises(UsageError, match="a sentence encoder made the vectors, in which words have no shares"):
        index.evidence("tulips", index.search("tulips"))


def test_an_encoder_that_has_changed_or_is_missing_is_named(folder, model, tmp_path):
    moved = tmp_path / "moved"
    model.rename(moved)
    try:
        Index.build(folder, moved, tmp_path / "index")
    finally:
        moved.rename(model)
    with pytest.raises(UsageError, match=r"there is no file or folder '.*moved'; check the path"):
        Index.open(tmp_path / "index").search("tulips")
    assert Index.open(tmp_path / "index", model).search("tulips")
    with pytest.raises(UsageError, match=r"made with another table \(.*moved\), so vectors cannot be compared"):
        Index.open(tmp_path / "index", Encoder.load(model, mode="contextual", dim=4))


def test_passages_are_committed_in_batches_of_some_seconds(model, tmp_path, monkeypatch):
    write_files(tmp_path / "many", {f"{number}.txt": f"{number} new york " * 90 for number in range(50)})
    sizes, encode = [], ContextualEncoder.encode

    def listen(self, texts, **purpose):
        sizes.append(len(texts))
        return encode(self, texts, **purpose)

    monkeypatch.setattr(ContextualEncoder, "encode", listen)
    index = Index.build(tmp_path / "many", model, tmp_path / "index")
    assert len(index.files()) == 50
    assert max(sizes) <= 80  # texts and titles of some 40 passages


@pytest.mark.long
def test_a_killed_build_is_completed_without_encoding_its_passages_again(folder, model, tmp_path, monkeypatch):
    write_files(folder, {f"more/{number}.txt": f"{content}\n{number}" for number, content in enumerate(FILES.values())})
    whole = Index.build(folder, model, tmp_path / "whole")
    child = subprocess.run([sys.executable, "-c", KILLED, folder, model, tmp_path / "index"], check=False)
    assert child.returncode == -signal.SIGKILL
    index, encoded = Index.open(tmp_path / "index", model), []
    done = set(index.files())
    assert 0 < len(done) < len(whole.files())
    encoder = index._queries.encoder()
    encode = type(encoder).encode

    def listen(self, texts, **purpose):
        encoded.extend(texts)
        return encode(self, texts, **purpose)

    monkeypatch.setattr(type(encoder), "encode", listen)
    assert index.update().unchanged == len(done)
    assert not any(row["text"] in encoded for row in contents(whole) if row["path"] in done)
    for ours, theirs in zip(contents(index), contents(whole), strict=True):
        np.testing.assert_allclose(ours.pop("vector"), theirs.pop("vector"), atol=1e-6)
        assert ours == theirs


def test_records(model, tmp_path):
    records = [{"id": "a", "text": "a red cat"}, {"id": "b", "text": "new york", "year": 3}]
    index = Index.build_records(records, model, tmp_path / "index", options=IndexOptions(max_chars=200))
    assert [hit.id for hit in index.search("york", where="year=3")] == ["b"]
