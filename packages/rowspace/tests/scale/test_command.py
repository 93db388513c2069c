"""`rowspace encode --on`."""

import json

import pytest
from tests.scale.corpus import contents, write_texts
from typer.testing import CliRunner

from rowspace.cli.app import app
from rowspace.scale import PartsOptions, encode_parts


def run(*arguments):
    result = CliRunner().invoke(app, ["encode", *map(str, arguments)], prog_name="rowspace")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_encode_on_processes_saves_parts(tmp_path, table_path):
    source, options = write_texts(tmp_path / "texts"), PartsOptions(column="text", keep_text=False)
    encode_parts(table_path, source, tmp_path / "one", options=options, on=None)
    arguments = (source, "--table", table_path, "--column", "text", "--no-text", "-o", tmp_path / "out", "--workers", 2)
    assert "150 texts × 6 float32 in 3 parts" in run(*arguments, "--on", "processes")
    assert contents(tmp_path / "one") == contents(tmp_path / "out")
    assert json.loads(run(*arguments, "--on", "processes", "--json"))["new_parts"] == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--on", "processes"], "--on saves vectors in a folder or at a URL; name it with -o"),
        (["--on", "processes", "-o", "v", "--resume"], "--resume is not needed with --on: the same command again"),
        (["--strict", "-o", "v.npy"], "--strict and --part-megabytes are for parts; give --on"),
        (["-o", "s3://bucket/v.npy"], "s3://bucket/v.npy is a URL, where parts are saved; give --on"),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments, sentence, table_path):
    result = CliRunner().invoke(app, ["encode", "texts", "--table", table_path, *arguments], prog_name="rowspace")
    assert result.exit_code == 2
    assert f"rowspace: {sentence}" in result.output
