"""`rowspace encode --on` and `rowspace fit --on`."""

import json

import numpy as np
import pytest
from tests.scale.corpus import contents, write_texts
from typer.testing import CliRunner

import rowspace as rs
from rowspace.cli.app import app
from rowspace.scale import PartsOptions, encode_parts


def run(*arguments, command="encode"):
    result = CliRunner().invoke(app, [command, *map(str, arguments)], prog_name="rowspace")
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
        (["--part-megabytes", "1", "-o", "v.npy"], "--part-megabytes is for parts; give --on"),
        (["-o", "s3://bucket/v/"], "s3://bucket/v/: at a URL, vectors are saved as .npy or .parquet, or as a folder"),
        (
            ["-o", "s3://bucket/v.npy", "--on", "ray"],
            "--on saves a folder of Parquet files, and s3://bucket/v.npy is the",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(arguments, sentence, table_path):
    result = CliRunner().invoke(app, ["encode", "texts", "--table", table_path, *arguments], prog_name="rowspace")
    assert result.exit_code == 2
    assert f"rowspace: {sentence}" in result.output


@pytest.mark.long
def test_fit_on_processes_learns_the_rows_of_fit(english, tmp_path):
    options = ("--dim", 4, "--epochs", 1, "--workers", 1, "--json")
    run(english, "-o", tmp_path / "one", *options, command="fit")
    run(english, "-o", tmp_path / "parts", *options, "--on", "processes", command="fit")
    one, parts = (rs.load(tmp_path / name) for name in ("one", "parts"))
    assert one.vocabulary == parts.vocabulary
    np.testing.assert_array_equal(one.rows, parts.rows)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--resume", "-o", "t"], "--on is for a text that is read; leave it out with --resume"),
        ([], "--on is for a text that is read; name files"),
        (["-"], "standard input ('-') has no parts"),
    ],
)
def test_a_fit_without_files_is_refused_with_on(arguments, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["fit", *arguments, "--on", "processes"], prog_name="rowspace")
    assert result.exit_code == 2
    assert sentence in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "variables", "sentence"),
    [
        (["t", "--merge-every", 5], {}, "--merge-every, --first-rows and --merging are for several processes"),
        (["t", "--machines", 2], {}, "--machines is for processes that Ray starts; give --on ray"),
        (["t", "--machines", 2, "--on", "ray", "--init", "u"], {}, "--init is for one process; leave it out, or leave"),
        (["--machines", 2, "--on", "ray", "-o", "u"], {}, "several machines read the text; name its files"),
        (["t", "--init", "u"], {"WORLD_SIZE": "2", "RANK": "0"}, "--init is for one process; leave it out"),
        (["t", "--init", "u"], {"WORLD_SIZE": "2", "RANK": "1"}, ""),  # the first process says it
        (["t", "--on", "ray"], {"WORLD_SIZE": "2", "RANK": "0"}, "--on is for one process; leave it out"),
        (["--resume", "-o", "t"], {"WORLD_SIZE": "2", "RANK": "0"}, "several processes read the text again to resume"),
    ],
)
def test_options_that_do_not_fit_the_number_of_processes_are_refused(arguments, variables, sentence, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    result = CliRunner().invoke(app, ["fit", *map(str, arguments)], prog_name="rowspace")
    assert result.exit_code == 2
    assert result.output.startswith(f"rowspace: {sentence}" if sentence else "")
    assert bool(result.output) == bool(sentence)
