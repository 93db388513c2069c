"""Reading evaluation files line by line."""

import pytest

from rowspace.errors import FileFormatError, UsageError
from rowspace.space.evaluation.files import first_ids, numbered_lines


def test_lines_keep_their_numbers_when_others_are_skipped(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(b"\xef\xbb\xbfone\r\n\n# no\n two \n")
    assert list(numbered_lines(path)) == [(1, "one"), (4, "two")]


def test_missing_file_and_folder_are_refused(tmp_path):
    with pytest.raises(UsageError, match=r"there is no file or folder '.*none'; check the path"):
        list(numbered_lines(tmp_path / "none"))
    with pytest.raises(FileFormatError, match="cannot read"):
        list(numbered_lines(tmp_path))


def test_invalid_utf8_error_names_the_line(tmp_path):
    path = tmp_path / "words"
    path.write_bytes(b"fine\nfine\nbad \xff\n")
    with pytest.raises(FileFormatError, match="line 3: not UTF-8"):
        list(numbered_lines(path))


def test_first_ids_keeps_the_first_case_variant_within_restrict_vocab():
    assert first_ids(["b", "A", "a", "c"], 3, True) == {"B": 0, "A": 1}
    assert first_ids(["b", "A", "a", "c"], None, False) == {"b": 0, "A": 1, "a": 2, "c": 3}
