"""Files that the button "Save the picture" makes."""

from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Locator, Page

PAPER = (251, 250, 247)
"""The background of the light theme."""
MARGIN, PIXELS = 12, 2
"""Around a picture, in CSS pixels, and how many pixels it has for each of these."""


def saved(page: Page, button: Locator, folder: Path) -> Path:
    """Press a button, and return the file that the browser saves."""
    with page.expect_download() as download:
        button.click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def expect_picture(path: Path, element: Locator | None = None) -> None:
    """Check that a PNG is a drawing on the background of the page, as wide as an element and not higher."""
    picture = Image.open(path)
    pixels = np.asarray(picture.convert("RGB"))
    drawn = (pixels != PAPER).any(axis=2)
    assert not drawn[: MARGIN * PIXELS].any(), path
    assert 0.002 < drawn.mean() < 0.995, path
    assert len(np.unique(pixels[drawn][::7], axis=0)) > 5, path  # lines and letters have smooth edges
    if element:
        box = element.bounding_box()
        assert box is not None
        wide, high = (PIXELS * (np.ceil(size) + 2 * MARGIN) for size in (box["width"], box["height"]))
        assert picture.width == wide
        assert picture.height <= high
