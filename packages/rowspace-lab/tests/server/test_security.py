"""Tokens, allowed hosts and origins, and security headers."""

import asyncio
import re
import socket

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Scope

from rowspace_lab.server.security import Access, AccessMiddleware

TOKEN = "a-token-of-22-letters-"
ACCESS = Access("127.0.0.1", 7697, TOKEN)
COOKIE = {"Cookie": f"other=1; {ACCESS.cookie}={TOKEN}"}


def make_client(access: Access = ACCESS, url: str = "http://127.0.0.1:7697") -> TestClient:
    inside = Starlette(routes=[Route("/{path:path}", lambda _: PlainTextResponse("inside"), methods=["GET", "POST"])])
    return TestClient(AccessMiddleware(inside, access), base_url=url, follow_redirects=False)


def test_request_without_the_token_is_refused() -> None:
    page, api = make_client().get("/words"), make_client().get("/api/words/rows")
    assert (page.status_code, api.status_code) == (403, 403)
    assert "<p>the token is missing or belongs to a server that was stopped; open the URL" in page.text
    assert api.json().keys() == {"kind", "error"}
    assert api.json()["kind"] == "Forbidden"
    assert api.json()["error"] in page.text


def test_error_page_styles_comply_with_the_content_security_policy() -> None:
    page = make_client().get("/words")
    assert "<style>" in page.text
    assert "<h1>Access denied</h1>" in page.text
    assert "style-src 'self' 'unsafe-inline'" in page.headers["content-security-policy"]
    assert not re.search(r"<script|<link|src=|url\(|@import| style=", page.text)  # no scripts or external resources


def test_responses_have_an_instance_id_that_changes_on_restart() -> None:
    first, second = make_client(), make_client()
    granted = {"Authorization": f"Bearer {TOKEN}"}
    names = [first.get(path, headers=granted).headers["x-rowspace-instance"] for path in ("/", "/api/words/rows")]
    names.append(first.get("/api/words/rows").headers["x-rowspace-instance"])  # refused
    assert len(set(names)) == 1
    assert second.get("/").headers["x-rowspace-instance"] != names[0]


def test_only_http_and_lifespan_scopes_are_accepted() -> None:
    reached = []

    async def app(scope: Scope, *_: object) -> None:
        reached.append(scope["type"])

    with pytest.raises(AssertionError):
        asyncio.run(AccessMiddleware(app, ACCESS)({"type": "websocket", "headers": []}, None, None))
    asyncio.run(AccessMiddleware(app, ACCESS)({"type": "lifespan"}, None, None))
    assert reached == ["lifespan"]


def test_token_in_the_url_sets_a_cookie() -> None:
    client = make_client()
    first = client.get(f"/words?a=1%262&token={TOKEN}&b=%D1%8F")
    assert (first.status_code, first.headers["location"]) == (303, "http://127.0.0.1:7697/words?a=1%262&b=%D1%8F")
    assert first.headers["set-cookie"].lower() == f"rowspace-lab-7697={TOKEN}; httponly; path=/; samesite=strict"
    assert client.get(first.headers["location"]).text == "inside"
    assert client.get("/api/words/rows").text == "inside"


def test_token_redirect_stays_on_this_host() -> None:
    answer = make_client().get(f"http://127.0.0.1:7697//example.org/?token={TOKEN}")
    assert answer.headers["location"] == "http://127.0.0.1:7697//example.org/"


def test_token_in_the_url_is_accepted_only_for_pages() -> None:
    assert make_client().get(f"/api/words/rows?token={TOKEN}").status_code == 403
    assert make_client().post(f"/words?token={TOKEN}").status_code == 403


def test_bearer_token_is_accepted() -> None:
    assert make_client().get("/api/words/rows", headers={"Authorization": f"Bearer {TOKEN}"}).text == "inside"
    assert make_client().get("/api/words/rows", headers={"Authorization": "Bearer wrong"}).status_code == 403
    assert make_client().get("/api/words/rows", headers={"Authorization": f"Basic {TOKEN}"}).status_code == 403


@pytest.mark.parametrize("token", ["", "wrong", "é", TOKEN[:-1], TOKEN + "x", "\udcff"])
def test_wrong_token_is_refused(token: str) -> None:
    cookie = {"Cookie": f"{ACCESS.cookie}={token}".encode("utf-8", "surrogateescape")}
    assert make_client().get("/", headers=cookie).status_code == 403
    assert make_client().get("/", params={"token": token.encode("utf-8", "surrogateescape")}).status_code == 403


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:7697", 200),
        ("localhost:7697", 200),
        ("LOCALHOST:7697", 200),
        ("[::1]:7697", 200),
        ("127.0.0.1:7698", 403),
        ("127.0.0.1", 403),
        ("example.org:7697", 403),
        ("127.0.0.1.example.org:7697", 403),
        ("127.0.0.1:7697.example.org", 403),
        ("me@127.0.0.1:7697", 403),
        ("", 403),
    ],
)
def test_host_header_must_match_the_server(host: str, status: int) -> None:
    assert make_client().get("/", headers={**COOKIE, "Host": host}).status_code == status


@pytest.mark.parametrize(
    ("listens", "host", "status"),
    [
        ("192.168.1.5", "192.168.1.5:7697", 200),
        ("192.168.1.5", "localhost:7697", 403),
        ("0.0.0.0", "192.168.1.5:7697", 200),
        ("0.0.0.0", f"{socket.gethostname()}:7697", 200),
        ("::", "[fe80::1]:7697", 200),
        ("::", "example.org:7697", 403),
    ],
)
def test_host_header_must_match_a_non_loopback_address(listens: str, host: str, status: int) -> None:
    client = make_client(Access(listens, 7697, TOKEN))
    assert client.get("/", headers={**COOKIE, "Host": host}).status_code == status


def test_host_header_may_omit_port_80() -> None:
    access = Access("127.0.0.1", 80, TOKEN)
    client = make_client(access, "http://127.0.0.1")
    assert client.get("/", headers={"Authorization": f"Bearer {TOKEN}"}).text == "inside"


def test_url_has_brackets_around_an_ipv6_address() -> None:
    assert Access("::1", 7697, TOKEN).url == f"http://[::1]:7697/?token={TOKEN}"
    assert Access("0.0.0.0", 7697, TOKEN).url == f"http://{socket.gethostname()}:7697/?token={TOKEN}"


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://127.0.0.1:7697", 200),
        ("http://localhost:7697", 403),  # differs from the Host header
        ("https://127.0.0.1:7697", 403),
        ("http://127.0.0.1:7698", 403),
        ("https://example.org", 403),
        ("null", 403),
    ],
)
def test_origin_header_must_match_the_host(origin: str, status: int) -> None:
    assert make_client().post("/api/jobs", headers={**COOKIE, "Origin": origin}).status_code == status


def fetched(site: str, mode: str = "no-cors", dest: str = "image") -> dict[str, str]:
    return {**COOKIE, "Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_cross_site_requests_may_only_navigate_to_pages(site: str) -> None:
    navigation = fetched(site, "navigate", "document")
    assert make_client().get("/words", headers=navigation).text == "inside"
    assert make_client().get("/api/words/rows", headers=navigation).status_code == 403
    assert make_client().get("/static/index.js", headers=navigation).status_code == 403
    assert make_client().post("/words", headers=navigation).status_code == 403
    assert make_client().get("/words", headers=fetched(site, "navigate", "iframe")).status_code == 403
    assert make_client().get("/words", headers=fetched(site)).status_code == 403


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_same_origin_requests_are_allowed(site: str) -> None:
    assert make_client().get("/api/words/rows", headers=fetched(site)).text == "inside"


def test_cross_site_link_with_the_token_opens_the_page() -> None:
    """The page redirects with a meta element: after an HTTP redirect, the browser would not send the cookie."""
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    answer = make_client().get(f"/words?a=%22%3E&token={TOKEN}", headers=headers)
    assert answer.status_code == 200
    assert 'content="0;url=http://127.0.0.1:7697/words?a=%22%3E"' in answer.text
    assert ACCESS.cookie in answer.headers["set-cookie"]


@pytest.mark.parametrize("headers", [COOKIE, {}])
def test_responses_have_security_headers(headers: dict[str, str]) -> None:
    page, api = make_client().get("/", headers=headers), make_client().get("/api/words/rows", headers=headers)
    assert (page.headers["cache-control"], api.headers["cache-control"]) == ("no-cache", "no-store")
    for answer in (page, api):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;" in policy
        assert "frame-ancestors 'self'" in policy
        assert "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
