import os
from pathlib import Path

import pytest

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.files.open_folder import Folder, open_regular, resolve_inside


def test_open_folder_keeps_the_original_after_replacement(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"old")
    with Folder(tmp_path / "a") as folder:
        assert not folder.was_replaced()
        (tmp_path / "a").rename(tmp_path / "b")
        assert not folder.was_replaced()  # moved away, but not replaced
        (tmp_path / "a").mkdir()
        assert folder.was_replaced()
        with folder.open("file") as file:
            assert file.read() == b"old"


def test_folder_falls_back_to_paths_without_dir_fd_support(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "supports_dir_fd", frozenset())  # as on Windows; no Linux lacks it
    (tmp_path / "file").write_bytes(b"x")
    with Folder(tmp_path) as folder, folder.open("file") as file:
        assert file.read() == b"x"
        assert not folder.was_replaced()


def test_missing_and_irregular_files_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")  # has no writer: a plain open would block forever
    for name, complaint in [
        ("none", "missing"),
        ("folder", "a folder is there"),
        ("pipe", "not a regular"),
    ]:
        with pytest.raises(FileFormatError, match=f"{name}: {complaint}"):
            open_regular(tmp_path / name)


def test_unreadable_file_raises_a_clear_error(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(RowspaceError, match="loop: cannot be read: Too many levels of symbolic links"):
        open_regular(Path(tmp_path / "loop"))


def test_name_inside_the_folder_resolves_to_its_path(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    for folder in (tmp_path, tmp_path / "link"):  # the folder itself may be a link
        assert resolve_inside(folder, "model.safetensors") == folder / "model.safetensors"
    assert resolve_inside(tmp_path, "..model") == tmp_path / "..model"


@pytest.mark.parametrize("name", ["..", ".", "../a", "a/b", "/a", "a/", "./a"])
def test_name_outside_the_folder_is_refused(tmp_path, name):
    with pytest.raises(FileFormatError, match=r"the file name .* is outside the folder; put the file into the folder"):
        resolve_inside(tmp_path, name)


@pytest.mark.parametrize("target", ["../b/file", "/b/file", "..", "sub/../../b"])
def test_link_outside_the_folder_is_refused_even_if_its_target_is_missing(tmp_path, target):
    (tmp_path / "a" / "sub").mkdir(parents=True)
    (tmp_path / "a" / "file").symlink_to(target)
    with pytest.raises(FileFormatError, match=r"a/file: a link out of the folder, to .*: cp -rL .*a COPY"):
        resolve_inside(tmp_path / "a", "file")
