"""`serve`: run the workbench until Ctrl-C or SIGTERM, without waiting for open requests."""

import secrets
import socket

from starlette.types import ASGIApp

from rowspace.errors import UsageError
from rowspace.serve.access import is_loopback, validate_secret
from rowspace.serve.server import run
from rowspace_lab.server.security import Access, AccessMiddleware

__all__ = ["DEFAULT_PORT", "serve", "validate_token"]

DEFAULT_PORT = 7697  # ROWS on a telephone keypad


def validate_token(host: str, token: str | None) -> str:
    """Return the token, or a new random one if it is None and the host is a loopback address.

    Raises `UsageError` if a required token is missing, or if it is too short or not valid in a URL.

    >>> len(validate_token("127.0.0.1", None)) >= 32
    True
    """
    if token is None and not is_loopback(host):
        raise UsageError(f"--host {host} gives other machines access: add a --token of at least 16 characters")
    return secrets.token_urlsafe(32) if token is None else validate_secret(token, "a token")


def serve(app: ASGIApp, access: Access, listener: socket.socket) -> None:
    """Serve requests that have `access` until a signal arrives."""
    run(AccessMiddleware(app, access), listener)
