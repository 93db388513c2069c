"""Folders → files, compared with git where it decides."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rowspace.errors import UsageError
from rowspace.search.reading.files import excludes_file, find_files, resolve_roots


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


NAMES = ("a", "b", "ab", "a.py", "b.txt", "build", "src", "é", "x y", "[a]")
PATTERNS = (
    *("*", "!*/", "!*.py", "*.py", "!a.py", "/a", "/b/", "a/", "!a/", "**/b", "!**/b", "src/*", "!src/a", "src/**"),
    *("!src/**", "build/", "!build/", "*.txt", "[ab]", "[!a]*", "a/b", "!a/b", "/*", "!/src", "!/src/", "!/*/", "?"),
    *("\\[a\\]", "x y", " a", "a ", "# c", "", "!", "!/", "**", "!**", "**/", "é", "!b/**", "a/**/b", "*/a"),
)
LINES = st.lists(st.sampled_from(PATTERNS), max_size=5)


def tree(depth):
    """Return a strategy of folders: the lines of a .gitignore, and the content of names, None for a file."""
    content = st.none() if depth == 0 else st.none() | tree(depth - 1)
    return st.tuples(LINES, st.dictionaries(st.sampled_from(NAMES), content, min_size=1, max_size=4))


def write_tree(folder, lines, content, start, end):
    folder.mkdir(exist_ok=True)
    if lines:
        (folder / ".gitignore").write_bytes(start + b"".join(line.encode() + end for line in lines))
    for name, inner in content.items():
        if inner is None:
            (folder / name).write_text("x")
        else:
            write_tree(folder / name, *inner, start, end)


@given(tree(2), LINES, st.sampled_from([b"", b"\xef\xbb\xbf"]), st.sampled_from([b"\n", b"\r\n"]))
@settings(max_examples=60, deadline=None)
def test_git_leaves_out_the_same_files_of_any_tree(root, exclude, start, end):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve()
        write_tree(path, *root, start, end)
        subprocess.run(["git", "init", "-q", "--template="], cwd=path, check=True)
        (path / ".git" / "info").mkdir()
        (path / ".git" / "info" / "exclude").write_text("\n".join(exclude))
        command = ["git", "-c", "core.excludesFile=", "ls-files", "-z", "--others", "--exclude-standard"]
        listed = os.fsdecode(subprocess.run(command, cwd=path, check=True, capture_output=True).stdout)
        theirs = {name for name in listed.split("\0") if name and not Path(name).name.startswith(".")}
        assert set(names(path)) == theirs
        for inner in (name for name, content in root[1].items() if content is not None):
            if any(
                name.startswith(f"{inner}/") for name in theirs
            ):  # git ignores nothing above that we are told to read
                below = {os.path.relpath(name, inner) for name in theirs if name.startswith(f"{inner}/")}
                assert below == set(names(path / inner)), inner


def test_patterns_of_the_user_are_applied_as_in_git(tmp_path, monkeypatch):
    """Those of `core.excludesFile`, through a link, or of git's default file; a repository may include these files."""
    home, folder = tmp_path / "home", tmp_path / "repository"
    for name in ("a.log", "b.log", "keep.log", "c.tmp", "d.txt", "inside/e.tmp"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("text")
    (folder / ".gitignore").write_text("!keep.log\n")
    subprocess.run(["git", "init", "-q", "--template="], cwd=folder, check=True)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"):
        monkeypatch.delenv(name, raising=False)

    def check():
        command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
        expected = {name for name in listed.split("\0") if name and not name.startswith(".")}
        excludes_file.cache_clear()
        assert set(names(folder)) == expected
        return expected

    assert "a.log" in check()
    (home / ".config/git").mkdir(parents=True)
    (home / ".config/git/ignore").write_text("*.log\n")
    assert check() == {"keep.log", "c.tmp", "d.txt", "inside/e.tmp"}
    (home / "mine").write_text("*.tmp\n")
    (home / "link").symlink_to(home / "mine")
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/link\n")
    assert check() == {"a.log", "b.log", "keep.log", "d.txt"}
    (home / ".gitconfig").write_text("[core]\n\texcludesFile =\n")
    assert "a.log" in check()


def test_a_repository_in_another_one_has_its_own_patterns(tmp_path):
    write_tree(tmp_path, ["*.txt"], {"a.txt": None, "inner": (["*.py"], {"a.txt": None, "a.py": None})}, b"", b"\n")
    assert names(tmp_path) == []
    (tmp_path / "inner" / ".git").mkdir()
    assert names(tmp_path) == names(tmp_path.parent / tmp_path.name) == ["inner/a.txt"]
    assert names(tmp_path / "inner") == ["a.txt"]


def test_what_is_left_out_has_its_reason(tmp_path):
    reasons = {
        ".env": "hidden",
        "a.log": "excluded by .gitignore",
        "build": "excluded by .gitignore",
        "web/package-lock.json": "lock file",
        "uv.lock": "lock file",
        "web/app.min.js": "minified",
        "web/app-min.css": "minified",
        "web/app.js.map": "minified",
        "index": "index of rowspace",
        "table": "table of rowspace",
        "link.txt": "symbolic link",
        "pipe": "special file",
    }
    for name in ("build/a/b", "index/chunks.lance/a", "table/rowspace.json", "table/a.txt", "web/app.js", "min.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    for name, reason in reasons.items():
        if reason in ("hidden", "lock file", "minified") or name == "a.log":
            (tmp_path / name).write_text("x")
    (tmp_path / ".gitignore").write_text("*.log\nbuild/\n")
    (tmp_path / "link.txt").symlink_to("web")
    os.mkfifo(tmp_path / "pipe")
    left_out = {}
    found = [os.path.relpath(each.path, tmp_path) for each in find_files([str(tmp_path)], {}, left_out)]
    assert found == ["min.js", "web/app.js"]
    assert left_out == {f"{tmp_path}/{name}": why for name, why in (reasons | {".gitignore": "hidden"}).items()}
    assert names(tmp_path / "uv.lock") == ["."]  # a file that is named itself


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
    with pytest.raises(UsageError, match=r"no file or folder .*nothing'; check"):
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
