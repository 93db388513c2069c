# ruff: noqa: PT012  # the tests are about what happens in and after a `with` block of several statements
import errno
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.system_calls import without_exchange

from rowspace._base.atomic import (
    atomic_file,
    atomic_folder,
    check_file_target,
    check_folder_target,
    find_backup,
    make_scratch,
    name_with_suffix,
    replace,
    scratch_folder,
    temporaries,
)
from rowspace.errors import RowspaceError, UsageError

MARKER = "rowspace.json"
# The scripts below import system_calls.
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])}


def write(path: Path, text: str) -> None:
    with atomic_folder(path) as folder:
        (folder / MARKER).write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def read(path: Path) -> str:
    return (path / MARKER).read_text()


def with_exchange(task: Callable[..., object], *arguments: object) -> object:
    return task(*arguments)


either_way = pytest.mark.parametrize("run", [with_exchange, without_exchange])


@either_way
def test_new_folder_replaces_the_old_one(tmp_path, run):
    write(tmp_path / "t", "old")
    run(write, tmp_path / "t", "new")
    assert read(tmp_path / "t") == "new"
    assert names(tmp_path) == ["t"]


@either_way
def test_replaced_folder_keeps_its_mode(tmp_path, run):
    write(tmp_path / "t", "old")
    (tmp_path / "t").chmod(0o700)
    run(write, tmp_path / "t", "new")
    assert (tmp_path / "t").stat().st_mode & 0o777 == 0o700


def test_new_file_replaces_the_old_one_and_keeps_its_mode(tmp_path):
    target = tmp_path / "f"
    target.write_bytes(b"old")
    target.chmod(0o640)
    with atomic_file(target) as file:
        file.write(b"new")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["f"]


def test_file_may_be_closed_inside_the_block(tmp_path):
    with atomic_file(tmp_path / "f") as file:
        file.write(b"new")
        file.close()
    assert (tmp_path / "f").read_bytes() == b"new"


@pytest.mark.parametrize("stop", [KeyError("mine"), KeyboardInterrupt(), FileNotFoundError(errno.ENOENT, "mine")])
def test_exception_leaves_the_old_folder_and_no_temporaries(tmp_path, stop):
    write(tmp_path / "t", "old")
    with pytest.raises(type(stop)) as caught, atomic_folder(tmp_path / "t") as folder:
        (folder / MARKER).write_text("half")
        raise stop
    assert caught.value is stop  # not translated to an error of the save
    assert read(tmp_path / "t") == "old"
    assert names(tmp_path) == ["t"]


def test_exception_leaves_the_old_file_and_no_temporaries(tmp_path):
    (tmp_path / "f").write_bytes(b"old")
    with pytest.raises(KeyError), atomic_file(tmp_path / "f") as file:
        file.write(b"half")
        raise KeyError
    assert (tmp_path / "f").read_bytes() == b"old"
    assert names(tmp_path) == ["f"]


def test_failed_second_rename_restores_the_old_folder(tmp_path):
    # A folder can neither be exchanged with its own child nor be renamed to it: both fail with EINVAL.
    write(tmp_path / "t", "old")
    with pytest.raises(OSError, match="Invalid argument"):
        replace.swap_in(tmp_path, tmp_path / "t")
    assert read(tmp_path / "t") == "old"
    assert names(tmp_path) == ["t"]


@pytest.mark.parametrize(
    ("holds", "complaint"),
    [
        (["notes.txt"], "is not empty and holds no rowspace.json"),
        ([MARKER, "data", "notes.txt"], "also holds 'notes.txt'"),
        ([".git"], "is not empty"),
    ],
)
def test_folder_with_foreign_files_is_refused_and_unchanged(tmp_path, holds, complaint):
    target = tmp_path / "home"
    target.mkdir()
    for name in holds:
        (target / name).write_text("precious")
    with pytest.raises(UsageError, match=complaint), atomic_folder(target, contents=["data"]):
        raise AssertionError("the block must not be reached")
    assert names(target) == sorted(holds)


def test_foreign_file_added_during_the_save_is_not_deleted(tmp_path):
    write(tmp_path / "t", "old")
    with (
        pytest.raises(UsageError, match="also holds 'mine'"),
        atomic_folder(tmp_path / "t", contents=[]) as folder,
    ):
        (folder / MARKER).write_text("new")
        (tmp_path / "t" / "mine").write_text("precious")
    assert (tmp_path / "t" / "mine").read_text() == "precious"


@pytest.mark.parametrize("clutter", [[], [".DS_Store"]])
def test_empty_folder_is_replaced(tmp_path, clutter):
    (tmp_path / "t").mkdir()
    for name in clutter:
        (tmp_path / "t" / name).touch()
    write(tmp_path / "t", "new")
    assert names(tmp_path / "t") == [MARKER]


def test_folder_does_not_replace_a_file_or_the_reverse(tmp_path):
    (tmp_path / "f").touch()
    (tmp_path / "d").mkdir()
    with pytest.raises(UsageError, match="it is a file, but a folder would be written"):
        check_folder_target(tmp_path / "f")
    with pytest.raises(UsageError, match="it is a folder, but a file would be written"):
        check_file_target(tmp_path / "d")


def test_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        check_file_target(tmp_path / "pipe")


def test_current_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="the current folder"):
        check_folder_target(".")


@pytest.mark.parametrize("check", [check_folder_target, check_file_target])
@pytest.mark.parametrize(
    ("path", "kind", "complaint"),
    [
        ("-", UsageError, "standard output is not a place for it; name a file or a folder"),
        ("", UsageError, "at least one character"),
        ("a\0b", UsageError, "no NUL"),
        ("missing/t", UsageError, "the folder .*missing does not exist; create it first"),
        ("file/t", UsageError, "does not exist"),
        ("loop", UsageError, "form a loop"),
        ("n" * 256, RowspaceError, "File name too long"),
    ],
)
def test_invalid_path_raises_a_clear_message(tmp_path, monkeypatch, check, path, kind, complaint):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("loop").symlink_to("loop")
    with pytest.raises(kind, match=complaint):
        check(path)


def test_target_may_have_the_longest_legal_name(tmp_path):
    target = tmp_path / ("é" * 127)
    write(target, "old")
    write(target, "new")
    assert read(target) == "new"


def test_folder_without_permission_raises_a_clear_message(unprivileged):
    folder = unprivileged / "closed"
    folder.mkdir(mode=0o555)
    for check in (check_folder_target, check_file_target):
        with pytest.raises(RowspaceError, match=f"no permission to write in {folder}; name another path"):
            check(folder / "t")


def test_permission_lost_during_the_save_raises_a_clear_message(unprivileged):
    with (
        pytest.raises(RowspaceError, match=f"no permission to write in {unprivileged}"),
        atomic_folder(unprivileged / "t") as folder,
    ):
        (folder / MARKER).touch()
        unprivileged.chmod(0o555)


def test_unreadable_folder_is_not_replaced(unprivileged):
    write(unprivileged / "t", "old")
    (unprivileged / "t").chmod(0o000)
    with pytest.raises(RowspaceError, match=r"cannot save to .*/t .existing files are unchanged.: no permission"):
        check_folder_target(unprivileged / "t")


def test_name_with_suffix_fits_and_differs_by_name():
    for name in ("x" * 250, "x" * 251, "x" * 252, "x" * 255, "é" * 127, "안" * 85, "\udcff" * 255):
        longer = name_with_suffix(name, ".fit")
        assert len(os.fsencode(longer)) <= 255, name
        assert longer.endswith(".fit"), name
        assert (longer == f"{name}.fit") == (len(os.fsencode(name)) <= 251), name
    assert name_with_suffix("x" * 252, ".fit") != name_with_suffix("x" * 253, ".fit")


def test_refused_write_raises_a_clear_message(tmp_path):
    # A limit on the file size is the only way for a test to make the system refuse a write.
    write(tmp_path / "t", "old")
    (tmp_path / "f").write_bytes(b"old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))
    try:
        with pytest.raises(RowspaceError, match=r"existing files are unchanged\): a file grew past the size"):
            write(tmp_path / "t", "x" * 2000)
        with (
            pytest.raises(RowspaceError, match="a file grew past the size"),
            atomic_file(tmp_path / "f") as file,
        ):
            file.write(b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert read(tmp_path / "t") == "old"
    assert (tmp_path / "f").read_bytes() == b"old"
    assert names(tmp_path) == ["f", "t"]


def test_saving_through_a_link_replaces_its_target(tmp_path):
    (tmp_path / "far").mkdir()
    write(tmp_path / "far" / "t", "old")
    (tmp_path / "link").symlink_to(tmp_path / "far" / "t")
    write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert read(tmp_path / "far" / "t") == "new"


def test_saving_through_a_dangling_link_creates_its_target(tmp_path):
    (tmp_path / "link").symlink_to("t")
    write(tmp_path / "link", "new")
    assert read(tmp_path / "t") == "new"


def test_saving_a_file_through_a_link_keeps_the_link(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "f").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "far" / "f")
    with atomic_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "far" / "f").read_bytes() == b"new"
    assert names(tmp_path / "far") == ["f"]


# Prints each fsync as [path, whether it was completely written, whether the new version is already in place]. It is a
# separate process so that `os.fsync` can be wrapped. The state at each call shows the order for every kind of renaming,
# also for the kernel's exchange, which has no audit event.
RECORD_SYNCS = """
import json, os, sys
from pathlib import Path
from rowspace._base.atomic import atomic_folder, atomic_file
from system_calls import forbid_exchange

root, log, fsync = Path(sys.argv[1]), [], os.fsync

def read(path):
    path = path / "rowspace.json" if path.is_dir() else path
    return path.read_text() if path.exists() else ""

def record(number):
    path = Path(os.readlink(f"/proc/self/fd/{number}"))
    parts = ["new" if part.startswith(".rowspace-") else part for part in path.relative_to(root).parts]
    log.append(["/".join(parts), path.is_dir() or read(path) == "new", read(root / "t") == "new"])
    fsync(number)

os.fsync = record
if sys.argv[2] == "file":
    with atomic_file(root / "t") as file:
        file.write(b"new")
else:
    if sys.argv[2] == "two renames":
        forbid_exchange()
    with atomic_folder(root / "t") as folder:
        (folder / "inner").mkdir()
        (folder / "inner" / "data").write_text("new")
        (folder / "rowspace.json").write_text("new")
print(json.dumps(log))
"""


@pytest.mark.parametrize("way", ["exchange", "two renames", "file"])
@pytest.mark.parametrize("before", ["", "old"])
def test_contents_are_synced_before_the_swap_and_the_name_after(tmp_path, way, before):
    if before and way == "file":
        (tmp_path / "t").write_text(before)
    elif before:
        write(tmp_path / "t", before)
    done = subprocess.run(
        [sys.executable, "-c", RECORD_SYNCS, tmp_path, way], env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    *contents, name = json.loads(done.stdout)
    files = ["new"] if way == "file" else ["new", "new/inner", "new/inner/data", "new/rowspace.json"]
    assert sorted(contents) == [[file, True, False] for file in files]
    assert name == ["", True, True]


DIE = """
import os, signal, sys
from pathlib import Path
from rowspace._base.atomic import atomic_folder
{fallback}
with atomic_folder(sys.argv[1]) as folder:
    (folder / "rowspace.json").write_text("new")
    {inside}
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"
KILL_BETWEEN = f"""
from system_calls import forbid_exchange
forbid_exchange()
rename = Path.rename
def renaming(path, target):
    rename(path, target)
    {KILL}
Path.rename = renaming
"""


def die(target: Path, *, fallback: str = "", inside: str = "") -> None:
    script = DIE.format(fallback=fallback, inside=inside)
    assert subprocess.run([sys.executable, "-c", script, target], env=ENVIRONMENT, check=False).returncode == -9


def test_next_save_removes_temporaries_of_a_killed_one(tmp_path):
    write(tmp_path / "t", "old")
    die(tmp_path / "t", inside=KILL)
    assert read(tmp_path / "t") == "old"
    assert len(names(tmp_path)) == 2
    write(tmp_path / "t", "newer")
    assert names(tmp_path) == ["t"]


def test_next_save_recovers_from_a_kill_between_the_two_renames(tmp_path):
    write(tmp_path / "t", "old")
    die(tmp_path / "t", fallback=KILL_BETWEEN)
    assert not (tmp_path / "t").exists()
    assert read(find_backup(tmp_path / "t")) == "old"
    with pytest.raises(KeyError), atomic_folder(tmp_path / "t"):
        raise KeyError  # even a save that fails first restores the old one
    assert read(tmp_path / "t") == "old"
    assert find_backup(tmp_path / "t") is None
    assert names(tmp_path) == ["t"]


def test_folder_within_the_temporary_of_another_is_written_directly(tmp_path):
    # so that a process killed meanwhile leaves nothing but the temporary of the outer target, which the next save knows
    with atomic_folder(tmp_path / "t") as outer:
        write(outer, "table")
        with atomic_folder(outer) as again:  # no longer empty: replaced, like any other
            assert again != outer
            (again / MARKER).write_text("table 2")
        with atomic_folder(outer / "sub") as inner:
            assert inner.parent == outer
            (inner / MARKER).touch()
        assert names(tmp_path) == [outer.name]
    assert read(tmp_path / "t") == "table 2"
    assert names(tmp_path) == ["t"]


def test_scratch_folders_of_killed_processes_are_removed_by_the_next_one(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    kept = [
        tmp_path / f"{temporaries._prefix(tmp_path / 'fit')}{1}-00000000.tmp",
        make_scratch("fit"),
        make_scratch("arena"),
    ]
    dead = tmp_path / f"{temporaries._prefix(tmp_path / 'fit')}4194305-00000000.tmp"  # above the largest process id
    for folder in (kept[0], dead):
        folder.mkdir()
        (folder / "ids").touch()
    with pytest.raises(KeyError), scratch_folder("fit") as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert set(tmp_path.iterdir()) == {*kept, folder}
        raise KeyError
    assert set(tmp_path.iterdir()) == set(kept)


def test_backup_is_removed_if_the_target_exists(tmp_path):
    write(tmp_path / "t", "old")
    die(tmp_path / "t", fallback=KILL_BETWEEN)
    backup = find_backup(tmp_path / "t")
    (tmp_path / "t").mkdir()
    write(tmp_path / "t", "new")
    assert not backup.exists()
    assert read(tmp_path / "t") == "new"


def test_temporaries_of_running_processes_and_of_other_targets_are_not_removed(tmp_path):
    prefix, others = temporaries._prefix(tmp_path / "t"), temporaries._prefix(tmp_path / "another")
    dead = 4194305  # above the largest process id of Linux
    (tmp_path / f"{prefix}{dead}-00000000.tmp").touch()
    running = [f"{prefix}{process}-00000000.tmp" for process in (os.getpid(), 1, 2**70)]
    foreign = [f"{others}{dead}-00000000.tmp", f"{prefix}{dead}-00000000.txt", ".rowspace-notes.tmp"]
    for name in [*running, *foreign]:
        (tmp_path / name).touch()
    write(tmp_path / "t", "new")
    assert names(tmp_path) == sorted([*running, *foreign, "t"])


def test_temporary_names_are_hidden_and_contain_process_and_kind(tmp_path):
    with atomic_folder(tmp_path / "t") as folder:
        assert re.fullmatch(rf"\.rowspace-[0-9a-f]{{8}}-[0-9a-f]{{8}}-{os.getpid()}-[0-9a-f]{{8}}\.tmp", folder.name)
        (folder / MARKER).touch()


@pytest.mark.parametrize("system", ["darwin", "linux"])
def test_exchange_returns_false_where_unsupported(tmp_path, system):
    # Linux has no renamex_np; a folder cannot be exchanged with its own child (EINVAL).
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert replace.exchange(tmp_path / "a", tmp_path / "a" / "b", system) is False


def test_exchange_raises_other_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        replace.exchange(tmp_path / "a", tmp_path / "b")


def test_find_backup_returns_none_for_a_missing_folder(tmp_path):
    assert find_backup(tmp_path / "missing" / "t") is None


def test_sync_ignores_unsupported_folders_but_not_files(tmp_path):
    with pytest.raises(OSError, match="Invalid argument"):
        replace.sync(Path("/dev/null"))
    replace.sync(Path("/proc/self/fdinfo"))  # a folder that refuses, with EINVAL
