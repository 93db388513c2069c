"""The picture of a result, read back."""

import sys
from pathlib import Path

import pytest
from PIL import Image

from rowspace.errors import MissingExtraError, UsageError
from rowspace_lab.experiments.arena.report.plot import check_plot, plot_arena

ENTRY = {"task": "images", "strategy": "bytes", "seeds": 3, "quality": 0.5, "spread": 0.1, "status": "learned"}
RESULT = {
    "tasks": {"images": {"measure": "accuracy", "baseline": 0.1}},
    "entries": [ENTRY, ENTRY | {"strategy": "bpe", "status": "not learned in this budget"}, ENTRY | {"seeds": 0}],
    "curve": [
        {
            "num_embeddings": size, "table_bytes": 256 * size, "tokens_per_word": 3.0, "attention_flops": 10**6,
            "median_count": 50.0, "bits_per_byte": 4.0, "seeds": 3,
        }
        for size in (256, 1024)
    ],
}  # fmt: skip


def test_the_picture_is_of_the_kind_of_its_ending(tmp_path):
    plot_arena(RESULT, tmp_path / "arena.png")
    with Image.open(tmp_path / "arena.png") as image:
        assert (image.format, image.size) == ("PNG", (960, 780))
    plot_arena(RESULT | {"curve": []}, tmp_path / "arena.svg")
    assert "</svg>" in (tmp_path / "arena.svg").read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arena.png", "arena.svg"]


def test_another_ending_is_refused_before_the_runs():
    with pytest.raises(UsageError, match=r"must end in .svg, .png, .pdf, not 'arena.gif'"):
        check_plot(Path("arena.gif"))


def test_without_matplotlib_one_sentence_has_the_command(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"--plot needs matplotlib: pip install 'rowspace\[plot\]'"):
        check_plot(tmp_path / "arena.svg")
