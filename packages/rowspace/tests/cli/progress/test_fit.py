import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from rowspace.cli.progress.fit import Bars, Lines, progress_reporter
from rowspace.learn import Progress
from rowspace.text import IdCorpus, TextOptions, encode_corpus


def at(words: int, *, loss: float = 2.5) -> Progress:
    return Progress(epoch=1, epochs=2, words=words, total_words=1_000_000, seconds=words / 2e6, loss=loss, alpha=0.03)


@pytest.fixture
def corpus(tmp_path: Path) -> IdCorpus:
    return encode_corpus(["a b a"], tmp_path, options=TextOptions(min_count=1))


def test_lines_are_printed_at_each_ten_percent(capsys: pytest.CaptureFixture[str], corpus: IdCorpus) -> None:
    with Lines(2000) as progress:
        for _ in range(40):
            progress.on_bytes(50)
        progress.on_vocabulary(corpus)
        for words in range(0, 1_000_001, 20_000):
            progress.on_progress(at(words))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10 + 1 + 10
    assert lines[0].startswith("rowspace: reading: 200 bytes of 2.0 kB, ")
    assert lines[10] == "rowspace: read: 3 words, 2 tokens to learn"
    assert lines[11].startswith("rowspace: learning: 10%, epoch 1/2, 2.00 M words/s, loss 2.500, alpha 0.0300, 0:00:")
    assert lines[-1].startswith("rowspace: learning: 100%, ")


def test_lines_are_printed_after_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    with Lines(None, seconds_between=0.0) as progress:
        progress.on_bytes(1500)
        progress.on_progress(at(1, loss=float("nan")))
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith("rowspace: reading: 1.5 kB, ")  # the total is unknown
    assert "loss" not in second  # there is no loss before the first pair


def test_lines_are_used_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(progress_reporter(None), Lines)
    controller, terminal = pty.openpty()
    with open(terminal, "w") as stream, open(controller, "rb"):  # noqa: PTH123  # they are numbers
        monkeypatch.setattr("sys.stderr", stream)
        monkeypatch.setenv("TERM", "dumb")
        assert isinstance(progress_reporter(None), Lines)
        monkeypatch.setenv("TERM", "xterm")
        assert isinstance(progress_reporter(None), Bars)


def test_bars_advance_on_a_terminal(english: Path, tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    fit = [sys.executable, "-m", "rowspace", "fit", english, "-o", tmp_path / "table", "--dim", "8", "--epochs", "2"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "100"}
    with subprocess.Popen(fit, stdout=subprocess.PIPE, stderr=terminal, env=environment, text=True) as process:
        os.close(terminal)
        drawn = b""
        while part := read(controller):
            drawn += part
        summary = process.stdout.read()
    os.close(controller)
    assert process.returncode == 0
    for part in ("reading", "tokens to learn", "epoch 2/2", "M words/s, loss ", "0:00:00 left", "━"):
        assert part in drawn.decode()
    assert "saved in " in summary
    assert "━" not in summary


def read(controller: int) -> bytes:
    """Read the output of a terminal; nothing if it is closed."""
    try:
        return os.read(controller, 1 << 16)
    except OSError:  # Linux raises it when the other end is closed
        return b""


def test_reading_bar_is_hidden_when_nothing_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    with Bars(None) as progress:
        progress.on_progress(at(500_000))
        progress.on_progress(at(1_000_000))
    shown = capsys.readouterr().err
    assert "epoch 1/2" in shown
    assert "reading" not in shown
