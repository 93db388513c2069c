import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = Path(__file__).with_name("kill_files.py")


@pytest.mark.parametrize(
    ("kind", "name", "beside"),
    [
        ("word2vec", "v.bin", []),
        ("word2vec-text", "v.vec", []),
        ("glove", "v.txt", []),
        ("npz", "v.npz", []),
        ("parquet", "v.arrow", []),
        ("safetensors", "v.safetensors", ["tokenizer.json"]),
        ("model2vec", "v", []),
        ("sentence-transformers", "v", []),
        ("fasttext", "m.bin", []),
    ],
)
def test_what_a_save_that_is_killed_at_any_time_leaves_is_the_old_or_the_new(tmp_path, kind, name, beside):
    command = [sys.executable, "-W", "error", ROUNDS, kind, tmp_path / name]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([name, *beside])
