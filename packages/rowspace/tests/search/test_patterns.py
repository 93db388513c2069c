"""Patterns of .gitignore, compared with git."""

import os
import subprocess

from rowspace.search.reading.files import find_files
from rowspace.search.reading.patterns import IgnoreFile, parse_pattern

NAMES = ["a", "b", "ab", "a.b", "-", "]", "[a]", "é", "x1", "*", "a b", "#x", "!x", "\\", "A", "z"]
PATTERNS = [
    *("a", "/a", "a/", "a/b", "/a/b", "*", "a*", "*b", "a*b", "**", "***", "**/a", "a/**", "a/**/b", "**/a/**", "a**b"),
    *(
        "?",
        "??",
        "a?b",
        "[ab]",
        "[!a]",
        "[^a]*",
        "[a-c]",
        "[z-a]",
        "[z-ab]",
        "[]a]",
        "[!]a]",
        "[a-]",
        "[-a]",
        "[a",
        "[]",
    ),
    *("[[:alpha:]]", "[[:digit:][:upper:]]*", "[[:foo:]]", "[[:alpha]", "[a[:space:]]*", "[--0]", "[\\]]", "[\\a-b]"),
    *("\\*", "\\a", "a\\", "\\#x", "#x", "\\!x", "a ", "a\\ b", "a b  ", "[*]", "x[0-9]", "[[]a]", "é", "a//b", "/"),
    *("a**/b", "/a**", "/a**/b", "[a]**/b", "/a.**/]", "!x**", "/x***/z", "a/**b", "/**a/b"),
    *("a/*", "*/b", "*/*/b", "**/b/", "a/**/**/b", "/**", "**/*", "[!a]/b", "\\[a\\]", "[a-b-z]", "[&&a]", "?é"),
]


def test_each_pattern_matches_the_paths_that_git_matches(tmp_path):
    folders = [first for first in NAMES if first != "b"]
    paths = [*folders, *(f"{first}/{name}" for first in folders for name in NAMES)]
    for folder in folders:
        (tmp_path / folder).mkdir()
        for name in NAMES:
            (tmp_path / folder / name).write_text("")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for pattern in PATTERNS:
        (tmp_path / ".gitignore").write_text(f"{pattern}\n")
        command = ["git", "check-ignore", "-z", "--no-index", "--stdin"]
        done = subprocess.run(command, cwd=tmp_path, input="\0".join(paths).encode(), capture_output=True, check=False)
        theirs = set(os.fsdecode(done.stdout).split("\0")) - {""}
        ignored = IgnoreFile([pattern.encode().decode("latin-1")])
        ours = {path for path in paths if any(excludes(ignored, *part) for part in parts(path))}
        assert ours == theirs, pattern


def parts(path):
    """Yield the folders of a path and the path itself, each with whether it is a folder."""
    folder = path.partition("/")[0]
    return [(folder, True)] if folder == path else [(folder, True), (path, False)]


def excludes(ignored, path, is_folder):
    return ignored.decision(os.fsencode(path).decode("latin-1"), is_folder=is_folder)


def test_the_last_pattern_that_matches_decides():
    ignored = IgnoreFile(["*.log", "!keep.log", "keep.log/", "!", "  "])
    assert [ignored.decision(path, is_folder=False) for path in ("a.log", "keep.log", "a")] == [True, False, None]
    assert ignored.decision("keep.log", is_folder=True)


def test_many_stars_take_no_combinations():
    """A matcher that tries them all would not end."""
    for pattern, path, expected in (
        ("*a" * 12 + "b", "a" * 250 + "c", None),
        ("*a" * 12 + "c", "a" * 250 + "c", True),
        ("**/a/" * 12 + "b", "a/" * 2000 + "c", None),
        ("**/a*a/" * 12 + "c", "aa/" * 1300 + "c", True),
        ("[a]*" * 900, "a" * 250, None),
    ):
        assert IgnoreFile([pattern]).decision(path, is_folder=False) == expected, pattern


def test_lines_without_a_pattern():
    for line in ("", "   ", "#a", "!", "/", "[", "a\\", "[[:foo:]]"):
        assert parse_pattern(line) is None, line


def test_two_stars_behind_a_literal_beginning_are_those_of_git(tmp_path):
    paths = ["a/b", "a/x/b", "aX/b", "aX/y/b", "ab", "src/q", "c/a/y/b"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    for lines in (
        ["a**/b"],
        ["/a**"],
        ["c/a**/b"],
        ["*", "!*/", "!/a**"],
        ["*", "!*/", "!sr**/q", "!a**/b"],
        ["?**/b"],
    ):
        (tmp_path / ".gitignore").write_text("\n".join(lines))
        command = ["git", "ls-files", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.split()
        found = {os.path.relpath(file.path, tmp_path) for file in find_files([str(tmp_path)])}
        assert found == set(listed) - {".gitignore"}, lines
