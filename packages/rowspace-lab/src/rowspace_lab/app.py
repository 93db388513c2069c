"""`make_app`: the Starlette application: the pages' API under `/api/`, the built front end, and the documentation."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rowspace.serve.request import read_body
from rowspace_lab.jobs.jobs import Jobs
from rowspace_lab.jobs.routes import job_routes
from rowspace_lab.lab import OPENED, Lab
from rowspace_lab.lessons import PAGE as LESSONS
from rowspace_lab.lessons.claims import PAGE as CLAIMS
from rowspace_lab.page import Handler, Page, Upload
from rowspace_lab.pages import PAGES, SearchSource, pages_over
from rowspace_lab.server.documentation import SITE, documentation_routes
from rowspace_lab.server.errors import HANDLERS
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import MEDIA_TYPE, Reply
from rowspace_lab.server.request import query_parameters
from rowspace_lab.server.shown_tokens import shown_tokens, with_tokens
from rowspace_lab.tables.routes import TABLE, table_routes
from rowspace_lab.tables.tables import Tables

__all__ = ["make_app"]

STATIC = Path(__file__).parent / "static"
THREADS = 8  # per page, so that a slow page does not block the others

Endpoint = Callable[[Request], Awaitable[Response]]


def make_app(
    lab: Lab | Tables,
    *,
    pages: Sequence[Page] | None = None,
    search: SearchSource | None = None,
    static: Path = STATIC,
    site: Path = SITE,
) -> Starlette:
    """Create the application.

    Args:
        lab: The table to show, or all tables to choose from.
        pages: The pages; the default is all of them.
        search: What the Search page searches; by default the working folder.
        static: The folder of the built front end.
        site: The folder of the built documentation; if it is missing, `/docs/` leads to the documentation on the web.
    """
    tables = lab if isinstance(lab, Tables) else Tables(lab)
    pages = (LESSONS, CLAIMS, *PAGES) if pages is None else pages
    pages = pages_over(search or SearchSource(), tables, pages)
    routes = []
    for page in pages:
        threads = CapacityLimiter(THREADS)
        routes += [_route(path, handler, _endpoint(tables, handler, threads)) for path, handler in page.routes.items()]
    index = partial(_index, static)
    shown = [Route(path, index) for path in ("/", *(f"/{page.name}" for page in pages), "/lessons/{part}")]
    files = Mount("/static", StaticFiles(directory=static, check_dir=False))
    jobs = Jobs({name: kind for page in pages for name, kind in page.job_kinds.items()})

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """Stop all jobs when the server shuts down."""
        yield
        await jobs.stop()

    return Starlette(
        routes=[
            *routes,
            *job_routes(jobs, partial(_lab_of, tables)),
            *table_routes(tables),
            Route("/api/instance", _instance),
            *shown,
            files,
            *documentation_routes(site),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )


def _route(path: str, handler: Handler, endpoint: Endpoint) -> Route:
    return Route(f"/api/{path}", endpoint, methods=["GET", "POST"] if isinstance(handler, Upload) else ["GET"])


def _endpoint(tables: Tables, handler: Handler, threads: CapacityLimiter) -> Endpoint:
    limit = handler.limit if isinstance(handler, Upload) else 0

    async def endpoint(request: Request) -> Response:
        body = await read_body(request, limit)
        parameters = query_parameters(request)
        id = Query(parameters).text(TABLE, OPENED)
        query = Query(parameters, body if request.method == "POST" else None)
        work = partial(_encoded, handler, tables, id, query)
        reply = await to_thread.run_sync(work, abandon_on_cancel=True, limiter=threads)  # Ctrl-C does not wait for it
        return Response(reply, media_type=MEDIA_TYPE)

    return endpoint


def _encoded(handler: Handler, tables: Tables, id: str, query: Query) -> bytes:
    lab = tables.lab(id)
    fields = handler(lab, with_tokens(lab.table, query))
    return Reply(fields).encode(shown_tokens(lab.table, fields))


async def _lab_of(tables: Tables, request: Request) -> Lab:
    """Return the table that a request names."""
    id = Query(query_parameters(request)).text(TABLE, OPENED)
    return await to_thread.run_sync(tables.lab, id, abandon_on_cancel=True)


async def _instance(_: Request) -> Response:
    """Return an empty response; open pages detect a restarted server by its `X-Rowspace-Instance` header."""
    return Response(status_code=204)


async def _index(static: Path, _: Request) -> Response:
    return FileResponse(static / "index.html")
