"""Stopping a fit with a signal."""

import signal

import pytest

from rowspace.learn import Reports


@pytest.fixture
def stopping() -> Reports:
    """Reports that raise SIGTERM at the first progress only; a second one would terminate the test run."""
    sent = []

    def stop(_progress: object) -> None:
        if not sent:
            sent.append(True)
            signal.raise_signal(signal.SIGTERM)

    return Reports(on_progress=stop)
