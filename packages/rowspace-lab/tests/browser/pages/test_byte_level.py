"""Byte-level tokens are shown as text, and found by it."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import pages_with, serving, url_of

import rowspace as rs
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab

pytestmark = pytest.mark.browser
TOKENS = ["king", "Ġking", "Ġqueen", "Ã©", "å°"]
ROWS = np.array([[1.0, 0.0], [0.9, 0.2], [0.5, 0.4], [0.0, 1.0], [0.1, 0.9]], np.float32)


@pytest.fixture(scope="session")
def lab_url() -> Iterator[str]:
    table = rs.Table(TOKENS, ROWS, tokenizer='{"decoder": {"type": "ByteLevel"}}')
    with serving(make_app(Lab(table, "my-table"), pages=pages_with())) as server:
        yield url_of(server)


def test_tokens_are_shown_and_found_as_text(visit: Callable[[str], Page]) -> None:
    page = visit("words?word=Ġking")
    for label in ("Word", "Word on all pages"):
        expect(page.get_by_role("combobox", name=label, exact=True)).to_have_value("␣king")
    for name in ("king", "␣queen", "⟨E5 B0⟩", "é"):
        expect(page.get_by_role("button", name=name, exact=True).first).to_be_visible()
    field = page.get_by_role("combobox", name="Word", exact=True)
    field.fill(" q")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_text(["␣queen"])
    field.press("Enter")
    expect(field).to_have_value("␣queen")
    assert "word=%C4%A0queen" in page.url
