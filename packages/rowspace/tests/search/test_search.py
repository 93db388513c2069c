"""Queries → passages, compared with NumPy, the formula of BM25, and LanceDB."""

import math
import os
import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import lancedb
import numpy as np
import pytest
from tests.search.samples import FILES, contents, write_files

from rowspace.errors import UsageError
from rowspace.search import Hit, Index, IndexOptions
from rowspace.search.search import fuse_ranks
from rowspace.search.vectors import unit_vectors


def locations(hits, folder):
    return [(os.path.relpath(hit.path, folder), hit.first_line) for hit in hits]


def test_each_passage_is_found_with_its_lines(index, folder):
    assert sorted(index.files()) == sorted(str(folder / name) for name in FILES)
    for query, expected in {
        "Tulips grow bulbs spring": ("garden.txt", 1),
        "Install package pip": ("guide.md", 1),
        "parse_header colon": ("src/parse.py", 1),
        "Plant autumn": ("page.html", 1),
    }.items():
        for mode in ("hybrid", "dense", "lexical"):
            assert locations(index.search(query, k=1, mode=mode), folder) == [expected], (query, mode)


def test_dense_equals_numpy(index, encoder):
    rows = contents(index)
    vectors = unit_vectors(
        encoder.encode([f"{row['name']}\n{row['text']}" if row["name"] else row["text"] for row in rows])
    )
    assert np.allclose(vectors, [row["vector"] for row in rows], atol=1e-6)
    query = unit_vectors(encoder.encode(["Tulips need water"]))[0]
    expected = sorted(zip(vectors @ query, [row["path"] for row in rows], strict=True), reverse=True)
    hits = index.search("Tulips need water", k=len(rows), mode="dense")
    assert [hit.path for hit in hits] == [path for _, path in expected]
    assert np.allclose([hit.score for hit in hits], [score for score, _ in expected], atol=1e-5)
    assert [hit.dense_rank for hit in hits] == list(range(1, len(rows) + 1))
    assert {hit.lexical_rank for hit in hits} == {None}


def test_lexical_scores_are_bm25(tmp_path, encoder):
    # Robertson & Zaragoza (2009) with k1 = 1.2, b = 0.75; words that no stemmer changes and that are no stop words
    texts = ["red blue", "red red red green", "green blue blue black gray", "black", "gray gold red blue black"]
    write_files(tmp_path / "f", {f"{number}.txt": text for number, text in enumerate(texts)})
    index = Index.build(tmp_path / "f", encoder, tmp_path / "index")
    documents = [Counter(text.split()) for text in texts]
    mean = sum(sum(document.values()) for document in documents) / len(documents)

    def bm25(document, query):
        score = 0.0
        for word in query.split():
            found = sum(word in each for each in documents)
            idf = math.log(1 + (len(documents) - found + 0.5) / (found + 0.5))
            frequency, length = document[word], sum(document.values())
            score += idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / mean))
        return score

    for query in ("red", "blue black", "gold green"):
        expected = {f"{n}.txt": bm25(each, query) for n, each in enumerate(documents) if bm25(each, query)}
        found = {Path(hit.path).name: hit.score for hit in index.search(query, mode="lexical")}
        assert found == pytest.approx(expected, rel=1e-3), query


def test_hybrid_joins_the_ranks(index):
    hits = index.search("bulbs in autumn")
    for hit in hits:
        ranks = [rank for rank in (hit.dense_rank, hit.lexical_rank) if rank]
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert fuse_ranks({("a", 0): 3}, {("a", 0): 3, ("b", 1): 1}) == {("a", 0): 2 / 63, ("b", 1): 1 / 61}


def test_path_patterns(index, folder):
    def paths(pattern):
        return sorted(
            {os.path.relpath(hit.path, folder) for hit in index.search("bulbs", k=50, path=pattern, mode="dense")}
        )

    for pattern, expected in {
        "*.md": ["guide.md"],
        "src": ["src/deep/run.js", "src/parse.py"],
        "src/": ["src/deep/run.js", "src/parse.py"],
        "src/*.py": ["src/parse.py"],
        "./src/*.py": ["src/parse.py"],
        "files/**/*.js": ["src/deep/run.js"],
        "g*": ["garden.txt", "guide.md"],
        f"{folder}/src/**": ["src/deep/run.js", "src/parse.py"],
        "it's": [],
        "[z-a]*": [],
        "[[:alpha:]]*.md": ["guide.md"],
        "*a" * 12: [],
    }.items():
        assert paths(pattern) == expected, pattern
    for wrong in ("", "!a", "#a", "\\", "[", "[[:letter:]]", "\ud800", "caf\udce9", "a\0", "a" * 5000, b"a", 5):
        with pytest.raises(UsageError, match=r"path must be a pattern such as '\*.md'"):
            paths(wrong)


def test_awkward_queries(index):
    for query in (
        "",
        "   ",
        "unknownword",
        '"tulips grow"',
        'say "tulips grow" now',
        '"',
        "a AND (",
        "\0",
        "é" * 5000,
        "*:*",
        "text:x^2",
        "\n",
    ):
        for mode in ("hybrid", "dense", "lexical"):
            assert isinstance(index.search(query, mode=mode), list), (query, mode)
    for arguments, message in (
        ({"k": 0}, "k must be a whole number from 1 to 10,000, not 0"),
        ({"mode": "both"}, "mode must be one of hybrid, dense, lexical, not 'both'"),
    ):
        with pytest.raises(UsageError, match=message):
            index.search("water", **arguments)
    for query, message in (
        ("caf\udce9", r"the query must be text in UTF-8, not 'caf\\udce9'"),
        (5, "the query must be text in UTF-8, not '5'"),
        ("a" * 100_001, "the query must have at most 100,000 characters, not 100,001"),
    ):
        for mode in ("hybrid", "dense", "lexical"):
            with pytest.raises(UsageError, match=message):
                index.search(query, mode=mode)
        for method in (index.rankings, index.query_vector, lambda query: index.evidence(query, [])):
            with pytest.raises(UsageError, match=message):
                method(query)
    with pytest.raises(UsageError, match="limit must be a whole number"):
        index.vectors(limit=1.5)


def test_threads_search_an_index_at_the_same_time(index):
    """As those of the server of MCP do."""
    expected = [hit.text for hit in index.search("bulbs in spring")]
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda _: [hit.text for hit in index.search("bulbs in spring")], range(100))
        assert all(texts == expected for texts in found)


def test_lancedb_opens_it(index):
    # The database itself is the reference: the same rows, and the same passages for a vector.
    table = lancedb.connect(index.path).open_table("chunks")
    assert table.count_rows() == len(index)
    vector = index.query_vector("bulbs in spring")
    theirs = table.search(vector).distance_type("dot").limit(3).to_list()
    assert [row["path"] for row in theirs] == [hit.path for hit in index.search("bulbs in spring", k=3, mode="dense")]


def test_approximate_search_from_a_number_of_passages(tmp_path, encoder):
    words = re.findall(r"\w+", " ".join(FILES.values()))
    chance = np.random.default_rng(0)
    text = "\n\n".join(" ".join(chance.choice(words, 15)) for _ in range(1500))
    (tmp_path / "a.txt").write_text(text)
    options = IndexOptions(max_chars=100, ann_from=1000)
    index = Index.build(tmp_path / "a.txt", encoder, tmp_path / "index", options=options)
    exact = Index.build(tmp_path / "a.txt", encoder, tmp_path / "exact", options=IndexOptions(max_chars=100))
    assert "vector_idx" in {each.name for each in index._store.dataset.describe_indices()}
    assert "vector_idx" not in {each.name for each in exact._store.dataset.describe_indices()}
    queries = [" ".join(chance.choice(words, 5)) for _ in range(20)]
    found = [{hit.text for hit in index.search(query, mode="dense")} for query in queries]
    expected = [{hit.text for hit in exact.search(query, mode="dense")} for query in queries]
    assert np.mean([len(a & b) / len(b) for a, b in zip(found, expected, strict=True)]) >= 0.9


def test_location(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hit = Hit(str(tmp_path / "a" / "b.txt"), 7, 9, "", "", 1.0, None, None)
    assert hit.location == "a/b.txt:7"
    assert Hit("/other/b.PDF", 7, 9, "", "", 1.0, None, None).location == "/other/b.PDF page 7"
