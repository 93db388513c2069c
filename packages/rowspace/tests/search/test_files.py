"""Folders → files, compared with git where it decides."""

import os
import subprocess
from pathlib import Path

import pytest

from rowspace.errors import UsageError
from rowspace.search.files import find_files, resolve_roots


def names(root):
    return [os.path.relpath(found.path, root) for found in find_files(resolve_roots(root))]


def test_git_leaves_out_the_same_files(tmp_path):
    files = [
        "a.py",
        "a.log",
        "keep.log",
        "build/x",
        "sub/build/x",
        "sub/a.tmp",
        "sub/deep/a.tmp",
        "sub/deep/keep.tmp",
        "only/top.txt",
        "sub/only/top.txt",
        "sp ace/é.txt",
        "docs/a.md",
        "docs/b/c.md",
    ]
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("# comment\n*.log\n!keep.log\nbuild/\n/only\ndocs/**/c.md\n[\n")
    (tmp_path / "sub" / ".gitignore").write_text("*.tmp\n")
    (tmp_path / "sub" / "deep" / ".gitignore").write_text("!keep.tmp\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=tmp_path, check=True, capture_output=True
    ).stdout.decode()
    theirs = [name for name in listed.split("\0") if name and not Path(name).name.startswith(".")]
    assert sorted(names(tmp_path)) == sorted(theirs)
    assert names(tmp_path / "sub" / "deep") == ["keep.tmp"]


def test_hidden_names_links_and_indexes_are_left_out(tmp_path):
    for name in (".venv/a.py", ".env", "a.txt", "index/chunks.lance/data", "index/b.txt"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "link.txt").symlink_to(tmp_path / "a.txt")
    os.mkfifo(tmp_path / "pipe")
    assert names(tmp_path) == ["a.txt"]
    assert names(tmp_path / ".env") == ["."]


def test_roots(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub2").mkdir()
    assert resolve_roots([tmp_path / "sub2", tmp_path / "sub", f"{tmp_path}/sub/"]) == [
        str(tmp_path / "sub2"),
        str(tmp_path / "sub"),
    ]
    assert resolve_roots([tmp_path, tmp_path / "sub"]) == [str(tmp_path)]
    with pytest.raises(UsageError, match=r"nothing does not exist; name files"):
        resolve_roots(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match=r"pipe is neither a file nor a folder; name files"):
        resolve_roots([tmp_path / "pipe"])
    for wrong in ("a\0b", "\ud800", "a" * 300):
        with pytest.raises(UsageError, match=r"cannot be opened \(.*\); name files and folders"):
            resolve_roots([wrong])
    with pytest.raises(UsageError, match=r"the path of a file is empty; name .* '\.' for the current folder"):
        resolve_roots([tmp_path, ""])
    assert resolve_roots(tmp_path / "nothing", known=[str(tmp_path / "nothing")]) == [str(tmp_path / "nothing")]
    assert list(find_files([str(tmp_path / "nothing")])) == []


def test_gitignore_that_is_no_regular_file_is_named_and_not_applied(tmp_path):
    """A link to a device was read until the memory was full, a pipe waited forever, others were a traceback."""
    reasons = {
        "device": "a symbolic link",
        "dangling": "a symbolic link",
        "pipe": "not a regular file",
        "folder": "a folder is there, expected a file",
        "huge": "larger than 200 kB",
    }
    for name in reasons:
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("x")
    (tmp_path / "device" / ".gitignore").symlink_to("/dev/zero")
    (tmp_path / "dangling" / ".gitignore").symlink_to("nothing")
    os.mkfifo(tmp_path / "pipe" / ".gitignore")
    (tmp_path / "folder" / ".gitignore").mkdir()
    (tmp_path / "huge" / ".gitignore").write_text("*.txt\n" * 40_000)
    problems = {}
    assert len(list(find_files([str(tmp_path)], problems))) == len(reasons)
    assert problems == {f"{tmp_path}/{name}/.gitignore": f"not applied ({why})" for name, why in reasons.items()}


def test_gitignore_in_windows_and_other_encodings(tmp_path):
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbf*.log\r\ncaf\xe9\r\n[z-a]\n")
    for name in (b"a.log", b"caf\xe9", b"caf\xc3\xa9", b"z", b"y"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x")
    assert names(tmp_path) == ["café", "y"]


@pytest.fixture
def deep_folder(tmp_path):
    """A folder with a file 1,500 folders deep, which Python cannot remove."""
    deep = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_500):
        os.mkdir("d", dir_fd=deep)
        inner = os.open("d", os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = inner
    os.close(os.open("a.txt", os.O_CREAT, dir_fd=deep))
    os.close(deep)
    yield tmp_path
    subprocess.run(["rm", "-r", tmp_path / "d"], check=True)


def test_folders_a_thousand_deep(deep_folder):
    assert names(deep_folder) == ["d/" * 1_500 + "a.txt"]


def test_folders_that_cannot_be_read_are_named(unprivileged):
    for name in ("closed", "listed", "open"):
        (unprivileged / name).mkdir()
        (unprivileged / name / "a.txt").write_text("x")
    (unprivileged / "closed").chmod(0)
    (unprivileged / "listed").chmod(0o600)
    problems = {}
    assert [found.path for found in find_files([str(unprivileged)], problems)] == [f"{unprivileged}/open/a.txt"]
    reason = "cannot be read (Permission denied); left out"
    assert problems == {f"{unprivileged}/closed": reason, f"{unprivileged}/listed/a.txt": reason}
