"""Why a passage was found: shares and scores that add up, and words that Lance has under the same term."""

import lance
import numpy as np
import pytest
from tests.search.samples import make_table, write_files

from rowspace.encode import Encoder
from rowspace.search import Index, query_terms
from rowspace.search.ranking.search import score_passages
from rowspace.search.storage.words import TOKENIZER, terms_of, with_parts

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
            assert found.cosine == pytest.approx(hit.score, abs=1e-5), (query, hit.location)
            assert found.cosine == pytest.approx(found.shares.sum() + found.title + found.opening)


def test_share_of_a_word_is_its_row_times_the_query_over_the_lengths(index, encoder):
    (hit,) = index.search("Tulips", k=1, mode="dense", path="garden.txt")
    (found,) = index.evidence("Tulips", [hit])
    text, table = found.text, encoder.table
    words = [text[begin:end] for begin, end in found.spans]
    rows = np.array([table[word] for word in words if word in table], np.float64)
    query, whole = table["Tulips"].astype(np.float64), rows.sum(axis=0)
    length = np.linalg.norm(1.4 * whole / np.linalg.norm(whole))  # the text is the opening; its title has no rows
    expected = rows @ query / np.linalg.norm(query) / np.linalg.norm(whole) / length
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
    assert found.cosine == pytest.approx(hit.score, abs=1e-6)


def test_scores_of_query_words_add_up_to_bm25(index):
    for query in QUERIES:
        hits = index.search(query, mode="lexical")
        terms, keys = query_terms(query), [(hit.path, hit.chunk) for hit in hits]
        whole = score_passages(index._store, with_parts(query), keys)
        for hit, found in zip(hits, index.evidence(query, hits), strict=True):
            assert found.scores.shape == (len(terms),)
            assert found.scores.sum() == pytest.approx(whole.get((hit.path, hit.chunk), 0), rel=1e-5), (query, hit)
            matched = {terms[number] for number in found.matches[:, 2]}
            scored = {term for term, score in zip(terms, found.scores, strict=True) if score}
            assert matched <= scored
            for term in scored - matched:  # a word that contains it, or its parts, are marked
                assert any(term in other or other in term for other in matched), (query, term)
            for begin, end, number in found.matches:
                assert begin >= len(found.text) - len(hit.text)  # names are words of the title
                assert found.text[begin:end].lower() == terms[number]


def test_parts_of_words_are_marked(tmp_path, wordpieces):
    write_files(tmp_path / "files", {"a.txt": "Call parseDate, get_or_create or 使用JWT认证."})
    index = Index.build(tmp_path / "files", wordpieces, tmp_path / "index")
    query = "date create JWT"
    (hit,) = index.search(query, mode="lexical")
    (found,) = index.evidence(query, [hit])
    assert [hit.text[begin:end] for begin, end, _ in found.matches] == ["Date", "create", "JWT"]


def test_terms_are_those_of_lance():
    text = "Don't catch the naïve exceptions of parse_header, ünïcode 你好 αβγ TypeErrors x2 1.5e3 ﬁne ß"
    assert terms_of(text) == [token.text for token in lance.tokenize(text, **TOKENIZER)]
    assert query_terms("the of the") == ["the", "of"]


def test_vectors_are_those_of_the_index(index, encoder):
    found = index.vectors()
    assert found.vectors.shape == (len(index), encoder.dim)
    hits = {(hit.path, hit.chunk): hit for hit in index.search("tulips", k=50, mode="dense")}
    query = index.query_vector("tulips")
    keys = list(zip(found.paths, found.chunks.tolist(), strict=True))
    np.testing.assert_allclose(found.vectors @ query, [hits[key].score for key in keys], atol=1e-6)
    assert found.first_lines.tolist() == [hits[key].first_line for key in keys]
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
