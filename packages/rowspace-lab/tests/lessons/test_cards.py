"""The sheet of cards: every card of the lessons, and the summary tables."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
from starlette.testclient import TestClient

from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.lesson import lessons
from rowspace_lab.lessons.source import plain_text, read_document
from rowspace_lab.server.reply import decode


def test_sheet_has_the_card_of_every_lesson(small_lab: Callable[..., Lab]) -> None:
    with TestClient(make_app(small_lab(["a", "b"], np.eye(2, dtype=np.float32)))) as client:
        sheet: Any = decode(client.get("/api/lessons/cards").content).meta
    with_card = [each.number for each in lessons() if each.document.of("card")]
    assert [card["number"] for card in sheet["cards"]] == with_card
    assert all(len(card["html"]) == 4 for card in sheet["cards"])
    assert re.findall("<h2>(.*?)</h2>", sheet["tables"]) == ["Which measure", "The parts of the input"]
    rows = re.findall(r"<tr>\n<td>(.*?)</td>", sheet["tables"])
    assert rows[:3] == ["dot product", "cosine", "distance"]
    assert rows[3:] == ["token", "position", "segment", "patch", "class row", "scale", "tie"]


def test_summary_tables_have_no_typed_numbers() -> None:
    text = " ".join(plain_text(part) for block in read_document("cards.md").blocks for part in block.parts)
    assert not re.search(r"\d", text)
