"""`listen` and `run`: an application on a port until Ctrl-C or SIGTERM."""

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from rowspace._base.validate import check_whole_number
from rowspace.errors import UsageError
from rowspace.serve.connections import Connections

__all__ = ["listen", "run"]

PORTS = 100  # number of ports to try
MAX_HEAD = 128 << 10  # bytes of the request line and headers; more than the limit of the query string
THREAD_TIMEOUT = 0.2  # seconds to wait for threads


def listen(host: str, port: int | None, *, first: int | None = None) -> socket.socket:
    """Return a socket that listens.

    Args:
        host: The name or address of an interface of this machine.
        port: The port, 0 for any free one; None for the first free one from `first`.
        first: The first of `PORTS` ports to try, where the port may be omitted.

    Raises:
        UsageError: The host or port is not available.
    """
    if port is not None:
        check_whole_number("port", port, 0, 65_535)
    ports = range(first or 0, (first or 0) + PORTS) if port is None else [port]
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
    omitted = "" if first is None else ", or omit it to use the next free port"
    raise UsageError(f"{taken} in use; choose another one with --port{omitted}")


def run(app: ASGIApp, listener: socket.socket, *, grace: int = 0, on_stop: Callable[[], None] = lambda: None) -> None:
    """Serve requests until a signal arrives.

    If a reply is still being computed at the end, the process exits here, since threads cannot be cancelled.

    Args:
        app: The application, with its access checks.
        listener: A socket of `listen`.
        grace: Seconds to wait for requests in progress after the signal; a second Ctrl-C ends the wait.
        on_stop: Called after the signal if there are requests in progress.
    """
    config = uvicorn.Config(
        app,
        lifespan="on",
        ws="none",
        http="h11",
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=grace,
        h11_max_incomplete_event_size=MAX_HEAD,
    )
    _Server(config, on_stop).run(sockets=[listener])
    _leave()


class _Server(uvicorn.Server):
    """A server that stops quietly at the first signal."""

    def __init__(self, config: uvicorn.Config, on_stop: Callable[[], None]) -> None:
        super().__init__(config)
        self.on_stop = on_stop
        self._accepting = list[asyncio.Task[None]]()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start the application, and accept a limited number of connections."""
        await super().startup(sockets=[])
        connections = Connections(self._protocol, self.server_state.connections)
        self._accepting = [asyncio.create_task(connections.accept(listener)) for listener in sockets or []]

    def _protocol(self) -> asyncio.Protocol:
        kind: Any = self.config.http_protocol_class
        protocol: asyncio.Protocol = kind(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol

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

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Refuse new connections, and wait for the requests in progress."""
        for task in self._accepting:
            task.cancel()
        if self.server_state.tasks:
            self.on_stop()
        await super().shutdown(sockets)


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
