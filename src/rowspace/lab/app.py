"""`make_app`: the server of the workbench: pages' questions under `/api/`, the built front end for all else.

Left out: who may ask (`security.py`) and how long work is done (`jobs.py`). Read next: `state.py`.
"""

from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rowspace.lab import word_maps, words
from rowspace.lab.query import Query
from rowspace.lab.refusals import HANDLERS, Refused
from rowspace.lab.reply import MEDIA_TYPE
from rowspace.lab.state import Answer, Lab, Upload

__all__ = ["PAGES", "make_app"]

PAGES = {
    "words": {**words.ROUTES, **word_maps.ROUTES},
}
STATIC = Path(__file__).parent / "static"
LONGEST_QUERY = 32 << 10  # bytes
THREADS = 8  # of each page, so that one slow page keeps none of another waiting
OVERRUN = 64 << 20  # bytes of a body too large that are still read, so that its sender hears the answer

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(lab: Lab) -> Starlette:
    """The application over one `Lab`."""
    answers = []
    for routes in PAGES.values():
        threads = CapacityLimiter(THREADS)
        answers += [_route(path, answer, _endpoint(lab, answer, threads)) for path, answer in routes.items()]
    pages = [Route(path, _index) for path in ("/", *(f"/{page}" for page in PAGES))]
    static = Mount("/static", StaticFiles(directory=STATIC, check_dir=False))
    return Starlette(routes=[*answers, *pages, static], exception_handlers=HANDLERS)


def _route(path: str, answer: Answer, endpoint: Endpoint) -> Route:
    return Route(f"/api/{path}", endpoint, methods=["GET", "POST"] if isinstance(answer, Upload) else ["GET"])


def _endpoint(lab: Lab, answer: Answer, threads: CapacityLimiter) -> Endpoint:
    limit = answer.limit if isinstance(answer, Upload) else 0

    async def endpoint(request: Request) -> Response:
        query = Query(given(request), await body(request, limit))
        work = partial(_encoded, answer, lab, query)
        reply = await to_thread.run_sync(work, abandon_on_cancel=True, limiter=threads)  # Ctrl-C does not wait for it
        return Response(reply, media_type=MEDIA_TYPE)

    return endpoint


def _encoded(answer: Answer, lab: Lab, query: Query) -> bytes:
    return answer(lab, query).encode()


def given(request: Request) -> dict[str, list[str]]:
    """The parameters of a request by name; raises `Refused` (414) where they are too long."""
    size = len(request.scope["query_string"])
    if size > LONGEST_QUERY:
        raise Refused(414, f"the parameters must have {LONGEST_QUERY:,} bytes at the most, not {size:,}")
    parameters: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        parameters.setdefault(name, []).append(value)
    return parameters


async def body(request: Request, limit: int) -> bytes:
    """The body of a request; raises `Refused` (413) where it has more than `limit` bytes, which are not kept."""
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size <= limit:
            parts.append(part)
        elif size > limit + OVERRUN:
            break
    if size > limit:
        raise Refused(413, f"the body must have {limit:,} bytes at the most, and this one has more")
    return b"".join(parts)


async def _index(_: Request) -> Response:
    return FileResponse(STATIC / "index.html")
