"""The progress of commands that count."""

import pytest

from rowspace.cli.progress.encode import CountReporter


def test_progress_at_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    reporter = CountReporter("file")
    reporter(1, 2)
    assert capsys.readouterr().err == ""
    reporter._pace.seconds = 0
    reporter(2, 2)
    assert capsys.readouterr().err == "rowspace: read 2 of 2 files\n"
    reporter(1_000, 0)
    assert capsys.readouterr().err == "rowspace: read 1,000 files\n"
    passages = CountReporter("passage", "encoded")
    passages._pace.seconds = 0
    passages(1, 1)
    assert capsys.readouterr().err == "rowspace: encoded 1 of 1 passage\n"
