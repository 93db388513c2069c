"""`KeyMiddleware`: rejects requests without the key, and on a loopback address those that a page of a site sends."""

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from rowspace.errors import UsageError
from rowspace.serve.access import Address, bearer_token, is_from_elsewhere, is_loopback, secrets_equal
from rowspace.serve.embeddings.errors import ApiError, error_response

__all__ = ["KeyMiddleware"]

OPEN = "/health"  # answers without the key


class KeyMiddleware:
    """Pass allowed requests to `app`; respond to others with status 401 (no key) or 403 (from a site).

    Without a key, the address must be a loopback address. On one, a request must name this host and may not come from
    a page: any site in a browser on this machine could send it otherwise.

    Args:
        app: The application.
        address: Where the server listens.
        key: The key that clients send as `Authorization: Bearer`; None for requests from this machine only.

    Raises:
        UsageError: There is no key, and the address can be reached from other machines.
    """

    def __init__(self, app: ASGIApp, address: Address, key: str | None) -> None:
        self.is_local = is_loopback(address.host)
        if key is None and not self.is_local:
            raise UsageError(
                f"host {address.host} gives other machines access: a key of at least 16 characters is needed"
            )
        self.app = app
        self.address = address
        self.key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":  # startup and shutdown
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        error = self._rejection(request)
        headers = {"WWW-Authenticate": "Bearer"} if error is not None and error.status == 401 else None
        answer = self.app if error is None else error_response(error, headers)
        await answer(scope, receive, send)

    def _rejection(self, request: Request) -> ApiError | None:
        """Return why a request is not allowed, or None if it is."""
        if self.is_local and (message := self._foreign(request)):
            return ApiError(403, message)
        if self.key is None or request.url.path == OPEN:
            return None
        sent = bearer_token(request)
        if sent is not None and secrets_equal(sent, self.key):
            return None
        wrong = "is missing; send" if sent is None else "is wrong; send the right one by"
        return ApiError(401, f"the API key {wrong} the header Authorization: Bearer KEY", code="invalid_api_key")

    def _foreign(self, request: Request) -> str | None:
        """Return why a request looks like one of another site, or None if it does not."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if not self.address.is_here(host):
            return f"unknown host {host[:100]!r}; this server answers to {self.address.base_url}"
        if (origin is not None and origin != f"http://{host}") or is_from_elsewhere(request):
            return "requests from pages of other sites are not allowed"
        return None
