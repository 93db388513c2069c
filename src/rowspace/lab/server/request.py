"""The parameters and the body of a request, each with a limit."""

from starlette.requests import ClientDisconnect, Request

from rowspace.lab.server.errors import HttpError

__all__ = ["query_parameters", "read_body"]

LONGEST_QUERY = 32 << 10  # bytes
OVERRUN = 64 << 20  # bytes of a body too large that are still read, so that the client receives the response


def query_parameters(request: Request) -> dict[str, list[str]]:
    """The parameters by name; raises `HttpError` (414) where they are too long."""
    size = len(request.scope["query_string"])
    if size > LONGEST_QUERY:
        raise HttpError(414, f"the parameters must have {LONGEST_QUERY:,} bytes at most, not {size:,}")
    parameters: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        parameters.setdefault(name, []).append(value)
    return parameters


async def read_body(request: Request, limit: int) -> bytes:
    """The body; raises `HttpError` for one that is cut short (400) or has more than `limit` bytes (413)."""
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size <= limit:
                parts.append(part)
            elif size > limit + OVERRUN:
                break
    except ClientDisconnect:  # the page was closed meanwhile: no bug
        raise HttpError(400, "the connection ended before the body did") from None
    if size > limit:
        raise HttpError(413, f"the body must have {limit:,} bytes at most, and this one has more")
    return b"".join(parts)
