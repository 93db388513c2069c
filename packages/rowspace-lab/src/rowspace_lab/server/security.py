"""`AccessMiddleware`: rejects requests without the token, or from other sites.

Any site in the same browser can send requests to this server. Therefore a request must name this host (which prevents
DNS rebinding: a foreign name that resolves to 127.0.0.1), must come from a page of this server, and must have the
token: in the first URL, then in a same-site cookie, or in `Authorization: Bearer`. Every response has a content
security policy that forbids loading from other hosts and frames on their pages; the documentation has frames with
figures. Sources: W3C, Fetch Metadata and Content Security Policy 3.
"""

import secrets
from dataclasses import dataclass
from html import escape
from urllib.parse import quote, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rowspace.serve.access import Address, bearer_token, is_from_elsewhere, secrets_equal
from rowspace_lab.server.errors import error_response

__all__ = ["Access", "AccessMiddleware"]

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
INSTANCE_HEADER = "X-Rowspace-Instance"
UNAUTHORIZED = (
    "the token is missing or belongs to a server that was stopped; open the URL that rowspace lab last printed in the "
    "terminal"
)


@dataclass(frozen=True)
class Access(Address):
    """The host and port of the server, and its access token.

    >>> access = Access("127.0.0.1", 7697, "secret")
    >>> access.url, access.is_here("localhost:7697"), access.is_here("example.org:7697")
    ('http://127.0.0.1:7697/?token=secret', True, False)
    """

    token: str

    @property
    def url(self) -> str:
        """The URL to open, with the token."""
        return f"{self.base_url}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie; it includes the port because browsers share cookies between ports."""
        return f"rowspace-lab-{self.port}"

    def opens(self, token: str) -> bool:
        """Return whether `token` is valid."""
        return secrets_equal(token, self.token)


class AccessMiddleware:
    """Pass allowed requests to `app`; respond to all others with status 403 and the reason.

    Every response has the header `X-Rowspace-Instance`, a random id of this server process, by which open pages detect
    that the server was restarted.
    """

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app = app
        self.access = access
        self.instance = secrets.token_hex(8)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":  # startup and shutdown
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        answer = self._first_answer(request) or self.app
        await answer(scope, receive, _with_headers(send, request.url.path, self.instance))

    def _first_answer(self, request: Request) -> Response | None:
        """Return a response without the application, or None for a request to pass on."""
        path, message = request.url.path, self._rejection(request)
        if message is not None:
            return error_response(path, 403, message)
        if _is_page(request) and self.access.opens(request.query_params.get("token", "")):
            return self._opened(request)
        if not self._has_token(request):
            return error_response(path, 403, UNAUTHORIZED)
        return None

    def _rejection(self, request: Request) -> str | None:
        """Return why this request is not allowed even with the token, or None if it is allowed."""
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if not self.access.is_here(host):
            return f"unknown host {host[:100]!r}; open the URL that rowspace lab printed"
        if origin is not None and origin != f"http://{host}":
            return f"requests from {origin[:100]!r} are not allowed; only the pages of this server may send them"
        if is_from_elsewhere(request) and not (_is_page(request) and _is_opened_by_a_link(request)):
            return "requests from another site are not allowed; only the pages of this server may send them"
        return None

    def _has_token(self, request: Request) -> bool:
        sent = bearer_token(request)
        return self.access.opens(request.cookies.get(self.access.cookie, "") if sent is None else sent)

    def _opened(self, request: Request) -> Response:
        """Redirect to the same page without the token in its URL, and set the cookie."""
        left = [(name, value) for name, value in request.query_params.multi_items() if name != "token"]
        address = f"http://{request.headers['host']}{quote(request.scope['path'])}{'?' * bool(left)}{urlencode(left)}"
        answer: Response = RedirectResponse(address, 303)
        if is_from_elsewhere(request):  # browsers send no SameSite cookie after a cross-site redirect
            answer = HTMLResponse(f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(address)}">')
        answer.set_cookie(self.access.cookie, self.access.token, httponly=True, samesite="strict")
        return answer


def _is_page(request: Request) -> bool:
    return request.method == "GET" and not request.url.path.startswith(("/api/", "/static/"))


def _is_opened_by_a_link(request: Request) -> bool:
    return (request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest")) == ("navigate", "document")


def _with_headers(send: Send, path: str, instance: str) -> Send:
    """Wrap `send` to add the security headers and the id of this server process."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            headers.update(HEADERS)
            headers[INSTANCE_HEADER] = instance
            headers["Cache-Control"] = "no-store" if path.startswith("/api/") else "no-cache"
        await send(message)

    return sent
