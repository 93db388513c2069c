"""The index of the page: where it is, which table it belongs to, and the job that makes and updates it."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.search.samples import FILES, make_table, write_files

import rowspace as rs
from rowspace._base.work_folder import locked
from rowspace.errors import FileFormatError, MissingExtraError, RowspaceError
from rowspace.learn.default_table import encoder_folder
from rowspace.search import Index
from rowspace_lab.jobs.kinds import Progress
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search import SearchSource, search_page
from rowspace_lab.pages.search.source import IndexPlace, encoder_of, open_index
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply
from rowspace_lab.tables.everyday import EVERYDAY
from rowspace_lab.tables.world import world_choice

STATE = "search/index"


@pytest.fixture
def other_lab(tmp_path: Path) -> Lab:
    """A lab over a table with the same words and other rows."""
    make_table(seed=1).save(tmp_path / "other")
    return Lab(rs.load(tmp_path / "other"), str(tmp_path / "other"))


def test_files_are_counted_until_they_are_indexed(folder, lab, ask, run, cache) -> None:
    before = ask(folder, lab, STATE).meta
    assert (before["state"], before["found"], before["found_all"], before["folder"]) == ("none", 5, True, str(folder))
    assert str(folder) in before["code"]
    assert (before["files"], before["skipped"], before["examples"]) == (0, [], [])
    assert not cache.exists()
    (folder / "picture.bin").write_bytes(b"\0\1\2")
    *progress, frame = run(folder, lab)
    assert all(isinstance(item, Progress) for item in progress)
    assert progress[-1] == Progress(1, "5 files, 5 passages")
    assert isinstance(frame, Reply)
    assert (frame.meta["added"], frame.meta["skipped"]) == (5, {"binary": 1})
    after = ask(folder, lab, STATE).meta
    assert (after["state"], after["files"], after["passages"], after["skipped"]) == ("ready", 5, 5, [["binary", 1]])
    assert after["ended"] == frame.meta["ended"]


def test_run_removes_indexes_that_were_not_opened_for_a_month(folder, lab, other_lab, ask, run, cache) -> None:
    run(folder, lab)
    (first,) = cache.iterdir()
    os.utime(first, (0, 0))
    ask(folder, lab, STATE)  # opens it
    run(folder, other_lab)
    (second,) = set(cache.iterdir()) - {first}
    os.utime(first, (0, 0))
    run(folder, other_lab, "2")
    assert list(cache.iterdir()) == [second]
    assert ask(folder, lab, STATE).meta["state"] == "none"


def test_second_run_reads_only_what_has_changed(folder, lab, ask, run) -> None:
    run(folder, lab)
    version = ask(folder, lab, STATE).meta["version"]
    write_files(folder, {"garden.txt": "Lilies.", "new.txt": "A new file."})
    (folder / "guide.md").unlink()
    frame = run(folder, lab, "2")[-1]
    numbers = {name: frame.meta[name] for name in ("added", "changed", "removed", "unchanged")}
    assert numbers == {"added": 1, "changed": 1, "removed": 1, "unchanged": 3}
    after = ask(folder, lab, STATE).meta
    assert (after["files"], after["version"] > version) == (5, True)


def test_each_table_has_its_own_index(folder, lab, other_lab, ask, run) -> None:
    run(folder, lab)
    assert ask(folder, other_lab, STATE).meta["state"] == "none"
    run(folder, other_lab)
    for each in (lab, other_lab):
        place = SearchSource(folder).place(encoder_of(each))
        assert Index.open(place.path).settings.fingerprint == encoder_of(each).fingerprint
        assert ask(folder, each, STATE).meta["state"] == "ready"


def test_stopped_run_leaves_an_index_that_is_not_complete(folder, lab, ask, run) -> None:
    run(folder, lab)
    place = SearchSource(folder).place(encoder_of(lab))
    place.record(None)  # as a run does when it begins
    assert ask(folder, lab, STATE).meta["state"] == "partial"
    run(folder, lab, "2")
    assert ask(folder, lab, STATE).meta["state"] == "ready"


def test_named_index_is_used_with_its_table_and_offered_again_with_another(
    folder, lab, other_lab, ask, run, tmp_path, saved_table, cache
) -> None:
    Index.build(folder, encoder_of(lab), tmp_path / "named", table=saved_table)
    source = SearchSource(tmp_path / "named")
    meta = ask(source, lab, STATE).meta
    assert (meta["state"], meta["is_named"], meta["other_table"], meta["passages"]) == ("ready", True, None, 5)
    write_files(folder, {"new.txt": "A new file."})
    assert run(source, lab)[-1].meta["added"] == 1
    assert len(Index.open(tmp_path / "named")) == 6
    assert not cache.exists()

    meta = ask(source, other_lab, STATE).meta
    assert (meta["state"], meta["is_named"], meta["other_table"]) == ("none", False, saved_table)
    assert meta["found"] == 6
    run(source, other_lab)
    assert ask(source, other_lab, STATE).meta["state"] == "ready"
    assert Index.open(tmp_path / "named").settings.fingerprint == encoder_of(lab).fingerprint  # unchanged
    assert [each.name for each in cache.iterdir()] != []


@pytest.mark.parametrize("of_files", [True, False])
def test_named_index_of_records_shows_ids_and_metadata(
    tmp_path, lab, other_lab, ask, run, saved_table, of_files
) -> None:
    records = [{"id": "a", "text": "Roses need water.", "year": 1999}, {"id": "b/./c", "text": "Tulips need water."}]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    given = tmp_path / "a.jsonl" if of_files else records
    Index.build_records(given, encoder_of(lab), tmp_path / "named", table=saved_table)
    source = SearchSource(tmp_path / "named")
    meta = ask(source, lab, STATE).meta
    assert (meta["state"], meta["files"], meta["problem"]) == ("ready", 2, None)
    assert f"Index.open({str(tmp_path / 'named')!r}, encoder)" in meta["code"]
    found = ask(source, lab, "search/results", text="water").meta["passages"]
    assert sorted((each["path"], each["metadata"]) for each in found) == [("a", "year=1999"), ("b/./c", "")]
    assert ask(source, lab, "search/map").meta["paths"]
    assert "is an index of records; choose the table" in ask(source, other_lab, STATE).meta["problem"]
    if of_files:
        (tmp_path / "a.jsonl").write_text(json.dumps(records[0]))
        assert run(source, lab)[-1].meta["removed"] == 1
    else:
        with pytest.raises(RowspaceError, match="update it with update_records"):
            run(source, lab)


def test_paths_are_relative_to_what_was_indexed(tmp_path, lab, ask, run, saved_table) -> None:
    write_files(tmp_path / "one", {"deep/a.txt": "Tulips need water."})
    write_files(tmp_path / "two", {"b.txt": "Roses need water."})
    Index.build([tmp_path / "one", tmp_path / "two"], encoder_of(lab), tmp_path / "both", table=saved_table)
    found = ask(SearchSource(tmp_path / "both"), lab, "search/results", text="water").meta["passages"]
    assert sorted(each["path"] for each in found) == ["one/deep/a.txt", "two/b.txt"]
    run(tmp_path / "two" / "b.txt", lab)
    (passage,) = ask(tmp_path / "two" / "b.txt", lab, "search/results", text="water").meta["passages"]
    assert passage["path"] == "b.txt"


def test_default_is_the_working_folder(folder, lab, ask, run, monkeypatch) -> None:
    monkeypatch.chdir(folder)
    assert ask(SearchSource(), lab, STATE).meta["folder"] == str(folder)
    run(SearchSource(), lab)
    assert ask(SearchSource(), lab, STATE).meta["files"] == len(FILES)


def test_folder_that_holds_an_index_is_not_taken_for_one(folder, lab, ask, tmp_path, monkeypatch) -> None:
    Index.build(folder, encoder_of(lab), tmp_path / "named")
    monkeypatch.chdir(tmp_path / "named")
    assert ask(SearchSource(), lab, STATE).meta["is_named"] is False


def test_examples_are_headings_of_the_files(tmp_path, lab, ask, run) -> None:
    text = "".join(
        f"# {name}\n\n{'Tulips need water. ' * 20}\n\n" for name in ("Plant the bulbs", "Water", "Cut a rose")
    )
    write_files(tmp_path / "guide", {"guide.md": text})
    run(tmp_path / "guide", lab)
    assert ask(tmp_path / "guide", lab, STATE).meta["examples"] == ["Plant the bulbs", "Cut a rose"]


def test_table_without_a_tokenizer_has_a_problem(folder, ask) -> None:
    lab = Lab(rs.Table(["a"], np.ones((1, 2))), "some-table")
    meta = ask(folder, lab, STATE).meta
    assert meta["problem"] == "This table has no tokenizer, so it cannot turn passages into vectors."


def test_index_of_a_sentence_encoder_is_left_to_the_command_and_rows_of_its_tokens_get_a_note(
    folder, lab, ask, tmp_path
) -> None:
    Index.build(folder, encoder_folder(), tmp_path / "named")
    assert "search it with rowspace search" in ask(SearchSource(tmp_path / "named"), lab, STATE).meta["problem"]
    tokens = EVERYDAY.open()
    assert "are not its vectors" in ask(folder, tokens, STATE).meta["note"]
    assert ask(folder, lab, STATE).meta["note"] == ""


def test_missing_packages_are_named_with_the_command(folder, lab, ask, run, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "lance", None)  # Python then neither finds nor imports it
    assert "pip install 'rowspace[search]'" in ask(folder, lab, STATE).meta["missing"]
    with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[search\]'"):
        run(folder, lab)


def test_table_in_no_file_is_copied_for_the_job(folder, run, ask) -> None:
    lab = world_choice("the cat sat\nthe dog sat\nTulips need water", 8).open()
    run(folder, lab)
    place = SearchSource(folder).place(encoder_of(lab))
    assert Index.open(place.path).settings.table is None
    assert ask(folder, lab, STATE).meta["state"] == "ready"


def test_table_that_was_learned_again_is_refused(folder, tmp_path, run) -> None:
    path = tmp_path / "changing"
    make_table().save(path)
    lab = Lab(rs.load(path), str(path))
    encoder_of(lab).fingerprint  # noqa: B018  # computed before the table changes
    make_table(seed=2).save(path)
    with pytest.raises(RowspaceError, match="the table has changed since the workbench opened it; start rowspace lab"):
        run(folder, lab)


def test_damaged_index_in_the_cache_is_built_again_and_a_named_one_is_a_problem(
    folder, lab, ask, run, tmp_path
) -> None:
    run(folder, lab)
    place = SearchSource(folder).place(encoder_of(lab))
    for manifest in (place.path / "chunks.lance" / "_versions").iterdir():
        manifest.write_bytes(b"damaged")
    assert ask(folder, lab, STATE).meta["state"] == "none"
    run(folder, lab, "2")
    assert ask(folder, lab, STATE).meta["state"] == "ready"
    Index.build(folder, encoder_of(lab), tmp_path / "named")
    for manifest in (tmp_path / "named" / "chunks.lance" / "_versions").iterdir():
        manifest.write_bytes(b"damaged")
    assert "build it again with --rebuild" in ask(SearchSource(tmp_path / "named"), lab, STATE).meta["problem"]
    with pytest.raises(FileFormatError):
        run(SearchSource(tmp_path / "named"), lab)
    with pytest.raises(FileFormatError):
        open_index(IndexPlace(tmp_path / "named", (str(folder),), is_named=True), encoder_of(lab))


def test_second_writer_to_an_index_is_an_error(folder, lab, run) -> None:
    place = SearchSource(folder).place(encoder_of(lab))
    place.path.mkdir(parents=True)
    with locked(place.path), pytest.raises(RowspaceError, match="another process is writing to"):
        run(folder, lab)


def test_damaged_record_counts_as_an_unfinished_run(folder, lab, ask, run) -> None:
    run(folder, lab)
    place = SearchSource(folder).place(encoder_of(lab))
    record = place.path.parent / "run.json"
    assert json.loads(record.read_text())["chunks"] == 5
    for content in ("[1]", "{"):
        record.write_text(content)
        assert ask(folder, lab, STATE).meta["state"] == "partial"


def test_runs_are_distinguished_by_their_parameter(folder, lab, run) -> None:
    kind = search_page(SearchSource(folder)).job_kinds["index"]
    one, other = (kind.read(lab, Query({"at": [at]})) for at in ("1", "2"))
    assert {name for name in one if one[name] != other[name]} == {"at"}
