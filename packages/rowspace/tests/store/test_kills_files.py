import subprocess
import sys
from pathlib import Path

import pytest

ROUNDS = Path(__file__).with_name("kill_files.py")


@pytest.mark.parametrize(
    ("kind", "name", "siblings"),
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
def test_save_killed_at_random_times_leaves_a_complete_file(tmp_path, kind, name, siblings, long_form):
    command = [sys.executable, "-W", "error", ROUNDS, kind, tmp_path / name, *(["--long"] if long_form else [])]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == sorted([name, *siblings])
