"""Gestures on the map that scroll the page or move the map."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect
from tests.browser.at_rest import box_at_rest

pytestmark = pytest.mark.browser


@pytest.fixture
def phone(browser: Browser, lab_url: str) -> Iterator[Page]:
    """The Words page on a phone, with its map centered on the screen."""
    with browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True) as context:
        page = context.new_page()
        page.goto(f"{lab_url}/words")
        show(page)
        yield page


@pytest.fixture
def desk(visit: Callable[[str], Page]) -> Page:
    """The Words page with a mouse, with its map centered on the screen."""
    page = visit("words")
    page.set_viewport_size({"width": 1280, "height": 600})
    show(page)
    return page


def the_map(page: Page) -> Locator:
    return page.get_by_role("application", name="PCA")


def show(page: Page) -> None:
    """Scroll to the map once it is shown."""
    expect(the_map(page)).to_be_visible()
    the_map(page).evaluate("map => map.scrollIntoView({ block: 'center' })")


def middle(page: Page) -> tuple[float, float]:
    box = box_at_rest(the_map(page))
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def touch(session: CDPSession, kind: str, *fingers: tuple[float, float]) -> None:
    points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(fingers)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_one_finger_scrolls_the_page(phone: Page) -> None:
    (x, y), session = middle(phone), phone.context.new_cdp_session(phone)
    scrolled = phone.evaluate("scrollY")
    touch(session, "touchStart", (x, y))
    for step in range(1, 9):
        touch(session, "touchMove", (x, y - 20 * step))
    touch(session, "touchEnd")
    phone.wait_for_function("before => scrollY > before + 60", arg=scrolled)
    expect(phone.get_by_text("Use two fingers to move the map")).to_be_visible()
    assert "viewport=" not in phone.url


@pytest.mark.long
def test_two_fingers_move_the_map_but_not_the_page(phone: Page) -> None:
    (x, y), session = middle(phone), phone.context.new_cdp_session(phone)
    scrolled = phone.evaluate("scrollY")
    touch(session, "touchStart", (x - 20, y), (x + 20, y))
    for step in range(1, 9):
        touch(session, "touchMove", (x - 20 - 8 * step, y - 6 * step), (x + 20 + 8 * step, y - 6 * step))
    touch(session, "touchEnd")
    phone.wait_for_url(re.compile("viewport="))
    assert phone.evaluate("scrollY") == scrolled
    assert phone.evaluate("visualViewport.scale") == 1


def test_tap_picks_a_word(phone: Page) -> None:
    the_map(phone).focus()
    for _ in range(4):
        phone.keyboard.press("-")
    phone.touchscreen.tap(*middle(phone))
    phone.wait_for_url(re.compile("word="))


def test_chosen_word_has_a_sheet_that_can_be_closed(phone: Page) -> None:
    phone.goto(phone.url + "?word=sin")
    sheet = phone.get_by_role("complementary", name="The chosen word")
    expect(sheet.get_by_text("sin", exact=True)).to_be_visible()
    box = sheet.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] == pytest.approx(844, abs=1)
    near = sheet.get_by_role("list", name="Words near sin").get_by_role("button").first
    name = near.inner_text()
    near.click()
    phone.wait_for_url(re.compile(f"word={name}"))
    expect(sheet.get_by_role("list", name=f"Words near {name}")).to_be_visible()
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)


def test_wheel_scrolls_the_page_unless_the_map_has_the_focus(desk: Page) -> None:
    desk.mouse.move(*middle(desk))
    scrolled = desk.evaluate("scrollY")
    desk.mouse.wheel(0, 40)
    desk.wait_for_function("before => scrollY > before", arg=scrolled)
    expect(desk.get_by_text("scroll, or click the map first, to zoom")).to_be_visible()
    assert "viewport=" not in desk.url
    the_map(desk).focus()
    scrolled = desk.evaluate("scrollY")
    desk.mouse.wheel(0, -40)
    desk.wait_for_url(re.compile("viewport="))
    assert desk.evaluate("scrollY") == scrolled


def test_ctrl_wheel_zooms_and_escape_releases_the_wheel(desk: Page) -> None:
    desk.mouse.move(*middle(desk))
    desk.keyboard.down("Control")
    desk.mouse.wheel(0, -40)
    desk.keyboard.up("Control")
    desk.wait_for_url(re.compile("viewport="))
    the_map(desk).focus()
    desk.keyboard.press("Escape")
    scrolled = desk.evaluate("scrollY")
    desk.mouse.wheel(0, 40)
    desk.wait_for_function("before => scrollY > before", arg=scrolled)


@pytest.mark.long
def test_zoom_buttons_are_disabled_at_the_limits(desk: Page) -> None:
    for name in ("Zoom in", "Zoom out"):
        button = desk.get_by_role("button", name=name, exact=True)
        the_map(desk).focus()
        for _ in range(30):
            desk.keyboard.press({"Zoom in": "+", "Zoom out": "-"}[name])
        expect(button).to_be_disabled()
    desk.get_by_role("button", name="Show all").click()
    expect(desk.get_by_role("button", name="Zoom out", exact=True)).to_be_enabled()


@pytest.mark.long
def test_a_notch_of_the_wheel_with_ctrl_zooms_gently(desk: Page) -> None:
    the_map(desk).focus()
    desk.keyboard.press("+")
    desk.wait_for_url(re.compile("viewport="))
    before = scale_of(desk.url)
    desk.mouse.move(*middle(desk))
    desk.keyboard.down("Control")
    desk.mouse.wheel(0, -100)
    desk.keyboard.up("Control")
    desk.wait_for_url(lambda url: scale_of(url) > before)
    assert scale_of(desk.url) / before == pytest.approx(1.284, rel=0.01)  # e^0.25


@pytest.mark.long
def test_map_without_points_in_view_leads_back_to_all(desk: Page) -> None:
    the_map(desk).focus()
    for key in ("+",) * 24 + ("ArrowLeft",) * 6:
        desk.keyboard.press(key)
    desk.get_by_role("button", name="Back to all points").click()
    expect(desk.get_by_text("No points here.")).to_have_count(0)
    desk.wait_for_url(re.compile(r"/words$"))


@pytest.mark.long
def test_map_moves_to_a_word_that_is_chosen_elsewhere_but_not_to_one_that_is_clicked_on_it(desk: Page) -> None:
    desk.get_by_role("list", name=re.compile("^Nearest neighbors of ")).get_by_role("button").first.click()
    desk.wait_for_url(re.compile("word=.*&viewport="))
    desk.go_back()
    desk.wait_for_url(re.compile(r"/words$"))
    the_map(desk).focus()
    before = 0.0
    for _ in range(2):  # the URL follows after a moment
        desk.keyboard.press("-")
        desk.wait_for_url(lambda url, shown=before: scale_of(url) not in (0, shown))
        before = scale_of(desk.url)
    desk.keyboard.press("Enter")
    desk.wait_for_url(re.compile("word="))
    expect(desk.get_by_role("region", name="Figure")).to_have_attribute("aria-busy", "false")
    assert scale_of(desk.url) == before


def scale_of(url: str) -> float:
    """The scale of the map in a URL; 0 if it shows all points."""
    found = re.search(r"viewport=[^&]*%2C([0-9.e+-]+)", url)
    return float(found[1]) if found else 0.0
