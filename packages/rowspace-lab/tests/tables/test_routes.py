"""The routes of tables, and every page's routes on each table."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
from starlette.testclient import TestClient

import rowspace as rs
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.server.reply import decode
from rowspace_lab.tables.small_world import small_world_sentences


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(Lab(rs.Table(["a", "b"], np.eye(2, dtype=np.float32)), "my-table"))) as client:
        yield client


class Decoded(NamedTuple):
    """The fields of a reply, whose types the test knows."""

    meta: dict[str, Any]
    arrays: dict[str, Any]


def reply_of(answer: Any) -> Decoded:
    assert answer.status_code == 200, answer.text
    reply = decode(answer.content)
    return Decoded(dict(reply.meta), reply.arrays)


def test_list_describes_each_table(client: TestClient) -> None:
    entries = reply_of(client.get("/api/tables")).meta["tables"]
    assert [(entry["id"], entry["group"], entry["editable"]) for entry in entries] == [
        ("opened", "opened", False),
        ("six-words", "example", True),
        ("four-words", "example", True),
        ("five-items", "example", True),
        ("two-arrows", "example", True),
        ("small-world", "own", True),
        ("small-shop", "example", False),
        ("small-graph", "example", False),
        ("english-words", "example", False),
        ("everyday-words", "example", False),
        ("python-words", "example", False),
        ("python-imports", "example", False),
    ]
    assert all(entry["sentence"].endswith(".") for entry in entries)


def test_page_shows_the_table_of_the_request(client: TestClient) -> None:
    rows = reply_of(client.get("/api/words/rows", params={"table": "six-words", "word": "cat"})).arrays["rows"]
    np.testing.assert_array_equal(rows, [[0.72, -0.41, 0.15]])
    np.testing.assert_array_equal(reply_of(client.get("/api/words/rows?word=b")).arrays["rows"], [[0, 1]])
    opened = reply_of(client.get("/api/words/rows?table=opened&word=b"))
    np.testing.assert_array_equal(opened.arrays["rows"], [[0, 1]])


@pytest.mark.parametrize("path", ["/api/words/rows", "/api/tables/text"])
def test_unknown_table_is_refused_with_the_list(client: TestClient, path: str) -> None:
    answer = client.get(path, params={"table": "/etc/passwd"})
    assert answer.status_code == 400
    assert answer.json()["kind"] == "UnknownTableError"
    assert "six-words" in answer.json()["error"]


def test_job_uses_the_table_of_the_request(client: TestClient) -> None:
    order = {"kind": "tsne", "perplexity": 2}
    numbers = [
        reply_of(client.post(f"/api/jobs?table={id}", json=order)).meta["job"]
        for id in ("six-words", "five-items", "six-words")
    ]
    assert numbers[0] == numbers[2] != numbers[1]
    refused = client.post("/api/jobs?table=none", json=order)
    assert refused.json()["kind"] == "UnknownTableError"
    for number in set(numbers):
        client.delete(f"/api/jobs/{number}")


def test_typed_table_is_shown_by_its_id(client: TestClient) -> None:
    text = "cat 1 2\ndog 3 4"
    made = reply_of(client.post("/api/tables/typed", content=text)).meta
    assert (made["words"], made["dim"]) == (2, 2)
    rows = reply_of(client.get("/api/words/rows", params={"table": made["id"], "word": "dog"}))
    np.testing.assert_array_equal(rows.arrays["rows"], [[3, 4]])
    kept = reply_of(client.get("/api/tables/text", params={"table": made["id"]})).meta
    assert (kept["kind"], kept["text"], kept["dim"]) == ("typed", text, None)


def test_learned_table_follows_its_text(client: TestClient) -> None:
    text = reply_of(client.get("/api/tables/text?table=small-world")).meta
    assert (text["kind"], text["dim"], text["dims"]) == ("world", 16, [8, 16, 32])
    assert text["text"].split("\n") == small_world_sentences()
    changed = text["text"] + "\nthe wolf can run in the garden"
    made = reply_of(client.post("/api/tables/world?dim=8", content=changed)).meta
    expected = rs.fit(iter(changed.split("\n")), dim=8, epochs=100, window=4, sample=0, min_count=1, workers=1)
    sent = reply_of(client.get("/api/words/rows", params={"table": made["id"], "word": "wolf"})).arrays["rows"]
    np.testing.assert_array_equal(sent, expected[["wolf"]])
    assert reply_of(client.get("/api/tables/text", params={"table": made["id"]})).meta["text"] == changed


def test_opened_table_has_no_text(client: TestClient) -> None:
    assert reply_of(client.get("/api/tables/text")).meta["kind"] is None


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("typed", b"cat 1\ndog", "line 2: 'dog' needs 1 to 64 numbers, not 0"),
        ("typed", b"\xff", "the text is not valid UTF-8; send it as UTF-8"),
        ("world", b"", "the text must have 1 to 2,000 sentences, one per line, not 0"),
        ("world", b"cat", "the text has only one distinct token, 'cat', "),
        ("world?dim=9", b"a b", "dim must be one of 8, 16, 32, not '9'"),
        ("typed", b"a" * 131_073, "the body must have at most 131,072 bytes"),
    ],
)
def test_wrong_text_is_refused_with_a_message(client: TestClient, path: str, content: bytes, message: str) -> None:
    answer = client.post(f"/api/tables/{path}", content=content)
    assert 400 <= answer.status_code < 500
    assert answer.json()["error"].startswith(message)
