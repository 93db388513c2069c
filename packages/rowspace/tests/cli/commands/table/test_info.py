import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from tokenizers.models import BPE

import rowspace as rs
from rowspace import store

Run = Callable[..., Any]


def test_json_has_all_facts_of_a_native_table(run: Run, table_path: str, table: rs.Table) -> None:
    facts = json.loads(run("info", table_path, "--json").stdout)
    assert (facts["format"], facts["num_embeddings"], facts["embedding_dim"]) == ("native", len(table), 16)
    assert facts["bytes_on_disk"] == sum(file.stat().st_size for file in Path(table_path).iterdir())
    assert (facts["bytes_of_rows"], facts["mapped"]) == (len(table) * 16 * 4, True)
    assert facts["words_counted"] == table.counts.sum()
    assert facts["first_tokens"][0] == {"token": table.vocabulary[0], "count": table.counts[0]}
    lengths = np.linalg.norm(table.rows.astype(np.float64), axis=1)
    assert facts["norms"] == pytest.approx({"min": lengths.min(), "median": np.median(lengths), "max": lengths.max()})
    assert facts["settings"] == table.settings
    assert facts["versions"]["rowspace"] == rs.__version__
    assert facts["verified"] is False


def test_text_output_has_the_same_facts(run: Run, table_path: str, table: rs.Table) -> None:
    shown = run("info", table_path).stdout
    for fact in (f"{len(table):,} × 16 float32", "cased no", "column none", "epochs 2", "repeatable yes", "losses "):
        assert fact in " ".join(shown.split())


def test_rows_that_are_not_finite_are_counted_and_have_no_norm(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "table"
    rows = np.array([[3, 4], [np.nan, 0], [np.inf, 0], [6, 8]], np.float32)
    rs.Table(["a", "b", "c", "d"], rows).save(path)
    result = run("info", str(path))
    assert result.stderr == ""
    assert "2 rows with NaN, infinity or too large a value" in " ".join(result.stdout.split())
    facts = json.loads(run("info", str(path), "--json").stdout)
    assert facts["norms"] == {"min": 5, "median": 7.5, "max": 10}
    assert facts["non_finite_rows"] == 2


def test_verify_finds_a_changed_byte(run: Run, table_path: str, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(table_path, copy)
    assert "checksums match" in run("info", str(copy), "--verify").stdout
    with (copy / "model.safetensors").open("r+b") as file:
        file.seek(-100, 2)
        file.write(b"\x55")
    assert "damaged" in run("info", str(copy), "--verify", status=1).stderr


def test_word2vec_file_has_neither_counts_nor_checksums(run: Run, table: rs.Table, tmp_path: Path) -> None:
    path = tmp_path / "vectors.bin"
    table.save(path)
    result = run("info", str(path), "--verify")
    assert "no checksums" in result.stderr
    assert "word2vec" in result.stdout
    assert "counts" not in result.stdout
    facts = json.loads(run("info", str(path), "--json").stdout)
    assert (facts["words_counted"], facts["settings"], facts["versions"]) == (None, {}, {})
    assert facts["bytes_on_disk"] == path.stat().st_size


def test_counts_are_of_words_or_of_the_tokens_of_a_tokenizer(
    run: Run, table: rs.Table, table_path: str, tmp_path: Path
) -> None:
    assert f"{table.counts.sum():,} words in total" in run("info", table_path).stdout
    tokenizer = Tokenizer(BPE({"a": 0, "b": 1}, [])).to_str()
    rs.Table(["a", "b"], np.ones((2, 1), np.float32), np.array([3, 4]), tokenizer=tokenizer).save(tmp_path / "tokens")
    assert "7 tokens in total" in run("info", str(tmp_path / "tokens")).stdout


def test_table_without_rows_has_no_norms(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "empty"
    rs.Table([], np.zeros((0, 3), np.float32)).save(path)
    assert json.loads(run("info", str(path), "--json").stdout)["norms"] is None
    assert "0 × 3" in run("info", str(path)).stdout


def test_key_selects_a_tensor(run: Run, table: rs.Table, tmp_path: Path) -> None:
    path = tmp_path / "two.safetensors"
    table.save(path)
    rows = load_file(path)["embeddings"]
    save_file({"in": rows, "out": 2 * rows}, path)
    assert "name one as the key" in run("info", str(path), status=2).stderr
    facts = [json.loads(run("info", str(path), "--key", key, "--json").stdout) for key in ("in", "out")]
    assert facts[1]["norms"]["max"] == pytest.approx(2 * facts[0]["norms"]["max"])


def test_size_on_disk_includes_all_files(run: Run, table: rs.Table, tmp_path: Path) -> None:
    store.save(table, tmp_path / "0_StaticEmbedding", format="sentence-transformers")
    facts = json.loads(run("info", str(tmp_path), "--json").stdout)
    assert facts["format"] == "sentence-transformers"
    assert facts["bytes_on_disk"] > facts["bytes_of_rows"]
