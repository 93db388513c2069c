"""Build, update and search."""

import math
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import lancedb
import numpy as np
import pytest
from tests.encode.index.samples import FILES, make_table, write_files

from rowspace.encode import Encoder
from rowspace.encode.index import Hit, Index, IndexOptions
from rowspace.encode.index.search import fuse_ranks
from rowspace.encode.index.update import unit_vectors
from rowspace.errors import FileFormatError, RowspaceError, UsageError


def locations(hits, folder):
    return [(os.path.relpath(hit.path, folder), hit.first_line) for hit in hits]


@pytest.fixture
def index(folder, encoder, tmp_path):
    return Index.build(folder, encoder, tmp_path / "index")


def contents(index):
    """Return every row of an index without the times of files."""
    table = index._store.dataset.to_table().drop_columns(["mtime_ns"])
    return sorted(table.to_pylist(), key=lambda row: (row["path"], row["chunk"]))


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
    }.items():
        assert paths(pattern) == expected, pattern
    for wrong in ("", "!a", "#a", "\\"):
        with pytest.raises(UsageError, match=r"path must be a pattern such as '\*.md'"):
            paths(wrong)


def test_a_second_run_reads_only_what_has_changed(index, folder, encoder, tmp_path):
    assert (index.summary.added, index.summary.chunks) == (5, len(index))
    version = index._store.dataset.version
    assert vars(index.update()) | {"seconds": 0} == {
        "added": 0, "changed": 0, "removed": 0, "unchanged": 5, "chunks": len(index), "skipped": {}, "seconds": 0,
    }  # fmt: skip
    assert index._store.dataset.version == version
    os.utime(folder / "guide.md", ns=(1, 1))  # touched, with the same content
    assert index.update().unchanged == 5
    assert index._store.files()[str(folder / "guide.md")].mtime_ns == 1
    (folder / "garden.txt").write_text("Roses only.\n" * 200)
    (folder / "page.html").unlink()
    (folder / "new.txt").write_text("Install roses.")
    summary = index.update()
    assert (summary.added, summary.changed, summary.removed, summary.unchanged) == (1, 1, 1, 3)
    assert contents(index) == contents(Index.build(folder, encoder, tmp_path / "again"))
    assert locations(index.search("autumn", mode="lexical"), folder) == []
    (folder / "garden.txt").write_text("Roses.")  # fewer passages than before
    assert index.update().changed == 1
    assert contents(index) == contents(Index.build(folder, encoder, tmp_path / "again"))


def test_updates_of_some_files_keep_the_others(index, folder, tmp_path):
    other = write_files(tmp_path / "other", {"o.txt": "Other water."})
    assert index.update(other).added == 1
    assert len(index.files()) == 6
    (folder / "src" / "parse.py").unlink()
    (folder / "guide.md").unlink()
    assert index.update(folder / "src").removed == 1
    assert index.update(folder / "guide.md").removed == 1
    assert (index.update().unchanged, len(index.files())) == (4, 4)
    assert index.settings.roots == (str(folder), str(other))


def test_files_without_text_are_counted(tmp_path, encoder):
    files = write_files(
        tmp_path / "files",
        {"a.bin": b"\0" * 9, "latin.txt": b"caf\xe9", "empty.txt": "", "bad.pdf": b"%PDF-1", "ok.txt": "Roses",
         "large.txt": "x " * 600_000},
    )  # fmt: skip
    index = Index.build(files, encoder, tmp_path / "index", options=IndexOptions(max_megabytes=1))
    assert index.summary.added == 1
    counts = {"binary": 1, "not UTF-8": 1, "without text": 1, "too large": 1}
    assert {reason: index.summary.skipped[reason] for reason in counts} == counts
    assert sum(index.summary.skipped.values()) == 5
    (files / "ok.txt").write_bytes(b"\0binary now")
    assert index.update().removed == 1
    assert index.search("Roses") == []


def test_an_index_of_nothing(tmp_path, encoder):
    (tmp_path / "files").mkdir()
    index = Index.build(tmp_path / "files", encoder, tmp_path / "index")
    for mode in ("hybrid", "dense", "lexical"):
        assert index.search("water", mode=mode) == []
    (tmp_path / "files" / "a.txt").write_text("water")
    assert index.update().added == 1
    assert len(index.search("water")) == 1


def test_awkward_queries(index):
    for query in ("", "   ", "unknownword", '"', "a AND (", "\0", "é" * 5000, "*:*", "text:x^2", "\n"):
        for mode in ("hybrid", "dense", "lexical"):
            assert isinstance(index.search(query, mode=mode), list), (query, mode)
    for arguments, message in (
        ({"k": 0}, "k must be a whole number from 1 to 10,000, not 0"),
        ({"mode": "both"}, "mode must be one of hybrid, dense, lexical, not 'both'"),
    ):
        with pytest.raises(UsageError, match=message):
            index.search("water", **arguments)


def test_awkward_paths(tmp_path, encoder):
    names = ["it's.txt", "a\nb.txt", "é 中.txt", '"; DROP.txt']
    files = write_files(tmp_path / "files", dict.fromkeys(names, "water"))
    (files / os.fsdecode(b"\xff.txt")).write_text("water")
    index = Index.build(files, encoder, tmp_path / "index")
    assert index.summary.skipped == {"name not UTF-8": 1}
    assert {Path(hit.path).name for hit in index.search("water")} == set(names)
    for name in names:
        (files / name).write_text("bulbs")
    assert index.update().changed == 4
    for name in names:
        (files / name).unlink()
    assert (index.update().removed, len(index)) == (4, 0)


def test_the_table_is_found_and_another_one_is_an_error(folder, tmp_path):
    make_table().save(tmp_path / "table")
    make_table(seed=1).save(tmp_path / "other")
    Index.build(folder, Encoder.load(tmp_path / "table"), tmp_path / "index", table=tmp_path / "table")
    assert len(Index.open(tmp_path / "index").search("water", k=2)) == 2
    with pytest.raises(UsageError, match=r"made with another table \(.*table\), so vectors cannot be compared"):
        Index.open(tmp_path / "index", Encoder.load(tmp_path / "other"))
    make_table(seed=2).save(tmp_path / "table")
    index = Index.open(tmp_path / "index")
    for call in (lambda: index.search("water"), index.update):
        with pytest.raises(UsageError, match=r"build the index again with --rebuild"):
            call()
    assert len(index.search("water", mode="lexical")) == 1
    rebuilt = Index.build(folder, Encoder.load(tmp_path / "table"), tmp_path / "index")
    assert len(rebuilt.search("water", k=2, mode="dense")) == 2
    with pytest.raises(UsageError, match="the index does not know its table"):
        Index.open(tmp_path / "index").search("water")


def test_paths_that_are_no_index(tmp_path, folder, encoder):
    with pytest.raises(UsageError, match=r"there is no index in .*nothing'; create it with rowspace index"):
        Index.open(tmp_path / "nothing")
    for place in (folder, folder / "guide.md"):
        with pytest.raises(UsageError, match="is not an index; name a new or an empty folder"):
            Index.build(folder, encoder, place)
    (tmp_path / "damaged" / "chunks.lance").mkdir(parents=True)
    with pytest.raises(FileFormatError, match="the index cannot be opened"):
        Index.open(tmp_path / "damaged")
    lancedb.connect(tmp_path / "theirs").create_table("chunks", [{"a": 1}])
    with pytest.raises(FileFormatError, match="was not written by rowspace index"):
        Index.open(tmp_path / "theirs")
    assert len(Index.build(folder, encoder, tmp_path / "damaged")) == 5


def test_a_failed_rebuild_keeps_the_old_index(index, folder, encoder, tmp_path):
    class Broken:
        dim, fingerprint = 256, "x"

        def encode(self, texts):
            raise RowspaceError("broken")

    before = contents(index)
    with pytest.raises(RowspaceError, match="broken"):
        Index.build(folder, Broken(), tmp_path / "index")
    assert contents(Index.open(tmp_path / "index", encoder)) == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["files", "index"]


def test_one_writer_at_a_time(index, tmp_path):
    code = "import sys; from pathlib import Path; from rowspace._base.lock import locked\n" \
        "with locked(Path(sys.argv[1])): print('locked', flush=True); sys.stdin.read()"  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "index"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout.readline() == "locked\n"
        with pytest.raises(RowspaceError, match=r"another process is writing to .*; wait until it has finished"):
            index.update()
        assert len(index.search("water", k=1)) == 1
        other.stdin.close()
    index.update()


def test_an_open_index_sees_later_updates(index, folder, encoder):
    reader = Index.open(index.path, encoder)
    (folder / "new.txt").write_text("autumn autumn")
    index.update()
    assert "new.txt" in {Path(hit.path).name for hit in reader.search("autumn", mode="lexical")}


def test_lancedb_opens_it(index):
    # The database itself is the reference: the same rows, and the same passages for a vector.
    table = lancedb.connect(index.path).open_table("chunks")
    assert table.count_rows() == len(index)
    vector = index._vector("bulbs in spring")
    theirs = table.search(vector).distance_type("dot").limit(3).to_list()
    assert [row["path"] for row in theirs] == [hit.path for hit in index.search("bulbs in spring", k=3, mode="dense")]


def test_many_updates_stay_correct_and_small(index, folder, encoder, tmp_path):
    for number in range(40):
        (folder / f"{number % 7}.txt").write_text(f"Roses {number} water")
        index.update()
    assert contents(index) == contents(Index.build(folder, encoder, tmp_path / "again"))
    assert len(index._store.dataset.get_fragments()) <= 25
    assert len(index.search("Roses", k=50, mode="lexical")) == 8


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


def test_progress(folder, encoder, tmp_path):
    calls = []
    Index.build(folder, encoder, tmp_path / "index", on_progress=lambda done, total: calls.append((done, total)))
    assert calls == [(number, 5) for number in range(1, 6)]
