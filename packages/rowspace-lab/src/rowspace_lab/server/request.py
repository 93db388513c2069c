"""The query parameters of a request, with a size limit."""

from starlette.requests import Request

from rowspace.serve.request import HttpError

__all__ = ["query_parameters"]

MAX_QUERY = 32 << 10  # bytes


def query_parameters(request: Request) -> dict[str, list[str]]:
    """Return the query parameters by name; raise `HttpError` (414) if the query string is too long."""
    size = len(request.scope["query_string"])
    if size > MAX_QUERY:
        raise HttpError(414, f"the query string must have at most {MAX_QUERY:,} bytes, not {size:,}")
    parameters: dict[str, list[str]] = {}
    for name, value in request.query_params.multi_items():
        parameters.setdefault(name, []).append(value)
    return parameters
