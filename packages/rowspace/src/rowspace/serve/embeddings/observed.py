"""`Observed`: counts the requests of an application and logs them on request; `Numbers` as text for Prometheus."""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rowspace.encode.usage import Report

__all__ = ["PATHS", "Numbers", "Observed"]

PATHS = ("/v1/embeddings", "/v1/models", "/health", "/metrics", "/openapi.json")
BOUNDS = (0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10.0)  # seconds


class Numbers:
    """The number of requests by path and status, and how long they took. Unknown paths are counted as one."""

    def __init__(self) -> None:
        self._requests = Counter[tuple[str, int]]()
        self._within = Counter[float]()
        self._seconds = 0.0

    def add(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests[path if path in PATHS else "other", status] += 1
        self._seconds += seconds
        self._within.update(bound for bound in BOUNDS if seconds <= bound)

    def text(self, report: Report) -> str:
        """Return the numbers, and those of the texts that were encoded, in the text format of Prometheus."""
        return "".join(f"{line}\n" for line in self._lines(report))

    def _lines(self, report: Report) -> Iterator[str]:
        yield "# TYPE rowspace_requests_total counter"
        for (path, status), count in sorted(self._requests.items()):
            yield f'rowspace_requests_total{{path="{path}",status="{status}"}} {count}'
        total = sum(self._requests.values())
        yield "# TYPE rowspace_request_seconds histogram"
        for bound in BOUNDS:
            yield f'rowspace_request_seconds_bucket{{le="{bound}"}} {self._within[bound]}'
        yield f'rowspace_request_seconds_bucket{{le="+Inf"}} {total}'
        yield f"rowspace_request_seconds_sum {self._seconds:.6f}"
        yield f"rowspace_request_seconds_count {total}"
        for name in ("texts", "tokens", "unknown_tokens"):
            yield f"# TYPE rowspace_{name}_total counter"
            yield f"rowspace_{name}_total {getattr(report, name)}"


class Observed:
    """Pass requests to `app`, count them, and log each if asked to.

    Args:
        app: The application, with its access checks.
        numbers: What counts them.
        log: Called with time, client, method, path, status and milliseconds of each; never with keys or texts.
    """

    def __init__(self, app: ASGIApp, numbers: Numbers, log: Callable[[str], None] | None = None) -> None:
        self.app = app
        self.numbers = numbers
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, statuses = time.perf_counter(), list[int]()

        async def observe(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])
            await send(message)

        try:
            await self.app(scope, receive, observe)
        finally:
            self._count(scope, statuses[0] if statuses else 500, time.perf_counter() - began)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        self.numbers.add(scope["path"], status, seconds)
        if self.log is not None:
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            client = scope["client"][0] if scope.get("client") else "-"
            request = ascii(f"{scope['method'][:20]} {scope['path'][:200]}")[1:-1]
            self.log(f"{now} {client} {request} {status} {1000 * seconds:.1f} ms")
