"""The workbench's table of English words, held against words that were expected before it was learned."""

from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from rowspace.encode import Encoder
from rowspace.text import Tokenizer
from rowspace_lab.app import make_app
from rowspace_lab.server.reply import decode
from rowspace_lab.tables.english import ENGLISH, english_table

PROBES = (Path(__file__).parent / "english_probes.tsv").read_text().splitlines()


def test_words_expected_before_it_was_learned_are_among_the_nearest() -> None:
    table = english_table()
    found: list[bool] = []
    for line in (line for line in PROBES if not line.startswith("#")):
        words, expected = (part.split() for part in line.split("\t"))
        answers = table.neighbors(words[0], k=5) if len(words) == 1 else table.analogy(*words, k=5)
        found.append(any(token in expected for token, _ in answers))
    assert len(found) == 60
    assert sum(found) >= 55  # of which chance would find none; 45 is the least that a first table should know


def test_texts_have_ids_and_vectors() -> None:
    table = english_table()
    assert (
        Tokenizer.of_table(table).encode("The king's dog, it's old.").tolist()
        == table.ids(["the", "king's", "dog", "it's", "old"]).tolist()
    )
    dog, wolf, law = Encoder(table).encode(["an old dog", "a young wolf", "the court of law"])
    assert dog @ wolf > dog @ law


def test_stored_map_is_that_of_the_code() -> None:
    with TestClient(make_app(ENGLISH.open())) as client:
        reply = decode(client.get("/api/words/stored-umap").content)
        assert decode(client.get("/api/words/pca").content).meta["umap"] == "stored"
    found: dict[str, Any] = {}
    exec(reply.meta["code"], found)
    np.testing.assert_array_equal(reply.arrays["positions"], found["positions"])
    assert reply.meta["preserved"] > 50 * reply.meta["by_chance"]


def test_file_is_small_and_has_counts() -> None:
    assert files("rowspace_lab.tables").joinpath("english.npz").stat().st_size <= 1_500_000
    table = english_table()
    counts = table.counts
    assert counts is not None
    assert counts.min() >= 50
    assert counts[table.id("the")] == counts.max()
