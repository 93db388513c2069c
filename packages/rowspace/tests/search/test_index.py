"""Build and update."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import lancedb
import pytest
from tests.search.samples import contents, make_table, write_files

from rowspace.encode import Encoder
from rowspace.errors import FileFormatError, RowspaceError, UsageError
from rowspace.search import Index, IndexOptions, update


def locations(hits, folder):
    return [(os.path.relpath(hit.path, folder), hit.first_line) for hit in hits]


def test_a_second_run_reads_only_what_has_changed(index, folder, encoder, tmp_path):
    assert (index.summary.added, index.summary.chunks) == (5, len(index))
    version = index._store.dataset.version
    assert vars(index.update()) | {"seconds": 0} == {
        "added": 0,
        "changed": 0,
        "removed": 0,
        "unchanged": 5,
        "chunks": len(index),
        "skipped": {},
        "left_out": {},
        "problems": {},
        "unknown_share": 0.0,
        "unknown": {},
        "seconds": 0,
    }
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


def test_a_table_of_the_hub_is_found_from_any_folder(folder, tmp_path, monkeypatch):
    cache = tmp_path / "cache" / "models--org--name"
    (cache / "refs").mkdir(parents=True)
    (cache / "refs" / "main").write_text("commit")
    (cache / "snapshots").mkdir()
    make_table().save(cache / "snapshots" / "commit")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "cache"))
    Index.build(folder, "org/name", tmp_path / "index")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert Index.open(tmp_path / "index").search("water", mode="dense")


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


def test_a_root_that_is_missing_is_refused(index, folder, tmp_path):
    folder.rename(tmp_path / "elsewhere")
    for files in (None, folder):
        with pytest.raises(UsageError, match=r"files was indexed and is missing; restore it, or build the index again"):
            index.update(files)
    other = write_files(tmp_path / "other", {"o.txt": "Other water."})
    assert (index.update(other).added, len(index.files())) == (1, 6)
    assert index.settings.roots == (str(folder), str(other))


def test_an_update_removes_an_indexed_file_that_was_deleted(encoder, tmp_path):
    files = write_files(tmp_path / "files", {"a.txt": "Water.", "b.txt": "Fire."})
    index = Index.build([files / "a.txt", files / "b.txt"], encoder, tmp_path / "index")
    (files / "a.txt").unlink()
    assert index.update().removed == 1
    assert [*index.files()] == [str(files / "b.txt")]
    assert index.update().removed == 0
    assert index.settings.roots == (str(files / "b.txt"),)


def test_words_of_removed_files_do_not_count_in_the_scores_of_others(encoder, tmp_path):
    texts = {
        "one.txt": "Roses of this year",
        **{f"{number}.txt": f"Water of this year {number}" for number in range(6)},
    }
    files = write_files(tmp_path / "files", texts)
    write_files(files / "more", {f"{number}.txt": f"Roses, roses {number}" for number in range(60)})
    index = Index.build(files, encoder, tmp_path / "index")
    shutil.rmtree(files / "more")
    assert index.update().removed == 60
    fresh = Index.build(files, encoder, tmp_path / "fresh")
    found = [[(hit.path, hit.score) for hit in each.search("roses water", mode="lexical")] for each in (index, fresh)]
    assert found[0] == found[1]
    assert found[0][0][0].endswith("one.txt")


def test_an_update_removes_the_only_file(encoder, tmp_path):
    files = write_files(tmp_path / "files", {"a.txt": "Water."})
    index = Index.build(files / "a.txt", encoder, tmp_path / "index")
    (files / "a.txt").unlink()
    assert index.update().removed == 1
    assert index.update().removed == 0
    (files / "b.txt").write_text("Fire.")
    assert index.update(files / "b.txt").added == 1
    assert (index.settings.roots, len(index.files())) == ((str(files / "b.txt"),), 1)


def test_an_update_of_other_files_keeps_a_deleted_file_until_its_own(encoder, tmp_path):
    files = write_files(tmp_path / "files", {"a.txt": "Water.", "b.txt": "Fire."})
    index = Index.build([files / "a.txt", files / "b.txt"], encoder, tmp_path / "index")
    (files / "a.txt").unlink()
    assert index.update(files / "b.txt").removed == 0
    assert index.update().removed == 1


def test_the_update_after_an_interrupted_one_does_the_rest(encoder, tmp_path):
    files = write_files(tmp_path / "files", {"a.txt": "Water.", "b.txt": "Fire."})
    index = Index.build(files / "a.txt", encoder, tmp_path / "index")
    (files / "a.txt").unlink()

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.update([files / "a.txt", files / "b.txt"], on_progress=stop)
    index = Index.open(tmp_path / "index", encoder)
    assert index.update().removed == 1
    assert [*index.files()] == [*index.settings.roots] == [str(files / "b.txt")]


def test_files_without_text_are_counted(tmp_path, encoder):
    files = write_files(
        tmp_path / "files",
        {
            "a.bin": b"\0" * 9,
            "russian.txt": "привет".encode("cp1251"),
            "empty.txt": "",
            "bad.pdf": b"%PDF-1",
            "pointer.md": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n",
            "ok.txt": "Roses",
            "large.txt": "x " * 600_000,
            "app.js": "f(1);" * 9_000,
            ".hidden": "x",
        },
    )
    index = Index.build(files, encoder, tmp_path / "index", options=IndexOptions(max_megabytes=1))
    assert index.summary.added == 1
    reasons = ("binary", "in an unknown encoding", "without text", "too large", "minified", "Git LFS pointer or GGUF")
    counts = dict.fromkeys(reasons, 1)
    assert {reason: index.summary.skipped[reason] for reason in counts} == counts
    assert sum(index.summary.skipped.values()) == 7
    assert len(index.summary.left_out) == 8
    assert index.summary.left_out[str(files / "russian.txt")] == "in an unknown encoding"
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
    assert len(Index.open(tmp_path / "index").search("water", k=2, mode="dense")) == 2
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
    with pytest.raises(UsageError, match="the index has no path of its table"):
        Index.open(tmp_path / "index").search("water")


def test_paths_that_are_no_index(tmp_path, folder, encoder):
    with pytest.raises(UsageError, match=r"there is no index in .*nothing'; create it with rowspace index"):
        Index.open(tmp_path / "nothing")
    for place in (folder, folder / "guide.md"):
        with pytest.raises(UsageError, match="is not an index; name a new or an empty folder"):
            Index.build(folder, encoder, place)
    (tmp_path / "damaged" / "chunks.lance").mkdir(parents=True)
    with pytest.raises(FileFormatError, match=r"the index cannot be read .*; build it again with --rebuild"):
        Index.open(tmp_path / "damaged")
    lancedb.connect(tmp_path / "theirs").create_table("chunks", [{"a": 1}])
    with pytest.raises(FileFormatError, match="was not written by rowspace index"):
        Index.open(tmp_path / "theirs")
    assert len(Index.build(folder, encoder, tmp_path / "damaged")) == 5


def test_a_failed_rebuild_keeps_the_old_index(index, folder, encoder, tmp_path):
    class Broken(Encoder):
        def encode(self, texts):
            raise RowspaceError("broken")

    before = contents(index)
    with pytest.raises(RowspaceError, match="broken"):
        Index.build(folder, Broken(encoder.table), tmp_path / "index")
    assert contents(Index.open(tmp_path / "index", encoder)) == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["files", "index"]


def test_packed_vectors_are_refused(folder, encoder, tmp_path):
    for dtype in ("int8", "binary"):
        with pytest.raises(
            UsageError, match=f"needs vectors of float32 or float16, and this encoder has dtype='{dtype}'"
        ):
            Index.build(folder, Encoder(encoder.table, dtype=dtype), tmp_path / "packed")
    assert not (tmp_path / "packed").exists()


def test_one_writer_at_a_time(index, tmp_path):
    code = (
        "import sys; from pathlib import Path; from rowspace._base.work_folder import locked\n"
        "with locked(Path(sys.argv[1])): print('locked', flush=True); sys.stdin.read()"
    )
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


def test_removal_of_an_open_index_is_an_error(index):
    assert index.search("water", k=1)
    shutil.rmtree(index.path)
    with pytest.raises(UsageError, match="there is no index in"):
        index.search("water")


@pytest.mark.long
def test_many_updates_stay_correct_and_small(index, folder, encoder, tmp_path):
    for number in range(40):
        (folder / f"{number % 7}.txt").write_text(f"Roses {number} water")
        index.update()
    assert contents(index) == contents(Index.build(folder, encoder, tmp_path / "again"))
    assert len(index._store.dataset.get_fragments()) <= 25
    assert len(index.search("Roses", k=50, mode="lexical")) == 8


def test_progress(folder, encoder, tmp_path):
    calls = []
    Index.build(folder, encoder, tmp_path / "index", on_progress=lambda done, total: calls.append((done, total)))
    assert calls == [(number, 5) for number in range(1, 6)]


def test_files_that_change_while_they_are_listed(folder, encoder, tmp_path, monkeypatch):
    """One is removed, one becomes a pipe and one grows beyond the limit, after their names were listed."""
    found = update.find_files

    def then_change(*arguments):
        files = list(found(*arguments))
        (folder / "garden.txt").unlink()
        (folder / "guide.md").unlink()
        os.mkfifo(folder / "guide.md")
        (folder / "page.html").write_bytes(b"a" * 1_000_001)
        return files

    monkeypatch.setattr(update, "find_files", then_change)
    calls = []
    index = Index.build(
        folder,
        encoder,
        tmp_path / "index",
        options=IndexOptions(max_megabytes=1),
        on_progress=lambda *call: calls.append(call),
    )
    assert [Path(path).name for path in index.files()] == ["run.js", "parse.py"]
    assert calls == [(number, 5) for number in range(1, 6)]
    assert index.summary.skipped == {"removed in the meantime": 1, "not a regular file": 1, "too large": 1}


def test_files_of_the_system_end(encoder, tmp_path):
    """They have no size, and some have no end or wait for an event."""
    index = Index.build("/proc/self/pagemap", encoder, tmp_path / "index", options=IndexOptions(max_megabytes=1))
    assert index.summary.skipped == {"too large": 1}
