"""Files at URLs, in a server that speaks S3's protocol."""

import os

import pytest
from tests.search.s3_server import bucket_server

from rowspace.errors import RowspaceError, UsageError
from rowspace.files.hub import local_copy
from rowspace.files.remote import (
    delete_remote,
    open_remote,
    read_remote,
    remote_file,
    remote_files,
    remote_names,
    upload,
    write_remote,
)
from rowspace.files.remote_place import Place

NAMES = ["a b/é%20?.txt", "a b/x.txt", "a b/in/y.txt", "a b/in/z.md", "a b/_SUCCESS", "top.txt"]


@pytest.fixture(scope="module")
def _bucket():
    with pytest.MonkeyPatch.context() as patch, bucket_server() as environment:
        for name, value in environment.items():
            patch.setenv(name, value)
        for name in NAMES:
            write_remote(f"s3://bucket/{name}", name.encode())
        yield


def found(pattern):
    return [file.url.removeprefix("s3://bucket/") for file in remote_files(f"s3://bucket/{pattern}")]


@pytest.mark.usefixtures("_bucket")
def test_names_folders_and_patterns_find_files():
    assert found("top.txt") == ["top.txt"]
    assert found("a b") == found("a b/") == ["a b/in/y.txt", "a b/in/z.md", "a b/x.txt", "a b/é%20?.txt"]
    assert found("a b/*.txt") == ["a b/x.txt", "a b/é%20?.txt"]
    assert found("**/*.txt") == ["a b/in/y.txt", "a b/x.txt", "a b/é%20?.txt", "top.txt"]
    assert found("a b/[w-x].t?t") == ["a b/x.txt"]
    assert [read_remote(file.url) for file in remote_files("s3://bucket/**")] == [n.encode() for n in sorted(NAMES)]
    assert remote_names("s3://bucket/a b/in") == {"y.txt", "z.md"}
    assert remote_names("s3://bucket/none") == set()


@pytest.mark.usefixtures("_bucket")
def test_a_file_is_written_read_in_places_and_deleted(tmp_path):
    (tmp_path / "large").write_bytes(data := os.urandom(11_000_000))  # in more than one piece
    upload(tmp_path / "large", url := "s3://bucket/new/large")
    assert remote_file(url).size == len(data)
    with open_remote(url) as file:
        file.seek(10_000_000)
        assert file.read(100) == data[10_000_000:10_000_100]
    assert remote_names("s3://bucket/new") == {"large"}
    delete_remote(url)
    delete_remote(url)
    assert read_remote(url) is None


@pytest.mark.usefixtures("_bucket")
def test_a_copy_is_kept_until_the_folder_changes(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    write_remote("s3://bucket/table/config.json", b"{}")
    write_remote("s3://bucket/table/in/rows", b"1")
    copy = local_copy("s3://bucket/table/")
    assert copy.name == "table"
    assert (copy / "in/rows").read_bytes() == b"1"
    assert local_copy("s3://bucket/table") == copy
    write_remote("s3://bucket/table/in/rows", b"12")
    assert (local_copy("s3://bucket/table") / "in/rows").read_bytes() == b"12"
    assert local_copy("s3://bucket/top.txt").read_bytes() == b"top.txt"


@pytest.mark.usefixtures("_bucket")
@pytest.mark.parametrize(
    ("url", "kind", "sentence"),
    [
        ("s3://bucket/none", UsageError, "there is no file or folder 's3://bucket/none'; check the address"),
        ("s3://bucket/*.pdf", UsageError, "no file matches the pattern 's3://bucket/*.pdf'; check the address"),
        ("ftp://host/x", UsageError, "'ftp://host/x' cannot be opened (Unrecognized filesystem type in URI: "
            "ftp://host/); URLs begin with s3, gs or hdfs"),
    ],
)  # fmt: skip
def test_what_is_not_there_is_named(url, kind, sentence):
    with pytest.raises(kind) as caught:
        remote_files(url)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("place", ["key:secret@bucket/a", "key:sec/ret@bucket/a"])
def test_keys_in_a_url_are_refused_and_not_printed(place):
    with pytest.raises(UsageError) as caught:
        remote_files(f"s3://{place}")
    assert str(caught.value) == (
        "a URL that begins with s3:// has a key in it, and URLs are shown and saved; set variables of the environment, "
        "such as AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for s3://"
    )


def test_the_user_of_a_url_is_no_part_of_the_path():
    place = Place.of("gs://anonymous@bucket/a/b?scheme=http")
    assert (place.path, place.before, place.after) == ("bucket/a/b", "gs://anonymous@", "?scheme=http")


@pytest.mark.usefixtures("_bucket")
def test_a_folder_is_not_a_file():
    with pytest.raises(UsageError, match=r"^'s3://bucket/a b' is a folder; name a file in it$"):
        remote_file("s3://bucket/a b")
    with pytest.raises(UsageError, match=r"^there is no file or folder 's3://bucket/none'"):
        remote_file("s3://bucket/none")


@pytest.mark.usefixtures("_bucket")
def test_a_bucket_that_cannot_be_written_is_named():
    expected = "s3://other/x: cannot be written (no such bucket); check the address, the access keys and the network"
    with pytest.raises(RowspaceError) as caught:
        write_remote("s3://other/x", b"1")
    assert str(caught.value) == expected
