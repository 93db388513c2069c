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


def test_the_first_pass_over_records_has_lines_of_its_own_and_no_part_in_the_time(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter((0.0, 100.0, 100.0, 101.0, 101.0))
    lines = EncodeLines(seconds_between=1e9)
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    lines.on_progress(StreamProgress(0, 0, 50, 100))
    lines.on_progress(StreamProgress(5, 5, 10, 100))
    first, second = capsys.readouterr().err.splitlines()
    assert first == "rowspace: reading the columns: 50%"
    assert second == "rowspace: encoding: 10%, 5 texts, 5 texts/s, 0:00:09 left"


def test_the_copy_of_the_rows_has_lines_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    lines = EncodeLines(seconds_between=1e9)
    for saved in range(100, 1001, 100):
        lines.on_progress(StreamProgress(1000, 1000, 0, 99, saved))
    printed = capsys.readouterr().err.splitlines()
    assert printed[0] == "rowspace: writing the file: 10%, 100 of 1,000 texts"
    assert len(printed) == 10
