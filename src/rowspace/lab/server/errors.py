"""Errors as responses: typed JSON under `/api/`, a small styled page elsewhere; never a traceback."""

from html import escape
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from rowspace.errors import RowspaceError, UnknownTokenError

__all__ = ["HANDLERS", "MISTAKE", "Refused", "refusal"]

MISTAKE = "rowspace made a mistake here and wrote it where rowspace lab was started; please report it"
"""What is told of an error that nobody expected, by the server and by the process of a job."""

KINDS = {
    400: "BodyCutShort",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    413: "BodyTooLarge",
    414: "QueryTooLarge",
    429: "TooManyJobs",
    500: "ServerError",
}


class Refused(RowspaceError):
    """A request that is refused with a status of its own, and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def refusal(path: str, status: int, sentence: str, kind: str | None = None) -> Response:
    """The answer to a request for `path`: `{"kind", "error"}`, or a page that says the sentence."""
    if path.startswith("/api/"):
        return JSONResponse({"kind": kind or KINDS.get(status, "Refused"), "error": sentence}, status)
    return HTMLResponse(_PAGE.format(heading=HEADINGS.get(status, "Error"), sentence=escape(sentence)), status)


HEADINGS = {403: "Access denied", 404: "Page not found", 500: "Internal error"}
# One file, since a browser without the token gets no other; the content security policy allows inline styles.
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{heading} · rowspace lab</title>
<style>
body {{ max-width: 38rem; margin: 15vh auto 0; padding: 0 1.5rem; font: 1rem/1.5 system-ui, sans-serif; }}
h1 {{ font-size: 1.25rem; }}
p {{ overflow-wrap: anywhere; }}
small {{ opacity: 0.7; }}
</style>
<small>rowspace lab</small>
<h1>{heading}</h1>
<p>{sentence}</p>
</html>
"""


async def _wrong(request: Request, error: Exception) -> Response:
    """What the library refuses, in its own words."""
    if isinstance(error, Refused):
        return refusal(request.url.path, error.status, str(error))
    status = 404 if isinstance(error, UnknownTokenError) else 400
    return refusal(request.url.path, status, str(error), type(error).__name__)


async def _unrouted(request: Request, error: Any) -> Response:
    """No route has this path, or none this method."""
    path, status, headers = request.url.path, error.status_code, error.headers or {}
    sentence = f"nothing is at {path}; open / for the first page"
    if status == 405:
        headers = {"Allow": ", ".join(sorted(headers["Allow"].split(", ")))}  # in one order at each start
        sentence = f"{path} is asked by {headers['Allow']}, not {request.method[:40]}"
    answer = refusal(path, status, sentence)
    answer.headers.update(headers)
    return answer


async def _broken(request: Request, _: Exception) -> Response:
    """A mistake of ours: the server writes its trace to standard error, where `rowspace lab` was started."""
    return refusal(request.url.path, 500, MISTAKE)


HANDLERS = {RowspaceError: _wrong, HTTPException: _unrouted, Exception: _broken}
"""What Starlette is given: the kind of an exception → who answers."""
