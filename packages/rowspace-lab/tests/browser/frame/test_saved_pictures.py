"""Pictures and films of figures: SVG, GIF, the dark theme, and the list of what can be saved on a phone."""

import base64
import io
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image, ImageSequence
from playwright.sync_api import Page, expect
from tests.browser.saved import PAPER, expect_picture, saved
from tests.browser.whole_page import expect_accessible, expect_fits_phone

pytestmark = pytest.mark.browser
Visit = Callable[[str], Page]
SVG, LINK = "{http://www.w3.org/2000/svg}", "href"


@pytest.fixture
def opened(page: Page, visit: Visit) -> Visit:
    """`opened("words")`: open a page, at rest, and the list of what can be saved."""

    def open_list(address: str) -> Page:
        page.emulate_media(reduced_motion="reduce")
        visit(address).wait_for_load_state("networkidle")
        page.get_by_text("Save the picture").click()
        return page

    return open_list


@pytest.mark.long
def test_svg_has_the_words_and_drawings_of_the_figure_and_needs_no_other_file(opened: Visit, tmp_path: Path) -> None:
    page = opened("words?table=small-world&word=king&map=pca")
    page.emulate_media(color_scheme="dark")
    path = saved(page, page.get_by_role("button", name="SVG of the whole figure"), tmp_path)
    assert path.name == "rowspace-words-small-world-whole-figure.svg"
    drawing = ElementTree.parse(path).getroot()
    paper = drawing.find(f"{SVG}rect")
    assert paper is not None
    assert paper.get("fill") == "#161513"
    written = {text.text for text in drawing.iter(f"{SVG}text")}
    assert {"king", "queen"} <= written
    assert not {"Lasso", "Show all", "Turn the table", "Save the picture", "PNG"} & written
    style = drawing.findtext(f"{SVG}style") or ""
    assert style.count("url(") == style.count('url("data:') == style.count("@font-face") > 1
    links = [value for each in drawing.iter() for name, value in each.items() if name.endswith(LINK)]
    assert len(links) > 2  # the points of the map, their labels, and the bars of rows
    assert all(link.startswith("data:image/png") for link in links)
    with page.context.new_page() as alone:
        requests: list[str] = []
        alone.on("request", lambda request: requests.append(request.url.partition(":")[0]))
        alone.goto(path.as_uri())
        assert set(requests) <= {"file", "data"}
        width = alone.evaluate("document.documentElement.getBoundingClientRect().width")
        assert width == float(drawing.get("width", "0"))


def test_pictures_of_an_ordinary_screen_are_as_sharp_as_those_of_a_dense_one(opened: Visit, tmp_path: Path) -> None:
    page = opened("positions")
    canvas = page.get_by_role("region", name="Figure").locator("canvas").first
    wide = canvas.evaluate("(canvas) => canvas.width")
    path = saved(page, page.get_by_role("button", name="SVG of Sinusoid, interleaved"), tmp_path)
    image = ElementTree.parse(path).getroot().find(f"{SVG}image")
    assert image is not None
    content = base64.b64decode(str(image.get(LINK)).partition(",")[2])
    assert Image.open(io.BytesIO(content)).width == 2 * wide
    assert canvas.evaluate("(canvas) => canvas.width") == wide


FILMS = {"start": 76, "words?table=english-words": 40, "training": 50}
"""Pages with a film, and the number of its frames, or the least one."""
FILES = {
    "start": "start-stdlib-table",
    "words?table=english-words": "words-english-words",
    "training": "training-stdlib-table",
}
"""How the names of their files begin: with the page and the table."""


@pytest.mark.long
@pytest.mark.parametrize("address", FILMS)
def test_film_is_saved_with_all_frames_and_ends_at_what_the_page_shows(
    opened: Visit, tmp_path: Path, address: str
) -> None:
    page = opened(address)
    button = page.get_by_role("button", name="GIF of")
    expect(button).to_be_visible()
    path = saved(page, button, tmp_path)
    assert path.name.startswith(f"rowspace-{FILES[address]}-")
    expect(page.get_by_text(f"Saved {path.name}")).to_be_visible()
    expect(button).to_be_focused()
    with Image.open(path) as film:
        shown = [(np.asarray(frame.convert("RGB")), frame.info["duration"]) for frame in ImageSequence.Iterator(film)]
    frames, durations = zip(*shown, strict=True)
    assert len(frames) >= FILMS[address]
    assert durations[-1] == 2000
    assert set(durations[1:-1]) in ({80}, {100})
    assert sum((one != other).any() for one, other in pairwise(frames)) > 0.8 * len(frames)
    assert tuple(frames[-1][0, 0]) == PAPER
    assert tuple(frames[-1][30, 30]) == (PAPER if address == "start" else (255, 255, 255))  # the color of a map
    assert path.stat().st_size < 4e6


@pytest.mark.long
def test_list_follows_the_figure_and_a_part_is_named_after_its_caption(opened: Visit, tmp_path: Path) -> None:
    page = opened("words?table=small-world&map=pca")
    part = page.get_by_role("button", name="PNG of Count by rank")
    expect(page.get_by_role("button", name="PNG of")).to_have_count(2)  # all of it, and the map
    page.get_by_role("tab", name="Counts").click()
    path = saved(page, part, tmp_path)
    assert path.name == "rowspace-words-small-world-count-by-rank.png"
    expect_picture(path)


@pytest.mark.long
def test_list_fits_a_phone_and_covers_no_picture(opened: Visit) -> None:
    page = opened("positions")
    expect_fits_phone(page)
    buttons = page.get_by_role("button", name="PNG of")
    lowest = max(
        box["y"] + box["height"]
        for drawing in page.get_by_role("region", name="Figure").locator("canvas, svg").all()
        if (box := drawing.bounding_box())
    )
    for target in [page.get_by_text("Save the picture"), *buttons.all()]:
        box = target.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 24
        assert box["y"] >= lowest
    expect_accessible(page)
