"""`serve`: run an application on a local port until Ctrl-C or SIGTERM, without waiting for open requests."""

import errno
import logging
import os
import re
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from rowspace.errors import UsageError
from rowspace.lab.server.security import Access, AccessMiddleware, is_loopback

__all__ = ["listen", "serve", "validate_token"]

DEFAULT_PORT = 7697  # ROWS on a telephone keypad
PORTS = 100  # number of ports to try
LONGEST_HEAD = 128 << 10  # bytes of the request line and headers; more than the limit of the query string
THREAD_TIMEOUT = 0.2  # seconds to wait for threads


def validate_token(host: str, token: str | None) -> str:
    """Return the token, or a new random one if it is None and the host is a loopback address.

    Raises `UsageError` if a required token is missing, or if it is too short or not valid in a URL.

    >>> len(validate_token("127.0.0.1", None)) >= 32
    True
    """
    if token is None and not is_loopback(host):
        raise UsageError(f"--host {host} gives other machines access: add a --token of at least 16 characters")
    if token is not None and not re.fullmatch(r"[\w.~-]{16,}", token, re.ASCII):
        raise UsageError("a token must have at least 16 characters: letters, digits and -._~")
    return token or secrets.token_urlsafe(32)


def listen(host: str, port: int | None, *, first: int = DEFAULT_PORT) -> socket.socket:
    """Return a socket that listens on `port`, or by default on the first free port from `first`.

    Raises `UsageError` if the host or port is not available.
    """
    ports = range(first, first + PORTS) if port is None else [port]
    for tried in ports:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, tried, type=socket.SOCK_STREAM)[0]
            return _listening(socket.socket(family, kind, protocol), address)
        except PermissionError as error:
            raise UsageError(f"port {tried} is not allowed; choose one above 1023 with --port") from error
        except (socket.gaierror, UnicodeError) as error:
            raise UsageError(f"{host!r} is not an address; omit --host to use this machine") from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UsageError(f"cannot listen on {host}: {error.strerror}; omit --host") from error
    taken = f"port {port} is" if port is not None else f"ports {ports[0]} to {ports[-1]} are"
    raise UsageError(f"{taken} in use; choose another one with --port, or omit it to use the next free port")


def serve(app: ASGIApp, access: Access, listener: socket.socket) -> None:
    """Serve requests that have `access` until a signal arrives.

    If a reply is still being computed then, the process exits here, since threads cannot be cancelled.
    """
    config = uvicorn.Config(
        AccessMiddleware(app, access),
        lifespan="on",
        ws="none",
        http="h11",
        log_level="warning",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=0,
        h11_max_incomplete_event_size=LONGEST_HEAD,
    )
    _Server(config).run(sockets=[listener])
    _leave()


class _Server(uvicorn.Server):
    """A server that stops quietly at the first signal."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals; unlike in uvicorn, stopping by a signal is not an error."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop without a log message for each request that is still open."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)


def _leave() -> None:
    """Exit immediately if threads would keep the process alive."""
    threads = [thread for thread in threading.enumerate() if not thread.daemon and thread != threading.main_thread()]
    for thread in threads:
        thread.join(THREAD_TIMEOUT / len(threads))
    if any(thread.is_alive() for thread in threads):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _listening(listener: socket.socket, address: Any) -> socket.socket:
    """Bind the socket and listen; reuse a recently closed port, but not one with a listener."""
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener
