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
PORTS = 100  # tried from there on
LONGEST_HEAD = 128 << 10  # bytes of a request before its body; more than the parameters that are answered
LAST_WORDS = 0.2  # seconds that a thread is given to end


def validate_token(host: str, token: str | None) -> str:
    """The token to ask for: a new random one where none is given, which only a loopback host may leave out.

    Raises `UsageError` where it is missing, too short to be secret, or cannot stand in an address.

    >>> len(validate_token("127.0.0.1", None)) >= 32
    True
    """
    if token is None and not is_loopback(host):
        raise UsageError(f"--host {host} lets other machines ask: give a --token too, of 16 characters or more")
    if token is not None and not re.fullmatch(r"[\w.~-]{16,}", token, re.ASCII):
        raise UsageError("a token must have 16 characters or more, of letters, digits and -._~")
    return token or secrets.token_urlsafe(32)


def listen(host: str, port: int | None, *, first: int = DEFAULT_PORT) -> socket.socket:
    """A socket that listens at `port`, or at the first free one from `first` on.

    Raises `UsageError` where the host or the port cannot be listened at, or is taken.
    """
    ports = range(first, first + PORTS) if port is None else [port]
    for tried in ports:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, tried, type=socket.SOCK_STREAM)[0]
            return _listening(socket.socket(family, kind, protocol), address)
        except PermissionError as error:
            raise UsageError(f"port {tried} may not be used; take one above 1023 with --port") from error
        except (socket.gaierror, UnicodeError) as error:
            raise UsageError(f"{host!r} is no address of a machine; leave --host out for this one") from error
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise UsageError(f"{host} cannot be listened at: {error.strerror}; leave --host out") from error
    taken = f"port {port} is" if port is not None else f"ports {ports[0]} to {ports[-1]} are"
    raise UsageError(f"{taken} taken; give another one with --port, or leave it out for the next free one")


def serve(app: ASGIApp, access: Access, listener: socket.socket) -> None:
    """Answer those who have `access`, until the process is told to end.

    Where a question is still being computed then, the process ends here: a thread cannot be cancelled.
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
        """Listen to signals; unlike the server's own, ending by one is no failure."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End; that some who asked get no answer is what was wished, and no news."""
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
        super().handle_exit(sig, frame)


def _leave() -> None:
    """End the process at once where threads would keep it."""
    threads = [thread for thread in threading.enumerate() if not thread.daemon and thread != threading.main_thread()]
    for thread in threads:
        thread.join(LAST_WORDS / len(threads))
    if any(thread.is_alive() for thread in threads):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _listening(listener: socket.socket, address: Any) -> socket.socket:
    """The socket, bound; a port that was just left can be taken again, one where somebody listens cannot."""
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener
