"""Error responses as OpenAI's API has them, from which its clients raise their own exceptions.

The body is `{"error": {"message", "type", "param", "code"}}`; the client chooses the exception by the status.
"""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from rowspace.errors import RowspaceError
from rowspace.serve.request import HttpError

__all__ = ["HANDLERS", "ApiError", "error_response"]

INTERNAL_ERROR = "an internal error: its traceback is in the terminal where rowspace serve runs; please report it"
ENDPOINTS = "POST /v1/embeddings, GET /v1/models, /health, /metrics and /openapi.json"


class ApiError(HttpError):
    """An error with the fields of OpenAI's error object.

    Args:
        status: The HTTP status.
        message: What was wrong, and what to do next.
        param: The field of the request that is wrong.
        code: OpenAI's name for the error, if it has one.
    """

    def __init__(self, status: int, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(status, message)
        self.param = param
        self.code = code


def error_response(error: HttpError, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response to an error."""
    status = error.status
    kind = "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    fields = {"param": getattr(error, "param", None), "code": getattr(error, "code", None)}
    answer = JSONResponse({"error": {"message": str(error), "type": kind, **fields}}, status)
    answer.headers.update(headers or {})
    if status == 429:
        answer.headers["Retry-After"] = "1"
    if status >= 500:
        answer.headers["X-Should-Retry"] = "false"  # the same request would fail again
    return answer


async def _on_library_error(_: Request, error: Exception) -> Response:
    """Respond to a `RowspaceError`; one without a status is about the text, such as a character without a token."""
    return error_response(error if isinstance(error, HttpError) else ApiError(400, str(error), param="input"))


async def _on_routing_error(request: Request, error: Any) -> Response:
    """Respond to an unknown path or a method that is not allowed."""
    path, status, headers = request.url.path, error.status_code, dict(error.headers or {})
    if status == 405:
        headers["Allow"] = ", ".join(sorted(headers["Allow"].split(", ")))  # sets have no fixed order
        return error_response(ApiError(405, f"{path} accepts {headers['Allow']}, not {request.method[:40]}"), headers)
    message = f"there is nothing at {path[:100]}; this server has {ENDPOINTS}"
    return error_response(ApiError(status, message, code="unknown_url"), headers)


async def _on_internal_error(_: Request, __: Exception) -> Response:
    """Respond to an unexpected exception; the server writes its traceback to standard error."""
    # Uvicorn closes the connection after an exception. Without this header, a client could send its next request on it.
    return error_response(ApiError(500, INTERNAL_ERROR), {"Connection": "close"})


HANDLERS = {RowspaceError: _on_library_error, HTTPException: _on_routing_error, Exception: _on_internal_error}
"""Starlette's exception handlers."""
