"""Error responses: JSON with the kind of error under `/api/`, a small HTML page elsewhere; never a traceback."""

from html import escape
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from rowspace.errors import RowspaceError, UnknownTokenError
from rowspace.serve.request import HttpError

__all__ = ["HANDLERS", "INTERNAL_ERROR", "error_response"]

INTERNAL_ERROR = (
    "an internal error: its traceback is in the terminal of rowspace lab, or in the output or log of the notebook; "
    "please report it"
)
"""The message for unexpected errors of the server or of a job's process."""

ERROR_KINDS = {
    400: "BodyCutShort",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    413: "BodyTooLarge",
    414: "QueryTooLarge",
    429: "TooManyJobs",
    500: "ServerError",
}


def error_response(path: str, status: int, message: str, kind: str | None = None) -> Response:
    """Return `{"kind", "error"}` as JSON if `path` is under `/api/`, else an HTML page with the message."""
    if path.startswith("/api/"):
        return JSONResponse({"kind": kind or ERROR_KINDS.get(status, "Refused"), "error": message}, status)
    return HTMLResponse(_PAGE.format(heading=HEADINGS.get(status, "Error"), message=escape(message)), status)


HEADINGS = {403: "Access denied", 404: "Page not found", 500: "Internal error"}
# One file, since a browser without the token can load no other; the content security policy allows inline styles.
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
<p>{message}</p>
</html>
"""


async def _on_library_error(request: Request, error: Exception) -> Response:
    """Respond to a `RowspaceError` with its message."""
    if isinstance(error, HttpError):
        return error_response(request.url.path, error.status, str(error))
    status = 404 if isinstance(error, UnknownTokenError) else 400
    return error_response(request.url.path, status, str(error), type(error).__name__)


async def _on_routing_error(request: Request, error: Any) -> Response:
    """Respond to an unknown path or a method that is not allowed."""
    path, status, headers = request.url.path, error.status_code, error.headers or {}
    message = f"there is no page at {path}; open / for the first page"
    if status == 405:
        headers = {"Allow": ", ".join(sorted(headers["Allow"].split(", ")))}  # sets have no fixed order
        message = f"{path} accepts {headers['Allow']}, not {request.method[:40]}"
    answer = error_response(path, status, message)
    answer.headers.update(headers)
    return answer


async def _on_internal_error(request: Request, _: Exception) -> Response:
    """Respond to an unexpected exception; the server writes its traceback to standard error."""
    answer = error_response(request.url.path, 500, INTERNAL_ERROR)
    # Uvicorn closes the connection after an exception. Without this header, a client could send its next request on it.
    answer.headers["Connection"] = "close"
    return answer


HANDLERS = {RowspaceError: _on_library_error, HTTPException: _on_routing_error, Exception: _on_internal_error}
"""Starlette's exception handlers."""
