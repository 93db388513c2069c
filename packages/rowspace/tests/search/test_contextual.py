"""Indexes whose passages a sentence encoder has read."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import numpy as np
import pytest
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from tests.learn.distillation.small_bert import DIM, save_bert
from tests.search.samples import FILES, contents, make_table, write_files

from rowspace.encode import ContextualEncoder, Encoder
from rowspace.errors import UsageError
from rowspace.search import Index, IndexOptions


def make_encoder():
    return Encoder(make_table())


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
    with pytest.raises(UsageError, match=r"the table or model that made the index, \S*moved, is missing; put it back"):
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


def test_a_reranker_gives_the_scores_of_an_index_of_its_own(folder, model, tmp_path, cache):
    files = {f"more/{name}": f"{content}\nnew york {name}" for name, content in FILES.items()}
    write_files(folder, files | {"none.txt": "zzz"})
    Index.build(folder, make_encoder(), tmp_path / "static")
    whole = Index.build(folder, model, tmp_path / "whole")
    index = Index.open(tmp_path / "static", make_encoder(), reranker=model)
    for query in ("bulbs in spring", "new york", "parse_header", "split a header"):
        expected = {hit.path: hit for hit in whole.search(query)}
        hits = index.search(query)
        assert len(hits) > 1
        for hit in hits:
            assert hit.score == pytest.approx(expected[hit.path].score, abs=1e-5)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    plain = Index.open(tmp_path / "static", make_encoder())
    assert plain.search("bulbs in spring") != index.search("bulbs in spring")
    for mode in ("dense", "lexical"):
        assert index.search("new york", mode=mode) == plain.search("new york", mode=mode)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """The file in which rerankers keep vectors."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rowspace" / "reranked.sqlite"


@pytest.fixture
def read(monkeypatch):
    """The texts that sentence encoders read, in order."""
    texts, encode = [], ContextualEncoder.encode

    def listen(self, some, **purpose):
        texts.extend(some)
        return encode(self, some, **purpose)

    monkeypatch.setattr(ContextualEncoder, "encode", listen)
    return texts


def test_a_reranker_reads_a_passage_once_and_again_when_it_has_changed(folder, model, tmp_path, cache, read):
    Index.build(folder, make_encoder(), tmp_path / "index")
    first = Index.open(tmp_path / "index", make_encoder(), reranker=model).search("tulips")
    assert any("Tulips" in text for text in read)
    read.clear()
    index = Index.open(tmp_path / "index", make_encoder(), reranker=model)
    assert index.search("tulips") == first
    assert read == ["tulips"]
    (folder / "garden.txt").write_text("Tulips grow.\n")
    index.update()
    index.search("tulips")
    assert [text for text in read if "Tulips" in text] == ["Tulips grow."]
    cut = Encoder.load(model, mode="contextual", dim=8)
    assert Index.open(tmp_path / "index", make_encoder(), reranker=cut).search("tulips") != first


def test_a_cache_of_a_reranker_is_bounded_and_replaced_when_it_is_damaged(folder, model, tmp_path, cache, monkeypatch):
    monkeypatch.setattr("rowspace.search.ranking.reranker._MOST_BYTES", 2 * 4 * DIM)
    Index.build(folder, make_encoder(), tmp_path / "index")
    index = Index.open(tmp_path / "index", make_encoder(), reranker=model)
    first = index.search("tulips bulbs install")
    with closing(sqlite3.connect(cache)) as stored:
        assert stored.execute("SELECT count(*) FROM vectors").fetchone() == (2,)
    with closing(sqlite3.connect(cache)) as stored, stored:
        stored.execute("UPDATE vectors SET vector = zeroblob(length(vector))")
    assert index.search("tulips bulbs install") == first
    cache.write_bytes(b"no database" * 1000)
    for _ in range(2):
        assert index.search("tulips bulbs install") == first
    with closing(sqlite3.connect(cache)) as stored:
        assert stored.execute("SELECT count(*) FROM vectors").fetchone() == (2,)


def test_a_reranker_of_integers_is_refused(folder, model, tmp_path):
    Index.build(folder, make_encoder(), tmp_path / "index")
    with pytest.raises(UsageError, match="a reranker needs vectors of float32 or float16"):
        Index.open(tmp_path / "index", reranker=Encoder.load(model, mode="contextual", dtype="int8"))
