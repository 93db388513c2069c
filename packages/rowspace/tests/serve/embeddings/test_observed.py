"""What is counted and logged of requests, and the OpenAPI document."""

import re

import pytest
from starlette.testclient import TestClient

import rowspace as rs
from rowspace.encode import Encoder
from rowspace.serve.access import Address
from rowspace.serve.embeddings import KeyMiddleware, Numbers, Observed, make_app

URL, KEY = "http://127.0.0.1:8697", "a-key-of-20-letters-"
WITH_KEY = {"Authorization": f"Bearer {KEY}"}


@pytest.fixture
def lines() -> list[str]:
    return []


@pytest.fixture
def client(words_table: rs.Table, lines: list[str]) -> TestClient:
    numbers = Numbers()
    app = KeyMiddleware(make_app(Encoder(words_table), model="words", numbers=numbers), Address("127.0.0.1", 8697), KEY)
    return TestClient(Observed(app, numbers, lines.append), base_url=URL, raise_server_exceptions=False)


def test_requests_are_counted_and_logged_without_keys_and_texts(client: TestClient, lines: list[str]) -> None:
    body = {"model": "words", "input": ["word3 word4 unknown", "word5"]}
    assert client.post("/v1/embeddings", json=body, headers=WITH_KEY).status_code == 200
    assert client.post("/v1/embeddings", json=body).status_code == 401
    assert client.get("/secret%0A%1B[2J", headers=WITH_KEY).status_code == 404
    assert client.get("/metrics").status_code == 401
    shown = client.get("/metrics", headers=WITH_KEY)
    assert shown.headers["content-type"].startswith("text/plain; version=0.0.4")
    for line in (
        'rowspace_requests_total{path="/v1/embeddings",status="200"} 1',
        'rowspace_requests_total{path="/v1/embeddings",status="401"} 1',
        'rowspace_requests_total{path="other",status="404"} 1',
        'rowspace_request_seconds_bucket{le="+Inf"} 4',
        "rowspace_request_seconds_count 4",
        "rowspace_texts_total 2",
        "rowspace_tokens_total 4",
        "rowspace_unknown_tokens_total 1",
    ):
        assert line in shown.text.splitlines()
    bounds = [int(number) for number in re.findall(r"seconds_bucket.* (\d+)", shown.text)]
    assert bounds == sorted(bounds)
    assert len(lines) == 5
    assert re.fullmatch(r"20\S+ testclient POST /v1/embeddings 200 [\d.]+ ms", lines[0])
    assert all(line.isprintable() for line in lines)
    assert not any(KEY in line or "word3" in line for line in lines)


def test_the_document_names_each_path_and_the_fields(client: TestClient, words_table: rs.Table) -> None:
    document = client.get("/openapi.json", headers=WITH_KEY).json()
    for path, methods in document["paths"].items():
        for method in methods:
            status = client.request(method, path.format(name="words"), headers=WITH_KEY).status_code
            assert status == (400 if method == "post" else 200), path
    fields = document["paths"]["/v1/embeddings"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert fields["properties"]["dimensions"]["maximum"] == words_table.dim
