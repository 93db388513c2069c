import pytest

from rowspace.cli.progress.encode import EncodeLines
from rowspace.encode import StreamProgress


def test_lines_are_printed_at_each_ten_percent(capsys: pytest.CaptureFixture[str]) -> None:
    with EncodeLines() as lines:
        for texts in range(1000, 100_001, 1000):
            lines.on_progress(StreamProgress(texts, texts, texts * 10, 1_000_000))
    printed = capsys.readouterr().err.splitlines()
    assert len(printed) == 10
    assert printed[0].startswith("rowspace: encoding: 10%, 10,000 texts, ")
    assert printed[0].endswith(" left")


def test_lines_without_a_known_size_have_no_share(capsys: pytest.CaptureFixture[str]) -> None:
    with EncodeLines(seconds_between=0.0) as lines:
        lines.on_progress(StreamProgress(5000, 1000, 0, None))
    line = capsys.readouterr().err
    assert line.startswith("rowspace: encoding: 5,000 texts, ")
    assert "left" not in line
