"""Folders → files, compared with git where it decides."""

import os
import subprocess
from pathlib import Path

import pytest

from rowspace.encode.index.files import find_files, resolve_roots
from rowspace.errors import UsageError


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
    with pytest.raises(UsageError, match=r"the path of a file is empty; name .* '\.' for the current folder"):
        resolve_roots([tmp_path, ""])
    assert resolve_roots(tmp_path / "nothing", known=[str(tmp_path / "nothing")]) == [str(tmp_path / "nothing")]
    assert list(find_files([str(tmp_path / "nothing")])) == []
