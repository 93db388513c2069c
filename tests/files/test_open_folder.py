import os
from pathlib import Path

import pytest

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.files.open_folder import Folder, open_regular, resolve_inside


def test_an_open_folder_stays_the_one_it_was(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"old")
    with Folder(tmp_path / "a") as folder:
        assert not folder.was_replaced()
        (tmp_path / "a").rename(tmp_path / "b")
        assert not folder.was_replaced()  # it is gone, but nothing has taken its place
        (tmp_path / "a").mkdir()
        assert folder.was_replaced()
        with folder.open("file") as file:
            assert file.read() == b"old"


def test_a_system_without_open_folders_goes_by_path(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "supports_dir_fd", frozenset())
    (tmp_path / "file").write_bytes(b"x")
    with Folder(tmp_path) as folder, folder.open("file") as file:
        assert file.read() == b"x"
        assert not folder.was_replaced()


def test_a_missing_file_and_what_is_no_file_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")  # nobody writes to it: opening it plainly would wait for ever
    for name, complaint in [
        ("none", "missing"),
        ("folder", "a directory is there"),
        ("pipe", "not a regular"),
    ]:
        with pytest.raises(FileFormatError, match=f"{name}: {complaint}"):
            open_regular(tmp_path / name)


def test_a_file_that_may_not_be_read_is_one_clear_sentence(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RowspaceError, match="loop: cannot be read: Too many levels of symbolic links"):
        open_regular(Path(tmp_path / "loop"))


def test_a_name_that_stays_in_the_folder_is_its_path(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    for folder in (tmp_path, tmp_path / "link"):  # where the folder itself lies is its user's choice
        assert resolve_inside(folder, "model.safetensors") == folder / "model.safetensors"
    assert resolve_inside(tmp_path, "..model") == tmp_path / "..model"


@pytest.mark.parametrize("name", ["..", ".", "../a", "a/b", "/a", "a/", "./a"])
def test_a_name_that_leads_elsewhere_is_refused(tmp_path, name):
    with pytest.raises(FileFormatError, match=r"the file name .* leads out of the folder; put the file itself"):
        resolve_inside(tmp_path, name)


@pytest.mark.parametrize("target", ["../b/file", "/b/file", "..", "sub/../../b"])
def test_a_link_that_leads_elsewhere_is_refused_whether_or_not_something_is_there(tmp_path, target):
    (tmp_path / "a" / "sub").mkdir(parents=True)
    (tmp_path / "a" / "file").symlink_to(target)
    with pytest.raises(FileFormatError, match=r"a/file: a link out of the folder, to .*: cp -rL .*a COPY"):
        resolve_inside(tmp_path / "a", "file")
