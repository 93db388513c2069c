"""SIGKILL at random moments of a build, an update and a rebuild."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.search.samples import make_table, write_files

from rowspace._base.atomic import temporaries
from rowspace.encode import Encoder
from rowspace.errors import UsageError
from rowspace.search import Index

ROUNDS = Path(__file__).with_name("kill_rounds.py")


def kill(kind, folder, times):
    result = subprocess.run(
        [sys.executable, ROUNDS, kind, folder, str(times)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.long
def test_killed_writers_leave_an_index_that_the_next_run_completes(tmp_path):
    for kind in ("build", "update", "named", "bridge"):
        (tmp_path / kind).mkdir()
        kill(kind, tmp_path / kind, 2)


def test_rebuild_killed_between_two_renames_is_named_and_undone_by_the_next_build(tmp_path):
    # what is left on a file system that cannot exchange two names
    files, place, encoder = write_files(tmp_path / "files"), tmp_path / "index", Encoder(make_table())
    Index.build(files, encoder, place)
    dead = f"{temporaries._prefix(place)}4194305-00000000"  # above the largest process id of Linux
    (tmp_path / f"{dead}.tmp").mkdir()
    kept = place.rename(tmp_path / f"{dead}.old")
    with pytest.raises(UsageError, match=f"no index at .*interrupted; the old one is complete in {kept}: rename"):
        Index.open(place, encoder)

    def stop(done, total):
        assert Index.open(place, encoder).files()  # the old one is back while the new one is built
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Index.build(files, encoder, place, on_progress=stop)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["files", "index"]
    assert Index.open(place, encoder).files()


@pytest.mark.long
def test_many_killed_writers(tmp_path):
    for kind in ("build", "update", "named", "rebuild", "bridge"):
        (tmp_path / kind).mkdir()
        kill(kind, tmp_path / kind, 80)
