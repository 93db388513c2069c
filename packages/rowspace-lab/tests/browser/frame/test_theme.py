"""Canvases and other tabs follow the light or dark theme."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser


def brightness(drawing: Locator) -> float:
    """The median brightness of a drawing, 0 to 255."""
    picture = Image.open(io.BytesIO(drawing.screenshot())).convert("L")
    return float(np.median(np.asarray(picture)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("address", "name"),
    [
        pytest.param("positions", "Learned, untrained", marks=pytest.mark.long),
        ("cost?figure=matrix", "Rows"),
        ("words", "PCA"),
    ],
)
def test_canvases_follow_the_dark_theme(visit: Callable[[str], Page], address: str, name: str) -> None:
    page = visit(address)
    drawing = page.get_by_role("application", name=name).first
    drawing.scroll_into_view_if_needed()
    light = brightness(drawing)
    page.get_by_role("button", name="Dark").click()
    expect(page.get_by_role("button", name="Light", exact=True)).to_be_visible()
    assert light > 150
    assert brightness(drawing) < 90


def test_theme_is_synchronized_between_tabs(visit: Callable[[str], Page], lab_url: str) -> None:
    page = visit("head")
    other = page.context.new_page()
    other.goto(f"{lab_url}/words")
    page.get_by_role("button", name="Dark").click()
    expect(other.get_by_role("button", name="Light", exact=True)).to_be_visible()
    expect(other.locator("html")).to_have_css("color-scheme", "dark")
