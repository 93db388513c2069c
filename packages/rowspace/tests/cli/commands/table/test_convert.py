import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rowspace as rs
from rowspace import space

Run = Callable[..., Any]


@pytest.mark.parametrize(
    ("name", "format_name"),
    [("t.bin", "word2vec"), ("t.vec", "word2vec-text"), ("t.txt", "word2vec-text"), ("t.npz", "npz"),
     ("t.npy", "npy"), ("t.tsv", "tsv"), ("t.parquet", "parquet"), ("t.arrow", "parquet"), ("t", "native")],
)  # fmt: skip
def test_round_trip_of_each_format_gives_the_same_rows(
    run: Run, table_path: str, table: rs.Table, tmp_path: Path, name: str, format_name: str
) -> None:
    output = str(tmp_path / name)
    facts = json.loads(run("convert", table_path, output, "--json").stdout)
    assert (facts["format"], facts["output_format"], facts["num_embeddings"]) == ("native", format_name, len(table))
    again = rs.load(output)
    assert list(again.vocabulary) == list(table.vocabulary)
    np.testing.assert_array_equal(again.rows, table.rows)
    assert json.loads(run("info", output, "--json").stdout)["format"] == format_name


@pytest.mark.parametrize("format_name", ["model2vec", "sentence-transformers", "safetensors"])
def test_formats_with_a_tokenizer_keep_the_tables_tokenizer(
    run: Run, table_path: str, table: rs.Table, tmp_path: Path, format_name: str
) -> None:
    output, back = str(tmp_path / "t"), str(tmp_path / "back")
    assert f"to {output} ({format_name})" in run("convert", table_path, output, "--format", format_name).stderr
    run("convert", output, back)
    again = rs.load(back)
    assert list(again.vocabulary)[: len(table)] == list(table.vocabulary)
    np.testing.assert_array_equal(again.rows[: len(table)], table.rows)
    assert json.loads(again.tokenizer) == json.loads(table.tokenizer)


def test_format_and_limit(run: Run, table_path: str, table: rs.Table, tmp_path: Path) -> None:
    output = tmp_path / "vectors.txt"
    messages = run("convert", table_path, str(output), "--format", "glove", "--limit", "7").stderr
    assert messages.startswith("rowspace: wrote 7 rows × 16 of ")
    assert f"to {output} (glove)" in messages
    assert "the format has no counts" in messages
    assert len(output.read_text().splitlines()) == 7
    np.testing.assert_array_equal(rs.load(output).rows, table.rows[:7])


def test_counts_are_saved_if_the_format_has_them(run: Run, table_path: str, table: rs.Table, tmp_path: Path) -> None:
    assert "no counts" not in run("convert", table_path, str(tmp_path / "t.npz")).stderr
    np.testing.assert_array_equal(rs.load(tmp_path / "t.npz").counts, table.counts)


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (("missing", "out.bin"), 2, "there is no file or folder 'missing'"),
        (("{table}", "out", "--format", "transformers"), 2, "as a checkpoint, which holds a whole model; name another"),
        (("{table}", "out", "--key", "embeddings"), 2, "a native table has one tensor of rows, and takes no key"),
        (("{table}", "out", "--format", "excel"), 2, "unknown format 'excel'; give 'native', "),
        (("{table}", "missing/out.bin"), 2, "missing"),
        (("{table}", "out.bin", "--limit", "0"), 2, "limit"),
    ],
)
def test_usage_error_gives_a_message(
    run: Run, table_path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...],
    status: int, complaint: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    messages = run("convert", *(part.format(table=table_path) for part in arguments), status=status).stderr
    assert complaint in messages
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("kind", "format_name"), [("int8", "model2vec"), ("binary", "quantized"), ("pq", "quantized")])
def test_quantized_rows_and_the_neighbors_that_they_keep(
    run: Run, table_path: str, table: rs.Table, tmp_path: Path, kind: str, format_name: str
) -> None:
    output = str(tmp_path / "small")
    done = run("convert", table_path, output, "--quantize", kind, "--json")
    facts = json.loads(done.stdout)
    assert (facts["quantization"], facts["output_format"]) == (kind, format_name)
    again = rs.load(output)
    decoded = space.quantize(table.rows, kind).decode()
    np.testing.assert_array_equal(again.rows[: len(table)], decoded)
    assert facts["recall_at_10"] == space.neighbors_kept(table.rows, decoded)
    assert f"{facts['recall_at_10']:.1%} of the 10 nearest neighbors are kept" in done.stderr
    assert facts["bytes"] < facts["bytes_before"]


def test_quantized_rows_need_a_folder(run: Run, table_path: str, tmp_path: Path) -> None:
    output = str(tmp_path / "small.bin")
    assert (
        "a word2vec file cannot hold pq rows; give the name of a folder, without .bin"
        in run("convert", table_path, output, "--quantize", "pq", status=2).stderr
    )
    assert (
        "the format 'npz' cannot hold int8 rows"
        in run("convert", table_path, str(tmp_path / "t"), "--quantize", "int8", "--format", "npz", status=2).stderr
    )
    assert list(tmp_path.iterdir()) == []


def test_quantized_rows_of_a_table_with_too_few_for_ten_neighbors(run: Run, tmp_path: Path) -> None:
    rs.Table(["a", "b"], np.eye(2)).save(tmp_path / "t")
    done = run("convert", str(tmp_path / "t"), str(tmp_path / "small"), "--quantize", "int8", "--json")
    assert "too few rows to compare 10 neighbors of each" in done.stderr
    assert json.loads(done.stdout, parse_constant=pytest.fail)["recall_at_10"] is None
