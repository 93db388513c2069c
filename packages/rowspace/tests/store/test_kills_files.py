import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = Path(__file__).with_name("kill_files.py")


@pytest.mark.parametrize(
    ("kind", "name", "siblings"),
    [
        ("word2vec", "v.bin", []),
        pytest.param("word2vec-text", "v.vec", [], marks=pytest.mark.long),
        pytest.param("glove", "v.txt", [], marks=pytest.mark.long),
        pytest.param("npz", "v.npz", [], marks=pytest.mark.long),
        pytest.param("parquet", "v.arrow", [], marks=pytest.mark.long),
        pytest.param("safetensors", "v.safetensors", ["tokenizer.json"], marks=pytest.mark.long),
        ("model2vec", "v", []),
        pytest.param("sentence-transformers", "v", [], marks=pytest.mark.long),
        pytest.param("fasttext", "m.bin", [], marks=pytest.mark.long),
    ],
)
def test_save_killed_at_random_times_leaves_a_complete_file(tmp_path, kind, name, siblings, long_form):
    command = [sys.executable, "-W", "error", ROUNDS, kind, tmp_path / name, *(["--long"] if long_form else [])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([name, *siblings])
