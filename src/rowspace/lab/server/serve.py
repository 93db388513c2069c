"""`serve`: an application on a port of this machine, until Ctrl-C or SIGTERM, which do not wait for open requests."""

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

DEFAULT_PORT = 7697  # ROWS on a telephone
PORTS = 100  # to try from there on
LONGEST_HEAD = 128 << 10  # bytes of a request before its body; more than the parameters that are answered
THREAD_TIMEOUT = 0.2  # seconds for threads to end


def validate_token(host: str, token: str | None) -> str:
    """The token that requests need: a new random one by default, which is possible for a loopback host only.

    Raises `UsageError` where it is missing, too short to be secret, or not valid in a URL.

    >>> len(validate_token("127.0.0.1", None)) >= 32
    True
    """
    if token is None and not is_loopback(host):
        raise UsageError(f"--host {host} gives other machines access: add a --token of 16 characters or more")
    if token is not None and not re.fullmatch(r"[\w.~-]{16,}", token, re.ASCII):
        raise UsageError("a token must have 16 characters or more, of letters, digits and -._~")
    return token or secrets.token_urlsafe(32)


def listen(host: str, port: int | None, *, first: int = DEFAULT_PORT) -> socket.socket:
    """A socket that listens on `port`, or on the first free one from `first` on.

    Raises `UsageError` where the server cannot listen on the host or the port, or the port is taken.
    """
    ports = range(first, first + PORTS) if port is None else [port]
    for tried in ports:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, tried, type=socket.SOCK_STREAM)[0]
            return _listening(socket.socket(family, kind, protocol), address)
        except PermissionError as error:
            raise UsageError(f"port {tried} is not allowed; choose one above 1023 with --port") from error
        except (socket.gaierror, UnicodeError) as error:
            raise UsageError(f"{host!r} is not an address; leave --host out to use this machine") from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UsageError(f"cannot listen on {host}: {error.strerror}; leave --host out") from error
    taken = f"port {port} is" if port is not None else f"ports {ports[0]} to {ports[-1]} are"
    raise UsageError(f"{taken} taken; give another one with --port, or leave it out for the next free one")


def serve(app: ASGIApp, access: Access, listener: socket.socket) -> None:
    """Answer requests that have `access`, until a signal ends the process.

    The process ends here if a reply is still being computed: a thread cannot be cancelled.
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
    """A server whose first signal ends it, quietly."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals; unlike in uvicorn, ending by a signal is not a failure."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End without a log message for each request that gets no response."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)


def _leave() -> None:
    """End the process at once if threads would keep it alive."""
    threads = [thread for thread in threading.enumerate() if not thread.daemon and thread != threading.main_thread()]
    for thread in threads:
        thread.join(THREAD_TIMEOUT / len(threads))
    if any(thread.is_alive() for thread in threads):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _listening(listener: socket.socket, address: Any) -> socket.socket:
    """The socket, bound; a port that was just closed can be used again, one with a listener cannot."""
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener
