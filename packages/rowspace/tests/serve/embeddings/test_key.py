"""Keys, hosts and origins."""

import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from rowspace.errors import UsageError
from rowspace.serve.access import Address
from rowspace.serve.embeddings import KeyMiddleware

KEY = "a-key-of-20-letters-"
BEARER = {"Authorization": f"Bearer {KEY}"}


def make_client(host: str = "127.0.0.1", key: str | None = None) -> TestClient:
    inside = Starlette(routes=[Route("/{path:path}", lambda _: PlainTextResponse("inside"), methods=["GET", "POST"])])
    return TestClient(KeyMiddleware(inside, Address(host, 8697), key), base_url="http://127.0.0.1:8697")


def test_key_is_required_if_there_is_one() -> None:
    client = make_client(key=KEY)
    assert client.post("/v1/embeddings", headers=BEARER).text == "inside"
    assert client.post("/v1/embeddings", headers={"Authorization": f"bearer  {KEY}"}).text == "inside"
    for headers, message in [
        ({}, "the API key is missing; send the header"),
        ({"Authorization": f"Basic {KEY}"}, "the API key is missing"),
        ({"Authorization": "Bearer "}, "the API key is wrong"),
        ({"Authorization": f"Bearer {KEY}x"}, "the API key is wrong"),
        ({"Authorization": "Bearer é".encode()}, "the API key is wrong"),
    ]:
        answer = client.post("/v1/embeddings", headers=headers)
        error = answer.json()["error"]
        assert (answer.status_code, answer.headers["www-authenticate"], error["code"]) == (
            401,
            "Bearer",
            "invalid_api_key",
        )
        assert error["message"].startswith(message), headers
        assert KEY not in answer.text


def test_health_needs_no_key() -> None:
    assert make_client(key=KEY).get("/health").text == "inside"
    assert make_client(key=KEY).get("/healthy").status_code == 401


def test_without_a_key_any_key_is_accepted() -> None:
    assert make_client().post("/v1/embeddings", headers={"Authorization": "Bearer any"}).text == "inside"
    assert make_client().post("/v1/embeddings").text == "inside"


def test_pages_of_sites_are_refused_on_a_loopback_address() -> None:
    for key in (None, KEY):
        client = make_client(key=key)
        for headers in (
            {"Host": "example.org:8697"},
            {"Host": "127.0.0.1:8698"},
            {"Origin": "https://example.org"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            for path in ("/v1/embeddings", "/health"):
                answer = client.post(path, headers={**BEARER, **headers})
                assert (answer.status_code, answer.json()["error"]["type"]) == (403, "invalid_request_error"), headers
        same = {"Host": "localhost:8697", "Origin": "http://localhost:8697", "Sec-Fetch-Site": "same-origin"}
        assert client.post("/v1/embeddings", headers={**BEARER, **same}).text == "inside"


def test_other_addresses_need_the_key_and_accept_any_host() -> None:
    client = make_client("0.0.0.0", KEY)
    assert client.get("/v1/models", headers={"Host": "vectors.example.org"}).status_code == 401
    assert client.get("/v1/models", headers={**BEARER, "Host": "vectors.example.org"}).text == "inside"


def test_other_addresses_without_a_key_are_refused() -> None:
    for host in ("0.0.0.0", "::", "192.168.1.5", "example.org"):
        with pytest.raises(UsageError, match=f"host {host} gives other machines access"):
            make_client(host)
