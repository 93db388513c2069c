import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch  # noqa: F401  # without it, there is no arena to test

from rowspace_lab.commands.arena_summary import print_summary, run_line

Run = Callable[..., Any]
TINY = (
    "--tasks",
    "images",
    "--strategies",
    "patches-32",
    "--seconds",
    "0.05",
    "--layers",
    "1",
    "--quick",
    "--scale",
    "64",
)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("arena") / "text.txt"
    path.write_text("a text whose words do not matter here\n" * 50)
    return str(path)


@pytest.mark.long
def test_json_is_one_document_and_a_second_call_runs_nothing_again(run: Run, text: str, tmp_path: Path) -> None:
    output = str(tmp_path / "arena")
    first = run("arena", text, *TINY, "-o", output, "--json")
    document = json.loads(first.stdout)
    assert [(entry["strategy"], entry["seeds"]) for entry in document["entries"]] == [("patches-32", 1)]
    assert "1 of 1: images/patches-32/1: " in first.stderr
    again = run("arena", text, *TINY, "-o", output)
    assert "of 1: images" not in again.stderr
    lines = again.stdout.splitlines()
    assert lines[0].startswith("images: accuracy, 0.")
    assert any(line.split()[:1] == ["patches-32"] and "±" in line for line in lines)
    assert lines[-2].startswith("No winner is named")
    assert lines[-1] == f"saved in {output}"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--tasks", "sound"), "tasks must be among next-bytes, rare-words, images, text-in-images, not 'sound'"),
        (("-o", ""), "-o is empty; give the folder for the results"),
        (("--plot", "arena.gif"), "the picture must end in .svg, .png, .pdf, not 'arena.gif'"),
        (("--seconds", "0"), "seconds must be a number from 0.01"),
    ],
)
def test_wrong_usage(run: Run, arguments: tuple[str, ...], message: str) -> None:
    assert message in " ".join(run("arena", *arguments, status=2).output.split())


def test_a_run_that_failed_is_a_line_with_the_reason() -> None:
    line = run_line(1, 2, "images/bpe/1", {"failed": "the loss became nan before step 3"})
    assert line == "1 of 2: images/bpe/1: not finished: the loss became nan before step 3"


def test_unfinished_entries_and_the_curve_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    entry = {"task": "images", "strategy": "bpe", "seeds": 0, "status": "not finished", "why": "No run finished: x."}
    point = {"num_embeddings": 256, "table_bytes": 65536, "seeds": 0}
    done = {
        "tokens_per_word": 3.5, "attention_flops": 2e6, "median_count": 40.0, "bits_per_byte": 4.0, "spread": 0.1,
        "seeds": 1,
    }  # fmt: skip
    sizes = {"num_embeddings": 1000, "dim": 64, "parameters": 64_000, "image_tokens": None}
    print_summary(
        {
            "tasks": {"images": {"measure": "accuracy", "baseline": 0.1}},
            "entries": [entry],
            "strategies": {"bpe": {"scaled": sizes, "full": sizes}},
            "curve": [point, point | done],
            "verdict": "1 of 1 entries are not finished, so no winner is named.",
        }
    )
    text = " ".join(capsys.readouterr().out.split())
    assert "bpe not finished" in text
    assert "256 65.5 kB not finished" in text
    assert "256 65.5 kB 3.50 2.00 M 40 4.000 0.100" in text
    assert "bpe V 1,000 64 64,000 by its text" in text
