"""Stop a fit as a `kill` of its process would."""

import signal

import pytest

from rowspace.learn import Reports


@pytest.fixture
def stopping() -> Reports:
    """Reports that send one SIGTERM at the first progress; a second one would end the test run."""
    sent = []

    def stop(_progress: object) -> None:
        if not sent:
            sent.append(True)
            signal.raise_signal(signal.SIGTERM)

    return Reports(on_progress=stop)
