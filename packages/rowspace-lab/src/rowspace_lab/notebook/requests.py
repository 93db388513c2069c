"""`Requests`: answers requests that arrive as messages, with an application that runs in this process.

| message | meaning |
|---|---|
| `{"id": "a-7", "method": "GET", "url": "/api/words/pca"}` | a request, with its body in the first buffer |
| `{"id": "a-7", "stop": true}` | the response is no longer needed |
| `{"id": "a-7", "status": 200}` | the response begins |
| `{"id": "a-7", "more": true}` | the next part of its body, in the first buffer |
| `{"id": "a-7", "more": false}` | the response is complete |

There is no socket and no access token: only the front end of the notebook can send messages to its kernel.
"""

import traceback
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any

from anyio import sleep_forever
from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.applications import Starlette
from starlette.types import Message, Scope

__all__ = ["Requests"]

PART = 1 << 20  # bytes of a message

Send = Callable[[Mapping[str, object], Sequence[bytes]], None]


class Requests:
    """The requests to `app`, answered by `send`, in a thread with an event loop that starts at the first request.

    The kernel can therefore run other cells while a request or a job is in progress.
    """

    def __init__(self, app: Starlette, send: Send) -> None:
        self._app = app
        self._send = send
        self._open = ExitStack()
        self._portal: BlockingPortal | None = None
        self._tasks: dict[str, Future[None]] = {}

    def receive(self, message: Mapping[str, Any], buffers: Sequence[bytes | memoryview]) -> None:
        """Start to answer a request, or stop."""
        id = str(message["id"])
        if message.get("stop"):
            if id in self._tasks:
                self._tasks[id].cancel()
            return
        body = bytes(buffers[0]) if buffers else b""
        scope = _scope(str(message["method"]), str(message["url"]))
        task = self._tasks[id] = self._started().start_task_soon(self._answer, id, scope, body)
        task.add_done_callback(lambda _: self._tasks.pop(id, None))

    def close(self) -> None:
        """Stop all requests and jobs, delete their files, and end the thread."""
        for task in list(self._tasks.values()):
            task.cancel()
        self._open.close()
        self._portal = None

    def _started(self) -> BlockingPortal:
        if self._portal is None:
            self._portal = self._open.enter_context(start_blocking_portal(name="rowspace-notebook"))
            lifespan = self._app.router.lifespan_context(self._app)
            self._open.enter_context(self._portal.wrap_async_context_manager(lifespan))
        return self._portal

    async def _answer(self, id: str, scope: Scope, body: bytes) -> None:
        """Call the application as a server does, and send what it responds."""
        waiting = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Message:
            if not waiting:
                await sleep_forever()  # a stopped request is cancelled, so it never disconnects
            return waiting.pop()

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._send({"id": id, "status": message["status"]}, [])
                return
            sent = message.get("body", b"")
            for start in range(0, len(sent), PART):
                self._send({"id": id, "more": True}, [sent[start : start + PART]])
            if not message.get("more_body", False):
                self._send({"id": id, "more": False}, [])

        try:
            await self._app(scope, receive, send)
        except Exception:  # an internal error, for which the application has sent a response
            traceback.print_exc()


def _scope(method: str, url: str) -> Scope:
    """Return the ASGI scope of a request."""
    path, _, query = url.partition("?")
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [],
        "client": None,
        "server": None,
    }
