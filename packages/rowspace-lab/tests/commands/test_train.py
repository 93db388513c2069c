import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import rowspace as rs
from rowspace._base.options import OptionField, option_fields
from rowspace.cli.app import app
from rowspace_lab.commands.train_progress import TrainBars, TrainLines, train_reporter
from rowspace_lab.experiments.language_model.options import ModelOptions, TokenOptions, TrainingOptions
from rowspace_lab.experiments.language_model.trainer import TrainProgress

Run = Callable[..., Any]

QUICK = ("--dim", "16", "--layers", "1", "--heads", "2", "--batch-size", "4", "--context", "16", "--workers", "1")
SHORT = (*QUICK, "--steps", "10", "--vocabulary-size", "300")


def fields() -> list[OptionField]:
    return [field for kind in (ModelOptions, TrainingOptions, TokenOptions) for field in option_fields(kind)]


@pytest.fixture(scope="module")
def corpus(english: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("train") / "short.txt"
    path.write_bytes(english.read_bytes()[:60_000])
    return str(path)


@pytest.mark.parametrize("field", fields(), ids=lambda field: field.name)
def test_help_has_every_option_with_its_default(field: OptionField) -> None:
    parameters = {parameter.name: parameter for parameter in get_command(app).commands["train"].params}
    assert parameters[field.name].help == f"{field.option.help}  [default: {field.default}]"
    assert parameters[field.name].default is None


def test_summary_has_bits_per_byte_and_what_to_do_next(run: Run, corpus: str, tmp_path: Path) -> None:
    output = str(tmp_path / "run")
    done = run("train", corpus, "-o", output, *SHORT)
    lines = done.stdout.splitlines()
    assert re.match(r"300 tokens × 16, tied, in a model of [\d,]+ parameters; 640 tokens read$", lines[0])
    assert re.match(r"held-out text: \d\.\d{3} bits per byte; from the counts of tokens alone \d\.\d{3}$", lines[2])
    assert re.match(r"at other lengths than 16: \d\.\d{3} at 32, \d\.\d{3} at 64$", lines[3])
    assert re.match(r"rows moved by [\d.]+ on average, farthest: '", lines[4])
    assert lines[-1].startswith(f"saved in {output}; try: rowspace near {output} ")
    assert "rowspace: read: " in done.stderr
    assert "rowspace: learning: step 10 of 10, " in done.stderr
    assert len(rs.load(output)) == 300
    assert "learned_by rowspace train" in run("info", output).stdout


def test_json_is_one_document(run: Run, corpus: str, tmp_path: Path) -> None:
    shown = json.loads(run("train", corpus, "-o", str(tmp_path / "run"), "--json", "--untied", *SHORT).stdout)
    assert shown["bits_per_byte_by_length"]["16"] == shown["bits_per_byte"]
    assert (shown["num_embeddings"], shown["embedding_dim"], shown["tokens"]) == (300, 16, 640)
    assert shown["record"]["model"]["tied"] is False


def test_a_run_continues_another_one(run: Run, corpus: str, tmp_path: Path) -> None:
    run("train", corpus, "-o", str(tmp_path / "first"), *SHORT)
    init = ("--init", str(tmp_path / "first"), "--steps", "3", "--rows", "frozen", "--workers", "1")
    shown = run("train", corpus, "-o", str(tmp_path / "next"), *init).stdout
    assert "rows moved by 0 on average" in shown
    run("train", corpus, "-o", str(tmp_path / "other"), *init, "--dim", "8", status=2)


def test_unsupported_models_and_unknown_tokens_are_reported(run: Run, corpus: str, tmp_path: Path) -> None:
    options = (
        "--positions",
        "learned",
        "--block",
        "llama",
        "--tokens",
        "chars",
        "--min-frequency",
        "30",
        "--steps",
        "2",
    )
    shown = run("train", corpus, "-o", str(tmp_path / "run"), *QUICK, *options).stdout
    assert "at other lengths than 16: learned positions have no rows beyond it\n" in shown
    assert "of its tokens are unknown, so other tokens' bits per byte do not compare\n" in shown
    assert "transformers has no model with llama blocks and positions='learned'" in shown


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        (("",), "the name of a corpus is empty", 2),
        (("-o", ""), "-o is empty; give the folder of the run", 2),
        (("--resume", "-o", "nowhere"), "there is no run of rowspace train in", 2),
        (("--init", "nowhere", "-o", "run"), "there is no file or folder", 2),
        (("--heads", "3", "-o", "run"), "heads must divide dim", 2),
        (("nowhere.txt", "-o", "run"), "there is no file or folder 'nowhere.txt'", 2),
    ],
)
def test_mistakes_are_one_sentence(
    arguments: tuple[str, ...], message: str, status: int, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = run("train", *arguments, status=status).stderr
    assert shown.startswith(f"rowspace: {message}")
    assert len(shown.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_default_output_is_named_after_the_corpus(run: Run, corpus: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    run("train", corpus, *SHORT, "--steps", "1")
    assert (tmp_path / "short-run" / "rowspace.json").exists()
    assert "'short-run' already exists; give -o short-run" in run("train", corpus, *SHORT, status=2).stderr
    shown = run("train", corpus, "--resume", "-o", "short-run").stderr
    assert "the interrupted run continues with the text that it has read; CORPUS is ignored" in shown


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None
from rowspace.cli import main
sys.argv = ["rowspace", "train", "--steps", "1", "-o", "run"]
main()
"""


def test_without_torch_there_is_one_sentence(tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_TORCH]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "rowspace: a language model needs PyTorch: pip install 'rowspace[torch]'\n"
    assert list(tmp_path.iterdir()) == []


def test_importing_learn_and_the_help_load_no_torch() -> None:
    code = (
        "import sys, rowspace as rs, rowspace.learn\nfrom rowspace.cli.app import command_function\n"
        "command_function('train')\nassert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_progress_on_a_terminal_and_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    assert isinstance(train_reporter(None), TrainLines)
    progress = TrainProgress(step=5, steps=10, tokens=5000, seconds=2.0, loss=3.25, lr=0.1, bits_per_byte=float("nan"))
    with TrainBars(100) as bars:
        bars.on_step(progress)
    with TrainLines(None) as lines:
        lines.on_step(progress)
    shown = capsys.readouterr().err
    assert "rowspace: learning: step 5 of 10, 2.5 k tokens/s, loss 3.250, 0:00:02 left" in shown
