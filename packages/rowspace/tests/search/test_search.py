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
from rowspace.search import Hit, Index, IndexOptions, query_terms


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


def test_dense_equals_numpy(index, folder, encoder):
    rows = contents(index)

    def unit(texts):
        vectors = encoder.encode(list(texts))
        return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)

    def texts(some):
        return [f"{row['name']}\n{row['text']}" if row["name"] else row["text"] for row in some]

    firsts = {row["path"]: row for row in rows if row["chunk"] == 0}
    titles = unit(f"{Path(os.path.relpath(row['path'], folder)).with_suffix('')} {row['name']}" for row in rows)
    vectors = unit(texts(rows)) + 0.4 * titles + 0.4 * unit(texts(firsts[row["path"]] for row in rows))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.allclose(vectors, [row["vector"] for row in rows], atol=1e-6)
    query = unit(["Tulips need water"])[0]
    expected = sorted(zip(vectors @ query, [row["path"] for row in rows], strict=True), reverse=True)
    hits = index.search("Tulips need water", k=len(rows), mode="dense")
    assert [hit.path for hit in hits] == [path for _, path in expected]
    assert np.allclose([hit.score for hit in hits], [score for score, _ in expected], atol=1e-5)
    assert [hit.dense_rank for hit in hits] == list(range(1, len(rows) + 1))
    assert {hit.lexical_rank for hit in hits} == {None}


def bm25(texts, query):
    """Robertson & Zaragoza (2009) with k1 = 1.2, b = 0.75: the score of each text that has one."""
    documents = [Counter(re.findall(r"[^\W_]+", text.lower())) for text in texts]
    mean = sum(sum(document.values()) for document in documents) / len(documents)
    scores = np.zeros(len(texts))
    for word in query.split():
        found = sum(word in each for each in documents)
        idf = math.log(1 + (len(documents) - found + 0.5) / (found + 0.5))
        for number, document in enumerate(documents):
            frequency, length = document[word], sum(document.values())
            scores[number] += idf * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / mean))
    return scores


TEXTS = ["red blue", "red red red green", "green blue blue black gray", "black", "gray gold red blue black"]


@pytest.fixture
def colors(tmp_path, encoder):
    write_files(tmp_path / "f", {f"{number}.txt": text for number, text in enumerate(TEXTS)})
    return Index.build(tmp_path / "f", encoder, tmp_path / "index")


def test_lexical_scores_are_weighted_sums_of_bm25(colors):
    # Each file has one passage, so that its words are those of the passage and of its path.
    paths = [str(number) for number in range(len(TEXTS))]
    for query in ("red", "blue black", "gold green", "the 3", "gold 1"):
        words, title = bm25(TEXTS, query), bm25(paths, query)
        file = bm25([f"{path} {text}" for path, text in zip(paths, TEXTS, strict=True)], query)
        shares = [scores / max(scores.max(), 1e-9) for scores in (words, title, file)]
        covered = max(len(set(query.split()) & set(text.split())) for text in TEXTS) / len(query.split())
        known = max(0, 2 * covered - 1)
        scores = (0.5 + known) * shares[0] + 0.1 * shares[1] + (1 - known / 4) * shares[2]
        expected = {f"{number}.txt": score for number, score in enumerate(scores) if score}
        found = {Path(hit.path).name: hit.score for hit in colors.search(query, mode="lexical")}
        assert found == pytest.approx(expected, rel=1e-3), query


def test_score_of_both_adds_the_cosine_less_the_more_words_of_the_query_a_passage_has(index):
    def scores(query, mode):
        return {hit.path: hit.score for hit in index.search(query, mode=mode, k=50)}

    for query, covered, known in (("bulbs in autumn", 1, 1), ("tulips pip", 0.5, 1), ("tulips pip zz", 0, 9 / 11)):
        # "tulips pip zz": a third of the words is in one passage, and no row is for "zz"
        dense, lexical, both = (scores(query, mode) for mode in ("dense", "lexical", "hybrid"))
        weight = 3 * known * min(1, 2 - 2 * covered)
        sums = {path: lexical.get(path, 0) + weight * dense[path] for path in dense}
        assert both == pytest.approx({path: score for path, score in sums.items() if score > 0}, rel=1e-5)


def test_identifiers_are_found_whole_and_by_their_parts(tmp_path, encoder):
    files = {
        "a.py": "value = get_or_create(parseHTTPDate, utf8)",
        "b.py": "get = 1\nor_ = 2\ncreate = 3\nparse = http = date = utf = 8",
        "c.py": "nothing = 0",
    }
    index = Index.build(write_files(tmp_path / "f", files), encoder, tmp_path / "index")
    for query in ("get_or_create", "getOrCreate", "get or create", "parseHTTPDate", "parse_http_date", "utf8"):
        names = [Path(hit.path).name for hit in index.search(query, mode="lexical")]
        assert names[0] == "a.py" if query != "get or create" else set(names) == {"a.py", "b.py"}, query
    assert [Path(hit.path).name for hit in index.search("NOTHING", mode="lexical")] == ["c.py"]


def test_english_plurals_and_singulars_find_each_other(tmp_path, encoder):
    index = Index.build(write_files(tmp_path / "f", {"a.txt": "tulips", "b.txt": "bulb"}), encoder, tmp_path / "index")
    for query, name in {"tulip": "a.txt", "Tulips": "a.txt", "bulb": "b.txt", "bulbs": "b.txt"}.items():
        assert [Path(hit.path).name for hit in index.search(query, mode="lexical")] == [name], query


def test_passage_named_as_the_query_is_first(tmp_path, encoder):
    files = {
        "a.py": "def save(path):\n    return 1\n\ndef load(path):\n    return open(path).read()  # one and two\n",
        "b.py": "def other(path):\n    return load(path)\n",
    }
    index = Index.build(write_files(tmp_path / "f", files), encoder, tmp_path / "index")
    assert index.search("load", k=1)[0].name == "save, load"


def test_words_of_scripts_without_blanks_are_found(tmp_path, encoder):
    files = {
        "zh.txt": "使用JWT认证用户。",
        "ja.txt": "検索エンジンを設定する。",
        "th.txt": "ระบบปฏิบัติการลินุกซ์",
        "ko.txt": "학교에서 공부를 한다.",
        "ar.txt": "نظام التشغيل",
    }
    index = Index.build(write_files(tmp_path / "f", files), encoder, tmp_path / "index")
    for query, name in {
        "认证": "zh.txt", "JWT": "zh.txt", "検索": "ja.txt", "ระบบ": "th.txt", "학교": "ko.txt", "نظام": "ar.txt",
    }.items():  # fmt: skip
        assert [Path(hit.path).name for hit in index.search(query)][:1] == [name]
        assert [Path(hit.path).name for hit in index.search(query, mode="lexical")] == [name]


def test_chinese_and_japanese_words_are_found_across_those_of_the_dictionary(tmp_path, encoder):
    """ICU has 関東 and 京都 in the first text, and 東京 and 都 in the query."""
    files = {"both.txt": "関東京都の寺", "other.txt": "都の寺"}
    index = Index.build(write_files(tmp_path / "f", files), encoder, tmp_path / "index")
    hits = index.search("東京都", mode="lexical")
    assert [Path(hit.path).name for hit in hits] == ["both.txt", "other.txt"]
    (why, _) = index.evidence("東京都", hits)
    terms = query_terms("東京都")
    marked = {terms[term]: why.text[begin:end] for begin, end, term in why.matches.tolist()}
    assert {"東京": "東京"}.items() <= marked.items()
    assert all(term == text for term, text in marked.items())


def test_one_file_does_not_take_all_places(tmp_path, encoder):
    files = {"a.txt": "\n\n".join(f"tulips {number} " + "bulb " * 60 for number in range(9)), "b.txt": "tulips"}
    index = Index.build(
        write_files(tmp_path / "f", files), encoder, tmp_path / "index", options=IndexOptions(max_chars=400)
    )
    assert {Path(hit.path).name for hit in index.search("tulips", k=2, mode="lexical")} == {"a.txt", "b.txt"}


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


def test_vectors_in_memory_find_the_passages_that_lance_finds(tmp_path, encoder):
    words = re.findall(r"\w+", " ".join(FILES.values()))
    chance = np.random.default_rng(1)

    def write(*names):
        for name in names:
            text = "\n\n".join(" ".join(chance.choice(words, 15)) for _ in range(20))
            (tmp_path / "f" / f"{name}.txt").write_text(text)

    (tmp_path / "f").mkdir()
    write(*range(10))
    index = Index.build(tmp_path / "f", encoder, tmp_path / "index", options=IndexOptions(max_chars=100))
    for _ in range(3):  # rows before the change, after it, and of which some are deleted
        queries = [" ".join(chance.choice(words, 5)) for _ in range(5)]
        by_lance = [Index.open(tmp_path / "index", encoder).search(query, mode="dense") for query in queries]
        index.search(queries[0], mode="dense")
        for query, expected in zip(queries, by_lance, strict=True):
            hits = index.search(query, mode="dense")
            assert index._store.nearest(index.query_vector(query), 1, columns=["path"]) is not None
            assert [(hit.path, hit.chunk) for hit in hits] == [(hit.path, hit.chunk) for hit in expected]
            assert np.allclose([hit.score for hit in hits], [hit.score for hit in expected], atol=1e-6)
        write(3, 4, 11)
        (tmp_path / "f" / "1.txt").unlink(missing_ok=True)
        index.update()
    assert index._store.nearest(index.query_vector("tulips"), 1, columns=["path"]) is None  # of the new version


def test_location(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    hit = Hit(str(tmp_path / "a" / "b.txt"), 7, 9, "", "", 1.0, None, None)
    assert hit.location == "a/b.txt:7"
    assert Hit("/other/b.PDF", 7, 9, "", "", 1.0, None, None).location == "/other/b.PDF page 7"


def test_score_of_a_file_is_divided_among_its_passages(tmp_path, encoder):
    text = "\n\n".join("tulips " + "bulb " * 60 for _ in range(4))  # four equal passages
    files = write_files(tmp_path / "f", {"a.txt": text, "b.txt": "water"})
    index = Index.build(files, encoder, tmp_path / "index", options=IndexOptions(max_chars=400))
    scores = [hit.score for hit in index.search("tulips", mode="lexical")]
    # All words are found, so that the words of a passage have the weight 1.5, and those of the file 0.75.
    assert scores == pytest.approx([1.5 + 0.75 / place for place in (1, 2, 3, 4)])
