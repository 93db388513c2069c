"""The application: replies, and errors with messages."""

import asyncio
import threading
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from rowspace.errors import UsageError
from rowspace_lab import app
from rowspace_lab.lab import Lab
from rowspace_lab.page import Page, Upload
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import MEDIA_TYPE, decode


def sizes(_: Lab, query: Query) -> dict[str, object]:
    if query.body == b"":
        raise UsageError("the upload is empty")
    return {"body": len(query.body or b""), "k": query.integer("k", 1, low=0, high=9)}


def broken(_: Lab, query: Query) -> dict[str, object]:
    raise ZeroDivisionError("a secret detail")


@pytest.fixture
def client(small_lab: Callable[..., Lab], tmp_path: Path) -> Iterator[TestClient]:
    Path(tmp_path, "static").mkdir()
    Path(tmp_path, "static", "index.html").write_text("<p>the workbench")
    routes = {
        "try/sizes": sizes,
        "try/upload": Upload(sizes, limit=100),
        "try/broken": broken,
        "try/slow": lambda lab, _: lab.table.slow(),
    }
    lab = small_lab(["cat", "<script>"], np.eye(2, dtype=np.float32))
    with TestClient(
        app.make_app(lab, pages=[*app.PAGES, Page("try", routes)], static=tmp_path / "static"),
        raise_server_exceptions=False,
    ) as client:
        client.lab = lab
        yield client


def test_replies_are_encoded(client: TestClient) -> None:
    answer = client.get("/api/words/rows", params={"word": "<script>"})
    assert answer.headers["content-type"] == MEDIA_TYPE
    np.testing.assert_array_equal(decode(answer.content).arrays["rows"], [[0.0, 1.0]])


def test_longest_query_is_accepted(client: TestClient) -> None:
    """A query string of 32 KB."""
    assert client.get(f"/api/try/sizes?unused={'a' * (32_768 - len('unused='))}").status_code == 200


def test_instance_route_is_empty(client: TestClient) -> None:
    answer = client.get("/api/instance")
    assert (answer.status_code, answer.content) == (204, b"")


def test_upload_route_works_with_and_without_a_body(client: TestClient) -> None:
    assert decode(client.post("/api/try/upload?k=3", content=b"a" * 100).content).meta == {"body": 100, "k": 3}
    assert decode(client.get("/api/try/upload").content).meta == {"body": 0, "k": 1}


def test_client_disconnect_during_upload_is_not_an_internal_error(
    client: TestClient, capfd: pytest.CaptureFixture[str]
) -> None:
    came = iter([{"type": "http.request", "body": b"a", "more_body": True}, {"type": "http.disconnect"}])
    sent: list[MutableMapping[str, Any]] = []

    async def receive() -> MutableMapping[str, Any]:
        return next(came)

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/api/try/upload", "query_string": b"", "headers": []}
    asyncio.run(client.app(scope, receive, send))
    assert sent[0]["status"] == 400
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "kind", "message"),
    [
        ("GET", "/api/words/rows?word=cta", b"", 404, "UnknownTokenError", "token 'cta' is not in the vocabulary"),
        ("GET", "/api/try/sizes?k=x", b"", 400, "UsageError", "k must be a whole number from 0 to 9, not 'x'"),
        ("GET", "/api/try/sizes", b"a", 413, "BodyTooLarge", "the body must have at most 0 bytes"),
        ("POST", "/api/try/upload", b"a" * 101, 413, "BodyTooLarge", "the body must have at most 100 bytes"),
        ("POST", "/api/try/sizes", b"", 405, "MethodNotAllowed", "/api/try/sizes accepts GET, HEAD, not POST"),
        ("POST", "/api/try/upload", b"", 400, "UsageError", "the upload is empty"),
        ("GET", "/api/try/none", b"", 404, "NotFound", "there is no page at /api/try/none"),
        ("GET", "/api/", b"", 404, "NotFound", "there is no page at /api/"),
        (
            "GET",
            f"/api/try/sizes?k={'a' * 32_767}",
            b"",
            414,
            "QueryTooLarge",
            "the query string must have at most 32,768 bytes",
        ),
        ("GET", "/api/try/broken", b"", 500, "ServerError", "an internal error"),
    ],
)
def test_errors_have_a_kind_and_a_message(
    client: TestClient, method: str, path: str, body: bytes, status: int, kind: str, message: str
) -> None:
    answer = client.request(method, path, content=body)
    assert (answer.status_code, answer.json()["kind"]) == (status, kind)
    assert answer.json()["error"].startswith(message)
    assert answer.json().keys() == {"kind", "error"}


@pytest.mark.parametrize("path", ["/none", "/static/none.js", "/static/../app.py", "/static/%2e%2e/app.py", "/static"])
def test_unknown_path_gets_a_not_found_page(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert "<p>there is no page at /" in answer.text


def test_path_is_escaped_in_the_not_found_page(client: TestClient) -> None:
    assert "&lt;script&gt;" in client.get("/<script>").text


def test_internal_error_is_reraised_for_the_log(client: TestClient) -> None:
    with pytest.raises(ZeroDivisionError):
        TestClient(client.app).get("/api/try/broken")


def test_slow_page_does_not_block_other_pages(client: TestClient) -> None:
    """There are more slow requests than threads (40), and all are pending when the other page replies."""
    go_on, begun = threading.Event(), threading.Semaphore(0)

    def slow() -> dict[str, object]:
        begun.release()
        go_on.wait()
        return {}

    client.lab.table.slow = slow
    with ThreadPoolExecutor(51) as threads:
        pending = [threads.submit(client.get, "/api/try/slow") for _ in range(50)]
        assert begun.acquire(timeout=60)
        try:
            assert threads.submit(client.get, "/api/words/rows").result(timeout=60).status_code == 200
            assert not any(request.done() for request in pending)
        finally:
            go_on.set()
        assert {request.result().status_code for request in pending} == {200}


def test_unchanged_files_are_not_sent_again(client: TestClient) -> None:
    first = client.get("/static/index.html")
    again = client.get("/static/index.html", headers={"If-None-Match": first.headers["etag"]})
    assert (first.text, again.status_code, again.content) == ("<p>the workbench", 304, b"")
