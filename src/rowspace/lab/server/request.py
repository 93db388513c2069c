"""The query parameters and the body of a request, with size limits."""

from starlette.requests import ClientDisconnect, Request

from rowspace.lab.server.errors import HttpError

__all__ = ["query_parameters", "read_body"]

LONGEST_QUERY = 32 << 10  # bytes
OVERRUN = 64 << 20  # bytes read past the limit, so that the client receives the response


def query_parameters(request: Request) -> dict[str, list[str]]:
    """Return the query parameters by name; raise `HttpError` (414) if the query string is too long."""
    size = len(request.scope["query_string"])
    if size > LONGEST_QUERY:
        raise HttpError(414, f"the query string must have at most {LONGEST_QUERY:,} bytes, not {size:,}")
    parameters: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        parameters.setdefault(name, []).append(value)
    return parameters


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body; raise `HttpError` if it is incomplete (400) or has more than `limit` bytes (413)."""
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
