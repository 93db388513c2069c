"""Why a passage was found: shares and scores that add up, and words that Lance has under the same term."""

import lance
import numpy as np
import pytest
from tests.search.samples import make_table, write_files

from rowspace.encode import Encoder
from rowspace.search import Index, query_words
from rowspace.search.evidence import encoded_text, term_of
from rowspace.search.update import unit_vectors

QUERIES = ["Tulips need water", "install the package packages", "bulbs, bulb; (autumn)", "def parse_header", "zzz the"]


def test_rankings_equal_the_three_searches(index):
    for query in (*QUERIES, "", "zzz"):
        for path in (None, "*.md", "src/"):
            found = index.rankings(query, k=3, path=path)
            for mode in ("hybrid", "dense", "lexical"):
                expected = index.search(query, k=3, path=path, mode=mode)
                hits = getattr(found, mode)
                assert [(hit.path, hit.chunk, hit.score) for hit in hits] == [
                    (hit.path, hit.chunk, hit.score) for hit in expected
                ], (query, path, mode)
    dense, lexical = index.rankings("tulips water", k=50)[1:]
    ranks = {(hit.path, hit.chunk): rank for rank, hit in enumerate(lexical, 1)}
    assert [hit.lexical_rank for hit in dense] == [ranks.get((hit.path, hit.chunk)) for hit in dense]
    assert [hit.dense_rank for hit in dense] == list(range(1, len(dense) + 1))


def test_shares_of_words_add_up_to_the_cosine(index):
    for query in QUERIES:
        hits = index.search(query, mode="dense")
        for hit, found in zip(hits, index.evidence(query, hits), strict=True):
            assert found.shares.sum() == pytest.approx(hit.score, abs=1e-5), (query, hit.location)


def test_share_of_a_word_is_its_row_times_the_query_over_the_lengths(index, encoder):
    (hit,) = index.search("Tulips", k=1, mode="dense", path="garden.txt")
    (found,) = index.evidence("Tulips", [hit])
    text, table = found.text, encoder.table
    words = [text[begin:end] for begin, end in found.spans]
    rows = np.array([table[word] for word in words if word in table], np.float64)
    query, whole = table["Tulips"].astype(np.float64), rows.sum(axis=0)
    expected = rows @ query / np.linalg.norm(query) / np.linalg.norm(whole)
    assert words == ["Roses", "need", "water", "Tulips", "grow", "from", "bulbs", "in", "spring"]
    np.testing.assert_allclose(found.shares, expected, atol=1e-6)
    assert found.words()[0] == ("Tulips", found.shares.max())
    assert sorted(word for word, _ in found.words()) == sorted(words)


def test_pieces_of_a_word_are_joined(tmp_path, wordpieces):
    write_files(tmp_path / "files", {"a.txt": "A cat sitting,, unknown ☃."})
    index = Index.build(tmp_path / "files", wordpieces, tmp_path / "index")
    (hit,) = index.search("cat", mode="dense")
    (found,) = index.evidence("cat", [hit])
    assert [hit.text[begin:end] for begin, end in found.spans] == ["cat", "sitting", ",", ","]
    assert found.shares.sum() == pytest.approx(hit.score, abs=1e-6)


def test_scores_of_query_words_add_up_to_bm25(index):
    for query in QUERIES:
        hits = index.search(query, mode="lexical")
        terms = list(dict.fromkeys(word.term for word in query_words(query) if word.term))
        for hit, found in zip(hits, index.evidence(query, hits), strict=True):
            assert found.scores.shape == (len(terms),)
            assert found.scores.sum() == pytest.approx(hit.score, rel=1e-5), (query, hit.location)
            matched = {terms[number] for number in found.matches[:, 2]}
            assert matched == {term for term, score in zip(terms, found.scores, strict=True) if score}
            for begin, end, number in found.matches:
                assert begin >= len(encoded_text(hit)) - len(hit.text)  # names are not in the full-text index
                assert term_of(encoded_text(hit)[begin:end]) == terms[number]


def test_words_are_those_of_lance():
    # The whole text, tokenized by Lance, has the terms of its words one by one.
    text = "Don't catch the naïve exceptions of parse_header, ünïcode 你好 αβγ don’t TypeErrors x2 1.5e3 ﬁne ß"
    whole = [token.text for token in lance.tokenize(text)]
    assert [word.term for word in query_words(text) if word.term is not None] == whole
    assert query_words("the of")[0].term is None


def test_vectors_are_those_of_the_encoder(index, encoder):
    found = index.vectors()
    assert found.vectors.shape == (len(index), encoder.dim)
    hits = {(hit.path, hit.chunk): hit for hit in index.search("tulips", k=50, mode="dense")}
    texts = [encoded_text(hits[key]) for key in zip(found.paths, found.chunks.tolist(), strict=True)]
    np.testing.assert_allclose(found.vectors, unit_vectors(encoder.encode(texts)), atol=1e-6)
    lines = [hits[key].first_line for key in zip(found.paths, found.chunks.tolist(), strict=True)]
    assert found.first_lines.tolist() == lines
    few = index.vectors(limit=2)
    assert few.paths == [found.paths[0], found.paths[len(index) // 2]]
    np.testing.assert_array_equal(few.vectors, found.vectors[[0, len(index) // 2]])


def test_version_changes_with_the_passages(index, folder):
    before = index.version
    index.update()
    assert index.version == before
    (folder / "new.txt").write_text("A new file.")
    Index.open(index.path, Encoder(make_table())).update()
    assert index.version > before
