"""Tables at URLs, in a server that speaks S3's protocol."""

import json

import numpy as np
import pytest
from tests.search.s3_server import bucket_server
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import app
from rowspace.errors import RowspaceError, UsageError
from rowspace.files import hub
from rowspace.files.remote import read_remote, remote_names, write_remote

PETS = rs.Table(["cat", "dog"], np.eye(2, dtype=np.float32), np.array([3, 2]))
LETTERS = rs.Table(["a", "b", "c"], np.eye(3, dtype=np.float32), outputs=np.ones((3, 3), np.float32))


@pytest.fixture(scope="module", autouse=True)
def _bucket(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch, bucket_server() as environment:
        for name, value in environment.items():
            patch.setenv(name, value)
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("name", ["table", "in/table/", "table.npz", "table.parquet", "table.bin", "table.txt"])
def test_a_table_at_a_url_is_the_one_that_was_saved(name):
    PETS.save(url := f"s3://bucket/kinds/{name}")
    found = rs.load(url)
    assert list(found) == list(PETS)
    np.testing.assert_array_equal(found.rows, PETS.rows)
    assert not [name for name in remote_names("s3://bucket/kinds") if ".tmp" in name]


def test_a_folder_is_replaced_with_all_its_files():
    LETTERS.save("s3://bucket/replaced")
    assert "outputs.safetensors" in remote_names("s3://bucket/replaced")
    PETS.save("s3://bucket/replaced")
    assert "outputs.safetensors" not in remote_names("s3://bucket/replaced")
    assert list(rs.load("s3://bucket/replaced", verify=True)) == ["cat", "dog"]


@pytest.mark.parametrize("old", [LETTERS, rs.Table(["x", "y", "z"], np.eye(3, dtype=np.float32))])
def test_a_table_that_is_replaced_while_it_is_copied_is_copied_again(old, monkeypatch):
    old.save(url := "s3://bucket/changing")
    download, replacements = hub._download, [PETS]

    def replace_after_the_first(file, local):
        download(file, local)
        for table in replacements:
            replacements.clear()
            table.save(url)

    monkeypatch.setattr(hub, "_download", replace_after_the_first)
    assert list(rs.load(url, verify=True)) == ["cat", "dog"]


@pytest.mark.parametrize(
    ("url", "kind", "sentence"),
    [
        ("s3://bucket/pets.npy", UsageError, "s3://bucket/pets.npy: the npy format keeps tokens in a second file"),
        ("s3://bucket/other", UsageError, "s3://bucket/other is a folder and not a table of this format; delete it"),
        ("s3://bucket", UsageError, "'s3://bucket' is a whole bucket; name a file or a folder in it"),
        ("s3://none/pets", RowspaceError, "s3://none/pets: cannot be written (no such bucket); check the address"),
    ],
)
def test_what_cannot_be_saved_there_is_refused_before_long_work(url, kind, sentence):
    write_remote("s3://bucket/other/file", b"1")
    for refused in (rs.Table.check_target, PETS.save):
        with pytest.raises(kind) as caught:
            refused(url)
        assert str(caught.value).startswith(sentence)
    assert read_remote("s3://bucket/other/file") == b"1"


def test_what_is_no_table_is_refused_at_a_url(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        UsageError, match=r"^cannot save to s3://bucket/small: only tables and vectors are saved at URLs"
    ):
        rs.store.save_quantized(PETS, rs.space.quantize(PETS.rows, "int8"), "s3://bucket/small")


def test_commands_read_and_write_urls():
    PETS.save("s3://bucket/commands")
    run("convert", "s3://bucket/commands", "s3://bucket/commands.npz")
    facts = json.loads(run("info", "s3://bucket/commands.npz", "--json"))
    assert (facts["format"], facts["num_embeddings"]) == ("npz", 2)
    assert facts["bytes_on_disk"] == len(read_remote("s3://bucket/commands.npz"))


def run(*arguments):
    result = CliRunner().invoke(app, arguments, prog_name="rowspace")
    assert result.exit_code == 0, result.output
    return result.stdout
