"""`Connections`: accepts connections up to a limit, so that a server never runs out of file descriptors.

asyncio accepts everything that waits, and where descriptors run out, it tries again and again and logs a traceback each
time. Here, connections beyond the limit wait in the queue of the system, which refuses more than 1,024 of them.
"""

import asyncio
import errno
import logging
import socket
import sys
from collections.abc import Callable, MutableSet
from typing import Any
from weakref import WeakKeyDictionary

__all__ = ["Connections", "connection_limit"]

MOST = 1_000
SILENT = 5.0  # seconds in which a connection must have sent a request, when the limit is reached
WAIT = 0.05  # seconds between looks for a free place
RETRY = 1.0  # seconds, where the system has no resources
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


def connection_limit() -> int:
    """Return how many connections may be open: at most half of the file descriptors that the process may have."""
    if sys.platform == "win32":
        return MOST
    import resource

    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(1, min(MOST, soft // 2))


class Connections:
    """Accepts the connections of a listening socket.

    Args:
        make_protocol: Returns the protocol of a new connection.
        open: The protocols of open connections, which these add to and remove from.
        limit: The largest number of open connections.
    """

    def __init__(
        self, make_protocol: Callable[[], asyncio.Protocol], open: MutableSet[Any], *, limit: int | None = None
    ) -> None:
        self._make_protocol, self._open = make_protocol, open
        self._limit = connection_limit() if limit is None else limit
        self._since = WeakKeyDictionary[asyncio.Protocol, float]()

    async def accept(self, listener: socket.socket) -> None:
        """Accept connections until this task is cancelled."""
        loop, is_exhausted = asyncio.get_running_loop(), False
        listener.setblocking(False)
        while True:
            await self._wait_for_a_place()
            try:
                connection, _ = await loop.sock_accept(listener)
            except OSError as error:
                if error.errno in EXHAUSTED:
                    if not is_exhausted:
                        message = "cannot accept connections (%s); they wait until others are closed"
                        logging.getLogger("uvicorn.error").error(message, error.strerror)
                    is_exhausted = True
                    await asyncio.sleep(RETRY)
                continue  # other errors are those of a connection that was closed meanwhile
            is_exhausted = False
            try:
                _, protocol = await loop.connect_accepted_socket(self._make_protocol, connection)
            except OSError:  # the client has closed it meanwhile
                connection.close()
            else:
                self._since[protocol] = loop.time()

    async def _wait_for_a_place(self) -> None:
        """Wait while as many connections are open as may be; close those that have sent no request for a while."""
        while len(self._open) >= self._limit:
            now = asyncio.get_running_loop().time()
            for protocol in list(self._open):
                if protocol.cycle is None and now - self._since.get(protocol, now) > SILENT:
                    protocol.transport.close()
            await asyncio.sleep(WAIT)
