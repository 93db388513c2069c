"""The address of a server, and checks of the host, origin and secret that a request sends.

A page of any site can send requests to a server on this machine. Its requests name another host if a foreign name was
made to resolve to 127.0.0.1 (DNS rebinding); otherwise the browser sends their origin. Source: W3C, Fetch Metadata.
"""

import hmac
import ipaddress
import re
import socket
from dataclasses import dataclass

from starlette.requests import Request

from rowspace.errors import UsageError

__all__ = ["Address", "bearer_token", "is_from_elsewhere", "is_loopback", "secrets_equal", "validate_secret"]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104  # all interfaces of the machine
MIN_SECRET = 16  # characters


@dataclass(frozen=True)
class Address:
    """The host and port that a server listens on.

    >>> address = Address("127.0.0.1", 7697)
    >>> address.base_url, address.is_here("localhost:7697"), address.is_here("example.org:7697")
    ('http://127.0.0.1:7697', True, False)
    """

    host: str
    port: int

    @property
    def base_url(self) -> str:
        """The URL by which this machine, or others if the host allows it, reach the server."""
        name = socket.gethostname() if self.host in EVERYWHERE else self.host
        return f"http://{f'[{name}]' if ':' in name else name}:{self.port}"

    def is_here(self, host: str) -> bool:
        """Return whether a Host header names this server."""
        if self.port == 80 and not host.endswith(":80"):
            host += ":80"  # clients omit the default port
        name, _, port = host.lower().rpartition(":")
        name = name.removeprefix("[").removesuffix("]")
        if self.host in EVERYWHERE:
            known = name in ("localhost", socket.gethostname().lower()) or _is_address(name)
        else:
            known = name == self.host.lower() or (is_loopback(self.host) and name in LOOPBACK)
        return known and port == str(self.port)


def is_loopback(host: str) -> bool:
    """Return whether a host is reachable from this machine only.

    >>> is_loopback("localhost"), is_loopback("127.8.8.8"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, True, False, False)
    """
    return host.lower() == "localhost" or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def is_from_elsewhere(request: Request) -> bool:
    """Return whether the browser marks the request as coming from another site, such as another port of this host."""
    return request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin")


def bearer_token(request: Request) -> str | None:
    """Return the token of `Authorization: Bearer`, or None without one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else None


def secrets_equal(sent: str, secret: str) -> bool:
    """Compare in constant time, which does not show how many characters are right.

    >>> secrets_equal("sixteen-letters.", "sixteen-letters."), secrets_equal("é", "sixteen-letters.")
    (True, False)
    """
    return hmac.compare_digest(sent.encode(), secret.encode())


def validate_secret(secret: str, what: str) -> str:
    """Return the secret if it is long enough and can be sent in a URL and a header, without spaces.

    Args:
        secret: A token or a key.
        what: Its name in the message, such as "a token".

    Raises:
        UsageError: It is too short or has other characters.
    """
    if not re.fullmatch(rf"[\w.~-]{{{MIN_SECRET},}}", secret, re.ASCII):
        raise UsageError(f"{what} must have at least {MIN_SECRET} characters: letters, digits and -._~")
    return secret


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
