"""Listening on a port, and its errors."""

import socket

import pytest

from rowspace.errors import UsageError
from rowspace.serve.server import listen


def test_next_free_port_is_used() -> None:
    """The search starts at an occupied port, so that other servers on this machine have no effect."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = min(taken.getsockname()[1], 65_400)
        with listen("127.0.0.1", None, first=port) as found:
            assert port < found.getsockname()[1] < port + 100


@pytest.mark.parametrize(
    ("host", "port", "message"),
    [
        ("no.such.host.invalid", None, "'no.such.host.invalid' is not an address"),
        ("a" * 70, None, "'a{70}' is not an address"),
        ("192.0.2.1", None, r"cannot listen on 192\.0\.2\.1: "),
        ("127.0.0.1", 70_000, "port must be a whole number from 0 to 65,535, not 70000"),
        ("127.0.0.1", -1, "port must be a whole number from 0 to 65,535, not -1"),
    ],
)
def test_unusable_host_or_port_is_a_usage_error(host: str, port: int | None, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        listen(host, port)


def test_no_free_port_is_a_usage_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port} is in use; choose another one"):
            listen("127.0.0.1", port)
