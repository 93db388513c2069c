"""`make_app`: the server of the workbench: pages' questions under `/api/`, the built front end for all else.

Read next: `state.py`.
"""

from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from rowspace.errors import RowspaceError, UnknownTokenError
from rowspace.lab import word_maps, words
from rowspace.lab.query import Query
from rowspace.lab.reply import MEDIA_TYPE
from rowspace.lab.state import Answer, Lab

__all__ = ["PAGES", "make_app"]

PAGES = {
    "words": {**words.ROUTES, **word_maps.ROUTES},
}
STATIC = Path(__file__).parent / "static"


def make_app(lab: Lab) -> Starlette:
    """The application over one `Lab`."""
    answers = [
        Route(f"/api/{path}", _endpoint(lab, answer)) for routes in PAGES.values() for path, answer in routes.items()
    ]
    pages = [Route(path, _index) for path in ("/", *(f"/{page}" for page in PAGES))]
    return Starlette(
        routes=[*answers, *pages, Mount("/static", StaticFiles(directory=STATIC))],
        exception_handlers={RowspaceError: _refusal},
    )


def _endpoint(lab: Lab, answer: Answer) -> Any:
    async def endpoint(request: Request) -> Response:
        given = {name: request.query_params.getlist(name) for name in request.query_params}
        reply = await run_in_threadpool(lambda: answer(lab, Query(given)).encode())
        return Response(reply, media_type=MEDIA_TYPE)

    return endpoint


async def _index(_: Request) -> Response:
    return FileResponse(STATIC / "index.html")


async def _refusal(_: Request, error: Exception) -> Response:
    status = 404 if isinstance(error, UnknownTokenError) else 400
    return JSONResponse({"kind": type(error).__name__, "error": str(error)}, status)
