"""Files → passages by the process with limits, and what becomes of that process."""

import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.fuzz.hostile import CASES, MB, page

from rowspace.errors import MissingExtraError
from rowspace.search.reading import reader as module
from rowspace.search.reading.reader import FileReader, read_groups

SLOW = ("a.html", b"<p>" * 300_000)  # HTML has no plain reading
GUIDE = ("guide.md", b"# Guide\n\nRoses need water.\n")
PARSER = ("parse.py", b"def parse():\n    return 'tulips'\n")


def read(*files):
    with closing(FileReader(1_500)) as reader:
        return reader.read(files)


def test_files_are_read_in_their_order_with_and_without_a_parser():
    note, russian = ("a.txt", b"Tulips"), ("b.py", "# привет".encode("cp1251"))
    found = read(GUIDE, note, russian, PARSER, ("empty.py", b""))
    assert [[chunk.name for chunk in each.chunks] for each in found] == [["Guide"], [""], [], ["parse"], []]
    assert [each.left_out for each in found] == ["", "", "in an unknown encoding", "", ""]


def test_a_missing_parser_error_gives_the_install_command(tmp_path, monkeypatch):
    (tmp_path / "pypdf.py").write_text("raise ModuleNotFoundError(name='pypdf')")
    monkeypatch.syspath_prepend(tmp_path)  # which the process gets
    with pytest.raises(MissingExtraError, match=r"pip install 'rowspace\[search\]'"):
        read(("a.pdf", b"%PDF-1.4"))


@pytest.mark.long
def test_parsers_read_what_took_them_without_end():
    """Each took minutes, ended the run with a traceback, or made names of gigabytes."""
    for case, first in {
        "1,100 nested braces": [],
        "1,100 elif": ["if a: pass"],
        "200 kB of headings": ["# a"],
        "long headings above short ones": ["# tulip"],
        "1 MB of unclosed tags with blanks": [],
        "1 MB of unclosed comments": [],
        "1 MB of headings without an end": ["a"],
        "a reference of 10,000 digits": ["tulip \ufffd"],
        "1 MB of functions after comments": ["/* a */ function f() {}"],
    }.items():
        name, make = CASES[case]
        (found,) = read((name, make()))
        assert (found.problem, found.left_out) == ("", ""), case
        assert [
            chunk.text.split("\n")[0][: len(text)] for chunk, text in zip(found.chunks, first, strict=False)
        ] == first
        assert all(len(chunk.name) <= 1_000 for chunk in found.chunks), case


def test_full_stops_are_searched_once():
    """The passages are long, and a search from each full stop would exceed the limit."""
    with closing(FileReader(100_000)) as reader:
        assert [each.problem for each in reader.read([("a.md", b"a" + b"." * MB)])] == [""]


def test_limits_of_the_user_stay(monkeypatch):
    """An unprivileged process may not raise them."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 40, before[1]))
    try:
        assert read(GUIDE)[0].problem == ""
        monkeypatch.setattr(module, "MEMORY", 1 << 45)
        assert read(GUIDE)[0].problem == ""
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.long
def test_a_parser_that_needs_too_much_memory_leaves_plain_text_and_the_other_files(monkeypatch):
    monkeypatch.setattr(module, "MEMORY", 60 << 20)
    for name, data in (("a.cs", b"a<b<" * 10_000), ("a.md", b"a\n\n" * 300_000)):
        before, hostile, after = read(GUIDE, (name, data), PARSER)
        assert hostile.problem in (
            "takes too much memory; read as plain text",
            "crashes its parser; read as plain text",
        )
        assert {chunk.name for chunk in hostile.chunks} == {""}, name
        assert [before.chunks[0].name, after.chunks[0].name] == ["Guide", "parse"], name


def test_a_file_that_is_too_slow_is_left_out(monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 0.05)
    notebook = ("a.ipynb", b"[" + b"0," * 1_000_000)
    assert [each.problem for each in read(notebook)] == ["takes too long; left out"]
    assert read(SLOW) == [([], "not readable by their parser", "takes too long; left out")]


def test_a_bomb_in_a_pdf_is_left_out():
    problem = "makes its parser fail (LimitReachedError); left out"
    assert read(("a.pdf", page(bytes(100 * MB), "FlateDecode"))) == [([], "not readable by their parser", problem)]


def test_memory_that_an_earlier_file_left_does_not_count(monkeypatch):
    with closing(FileReader(1_500)) as reader:
        reader.read([GUIDE])
        first = reader._process
        monkeypatch.setattr(module, "GROUP_SECONDS", 0.001)  # of processor time, which ends the process
        found = reader.read([GUIDE, ("many.py", PARSER[1] * 5000)])
        assert [each.problem for each in found] == ["", ""]
        assert first.poll() is not None
    assert reader._process is None


def running(pid):
    """Whether a process exists and is not a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_groups_keep_their_order_though_some_take_longer():
    lines = [1 if number % 3 else 20_000 for number in range(9)]
    files = [(f"{number}.md", b"# Title\n\n" + b"A line.\n" * each) for number, each in enumerate(lines)]
    found = list(read_groups(((name, [(name, data)]) for name, data in files), 1_500))
    assert found == [(name, read((name, data))) for name, data in files]


def readers_of(pid):
    """The processes that read files for this one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_child = (folder / "stat").read_text().rpartition(")")[2].split()[1] == str(pid)
            found += [folder.name] if is_child and b"reader_worker" in (folder / "cmdline").read_bytes() else []
        except OSError:  # it has ended
            continue
    return found


def test_groups_that_nobody_takes_leave_no_process():
    groups = read_groups((("", [("a.md", b"a\n\n" * size)]) for size in (1, 3_000_000, 3_000_000, 1)), 1_500)
    next(groups)
    assert readers_of(os.getpid())
    groups.close()
    assert readers_of(os.getpid()) == []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_the_process_ends_with_the_one_that_started_it(number):
    code = (
        "from rowspace.search.reading import reader\n"
        "start = reader.FileReader._start\n"
        "def started(self):\n"
        "    process = start(self)\n"
        "    print(process.pid, flush=True)\n"
        "    return process\n"
        "reader.FileReader._start = started\n"
        "list(reader.read_groups([('', [('a.md', b'a\\n\\n' * 3_000_000)])], 1500))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    with parent:
        worker = int(parent.stdout.readline())
        time.sleep(0.2)
        assert running(worker)
        parent.send_signal(number)
    for _ in range(500):
        if not running(worker):
            break
        time.sleep(0.01)
    assert not running(worker)


def test_modules_in_the_working_folder_are_not_imported(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each not in ("", os.curdir)])
    assert read(GUIDE)[0].chunks[0].name == "Guide"


def test_a_python_that_cannot_start_is_an_error(monkeypatch):
    from rowspace.errors import RowspaceError

    monkeypatch.setattr(module, "_CODE", "raise SystemError('no memory')")
    with pytest.raises(RowspaceError, match=r"did not start \(SystemError: no memory\); check this Python"):
        read(GUIDE)
