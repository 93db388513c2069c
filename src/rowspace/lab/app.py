"""`make_app`: the server of the workbench: pages' questions under `/api/`, the built front end for all else."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rowspace.lab import (
    analogies,
    costs,
    heads,
    inputs,
    patches,
    pipeline,
    positions,
    token_sources,
    tokens,
    tying,
    word_jobs,
    word_maps,
    words,
)
from rowspace.lab.jobs.jobs import Jobs
from rowspace.lab.jobs.kinds import Kind
from rowspace.lab.jobs.routes import job_routes
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer, Upload
from rowspace.lab.server.errors import HANDLERS
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import MEDIA_TYPE
from rowspace.lab.server.request import body, parameters

__all__ = ["KINDS", "PAGES", "make_app"]

PAGES = {
    "words": {**words.ROUTES, **word_maps.ROUTES},
    "analogies": analogies.ROUTES,
    "tokens": tokens.ROUTES,
    "pipeline": pipeline.ROUTES,
    "input": inputs.ROUTES,
    "positions": positions.ROUTES,
    "patches": patches.ROUTES,
    "head": {**heads.ROUTES, **tying.ROUTES},
    "cost": costs.ROUTES,
}
KINDS: dict[str, Kind] = {**word_jobs.KINDS, **token_sources.KINDS}
STATIC = Path(__file__).parent / "static"
THREADS = 8  # of each page, so that one slow page keeps none of another waiting

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(
    lab: Lab,
    *,
    pages: Mapping[str, Mapping[str, Answer]] | None = None,
    kinds: Mapping[str, Kind] | None = None,
    static: Path = STATIC,
) -> Starlette:
    """The application over one `Lab`: `PAGES`, `KINDS` of jobs and the built front end, or others in their place."""
    pages = PAGES if pages is None else pages
    answers = []
    for routes in pages.values():
        threads = CapacityLimiter(THREADS)
        answers += [_route(path, answer, _endpoint(lab, answer, threads)) for path, answer in routes.items()]
    index = partial(_index, static)
    shown = [Route(path, index) for path in ("/", *(f"/{page}" for page in pages))]
    files = Mount("/static", StaticFiles(directory=static, check_dir=False))
    jobs = Jobs(lab, KINDS if kinds is None else kinds)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """End the jobs with the server."""
        yield
        await jobs.stop()

    return Starlette(
        routes=[*answers, *job_routes(jobs), Route("/api/instance", _instance), *shown, files],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )


def _route(path: str, answer: Answer, endpoint: Endpoint) -> Route:
    return Route(f"/api/{path}", endpoint, methods=["GET", "POST"] if isinstance(answer, Upload) else ["GET"])


def _endpoint(lab: Lab, answer: Answer, threads: CapacityLimiter) -> Endpoint:
    limit = answer.limit if isinstance(answer, Upload) else 0

    async def endpoint(request: Request) -> Response:
        sent = await body(request, limit)
        query = Query(parameters(request), sent if request.method == "POST" else None)
        work = partial(_encoded, answer, lab, query)
        reply = await to_thread.run_sync(work, abandon_on_cancel=True, limiter=threads)  # Ctrl-C does not wait for it
        return Response(reply, media_type=MEDIA_TYPE)

    return endpoint


def _encoded(answer: Answer, lab: Lab, query: Query) -> bytes:
    return answer(lab, query).encode()


async def _instance(_: Request) -> Response:
    """An empty response; its `X-Rowspace-Instance` header tells an open page whether the server was restarted."""
    return Response(status_code=204)


async def _index(static: Path, _: Request) -> Response:
    return FileResponse(static / "index.html")
