"""What is shown of byte-level tokens comes with replies, and may stand for them in requests."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

import rowspace as rs
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab

TOKENS = ["king", "Ġking", "Ġqueen", "å°"]
ROWS = np.array([[1.0, 0.0], [0.9, 0.2], [0.5, 0.4], [0.0, 1.0]], np.float32)
BYTE_LEVEL = '{"decoder": {"type": "ByteLevel"}}'


def header(table: rs.Table, path: str, **parameters: object) -> Mapping[str, Any]:
    """The header of a reply about the table."""
    with TestClient(make_app(Lab(table, "my-table"), static=Path("nowhere"))) as client:
        body = client.get(f"/api/{path}", params=parameters).content
    (length,) = struct.unpack_from("<I", body)
    return json.loads(body[4 : 4 + length])


def test_reply_has_tokens_and_what_is_shown_of_them() -> None:
    reply = header(rs.Table(TOKENS, ROWS, tokenizer=BYTE_LEVEL), "words/neighbors", word="king")
    assert reply["meta"]["tokens"] == ["Ġking", "Ġqueen", "å°"]
    assert reply["shown"] == {"Ġking": "␣king", "Ġqueen": "␣queen", "å°": "⟨E5 B0⟩"}


def test_table_of_words_has_nothing_else_to_show() -> None:
    assert "shown" not in header(rs.Table(TOKENS, ROWS), "words/neighbors", word="king")


@pytest.mark.parametrize(
    ("text", "token"), [("king", "king"), (" king", "Ġking"), ("␣king", "Ġking"), ("⟨E5 B0⟩", "å°")]
)
def test_request_may_have_the_text_of_a_token(text: str, token: str) -> None:
    assert header(rs.Table(TOKENS, ROWS, tokenizer=BYTE_LEVEL), "words/rows", word=text)["meta"]["words"] == [token]


@pytest.mark.parametrize(
    ("part", "found"),
    [(" k", ["Ġking"]), ("␣K", ["Ġking"]), ("e5", ["å°"]), ("Ġ", []), ("king", ["king", "Ġking"])],
)
def test_parts_are_searched_in_the_text(part: str, found: list[str]) -> None:
    reply = header(rs.Table(TOKENS, ROWS, tokenizer=BYTE_LEVEL), "words/search", part=part)
    assert reply["meta"]["tokens"] == found


def test_groups_and_pairs_are_written_and_read_as_text() -> None:
    table = rs.Table(TOKENS, ROWS, tokenizer=BYTE_LEVEL)
    chosen = header(table, "words/chosen-map", groups="␣king ␣queen king")
    assert (chosen["meta"]["words"], chosen["meta"]["missing"]) == (["Ġking", "Ġqueen", "king"], [])
    pairs = header(table, "analogies/relations", pairs="␣king ␣queen, king ⟨E5_B0⟩")
    assert pairs["meta"]["pairs"] == [["Ġking", "Ġqueen"]]
    offered = header(table, "analogies/relations")["meta"]["offered"]
    assert any("␣" in each["pairs"] for each in offered)
    assert not any("Ġ" in each["pairs"] for each in offered)
