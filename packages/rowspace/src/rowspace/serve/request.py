"""`HttpError`, and the body of a request with a size limit."""

from starlette.requests import ClientDisconnect, Request

from rowspace.errors import RowspaceError

__all__ = ["HttpError", "read_body"]

OVERRUN = 64 << 20  # bytes read past the limit, so that the client receives the response


class HttpError(RowspaceError):
    """An error with an HTTP status and a message for the client."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body.

    Args:
        request: A request whose body was not read yet.
        limit: Maximum number of bytes.

    Raises:
        HttpError: It is incomplete (400) or has more than `limit` bytes (413).
    """
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size <= limit:
                parts.append(part)
            elif size > limit + OVERRUN:
                break
    except ClientDisconnect:  # for example, the page was closed
        raise HttpError(400, "the connection was closed before the body was complete") from None
    if size > limit:
        raise HttpError(413, f"the body must have at most {limit:,} bytes, and this one has more")
    return b"".join(parts)
