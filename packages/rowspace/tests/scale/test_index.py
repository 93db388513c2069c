"""An index by workers is that of one process, written in one commit."""

import random

import numpy as np
import pytest
from tests.learn.distillation.small_bert import save_bert
from tests.search.samples import FILES, contents, make_table, write_files

import rowspace as rs
from rowspace.errors import RowspaceError, UsageError
from rowspace.files.remote import upload
from rowspace.scale import build_index
from rowspace.search import Index


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    make_table().save(path := tmp_path_factory.mktemp("tables") / "table")
    return str(path)


@pytest.fixture
def folder(tmp_path):
    chance, words = random.Random(0), " ".join(FILES.values()).split()
    files = {f"{number}.txt": " ".join(chance.choices(words, k=200)) for number in range(40)}
    return write_files(tmp_path / "files", FILES | files | {"package-lock.json": "{}", "empty.txt": ""})


def check_same(made, one):
    assert contents(made) == contents(one)
    assert len(made) == len(one)
    for query in ("tulips water", "install package", "split header"):
        assert made.search(query) == one.search(query)


@pytest.mark.long
def test_hits_are_those_of_one_process_and_an_update_finds_nothing(folder, table, tmp_path):
    seen = []
    made = build_index(folder, table, tmp_path / "made", workers=2, on_progress=lambda *each: seen.append(each))
    one = Index.build(folder, table, tmp_path / "one")
    check_same(made, one)
    assert seen[-1] == (46, 46)
    for name in ("added", "skipped", "left_out", "chunks", "unknown"):
        assert getattr(made.summary, name) == getattr(one.summary, name), name
    assert made.summary.unknown_share == pytest.approx(one.summary.unknown_share)
    operations = [each.operation for each in made._store.dataset.get_transactions()]
    assert [type(each).__name__ for each in operations].count("Append") == 1
    again = Index.open(tmp_path / "made")
    summary = again.update()
    assert (summary.added, summary.changed, summary.removed, summary.unchanged) == (0, 0, 0, 45)
    (folder / "0.txt").write_text("tulips")
    assert again.update().changed == 1
    check_same(
        build_index(folder, rs.load(table), tmp_path / "made", on=None), Index.build(folder, table, tmp_path / "one")
    )


def test_a_failed_build_leaves_the_old_index(folder, table, tmp_path):
    made = build_index(folder, table, tmp_path / "made", on=None)
    before = contents(made)
    (folder / "0.txt").write_text("tulips")
    with pytest.raises(RowspaceError, match=r"^part 000000 \(from \S+\) failed"):
        build_index(folder, _Broken(make_table()), tmp_path / "made", on=None)
    assert contents(Index.open(tmp_path / "made")) == before


class _Broken(rs.Encoder):
    def encode(self, texts, **options):
        if len(texts) > 1:
            raise RowspaceError("broken")
        return super().encode(texts, **options)


@pytest.mark.long
def test_files_at_a_url_and_an_index_in_a_bucket(folder, table, tmp_path, bucket):
    for name in FILES:
        upload(folder / name, f"{bucket}/docs/{name}")
    one = Index.build(f"{bucket}/docs", table, tmp_path / "one")
    made = build_index(f"{bucket}/docs/", table, f"{bucket}/index", on="processes", workers=1)
    check_same(made, one)
    assert {hit.path for hit in one.search("tulips")} <= {f"{bucket}/docs/{name}" for name in FILES}
    assert one.changes(one.search("tulips")) == {}
    summary = Index.open(f"{bucket}/index", table).update()
    assert (summary.added, summary.changed, summary.unchanged) == (0, 0, len(FILES))
    with pytest.raises(UsageError, match="there is no file or folder"):
        build_index(f"{bucket}/none", table, tmp_path / "none", on=None)
    for files, place in [(f"{bucket}/docs?region=eu", tmp_path / "none"), (folder, "s3://user@bucket/none")]:
        with pytest.raises(UsageError, match=r"has (options|a user), which the URLs of an index may not have"):
            build_index(files, table, place, on=None)


def test_a_sentence_encoder_gives_the_vectors_of_one_process_and_a_stopped_build_is_completed(folder, tmp_path):
    save_bert(tmp_path / "bert")

    def stop(done, total):
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index(folder, tmp_path / "bert", tmp_path / "made", on=None, on_progress=stop)
    made, one = Index.open(tmp_path / "made"), Index.build(folder, tmp_path / "bert", tmp_path / "one")
    done = len(made.files())
    assert 10 < done < len(one.files())
    assert made.update().unchanged == done
    for ours, theirs in zip(contents(made), contents(one), strict=True):
        np.testing.assert_allclose(ours.pop("vector"), theirs.pop("vector"), atol=1e-6)
        assert ours == theirs
    whole = build_index(folder, str(tmp_path / "bert"), tmp_path / "made", on=None)
    assert (whole.summary.added, len(whole)) == (len(one.files()), len(one))
    np.testing.assert_allclose(whole.vectors().vectors, one.vectors().vectors, atol=1e-6)


@pytest.mark.long
def test_processes_open_a_sentence_encoder(folder, tmp_path):
    save_bert(tmp_path / "bert")
    made = build_index(folder, tmp_path / "bert", tmp_path / "made", workers=2)
    one = Index.build(folder, tmp_path / "bert", tmp_path / "one")
    assert sorted(made.vectors().paths) == sorted(one.vectors().paths)
    for ours, theirs in zip(contents(made), contents(one), strict=True):
        np.testing.assert_allclose(ours.pop("vector"), theirs.pop("vector"), atol=1e-6)
