"""Each control beside a figure changes what the page shows: the figure, its numbers or its code.

The Arena is left out, whose controls set up the next run, and so is Search before there is a question.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, TimeoutError
from tests.browser.conftest import pages_with, serving, url_of

from rowspace import Table
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.pages import PAGES
from rowspace_lab.pages.search import SearchSource

pytestmark = [pytest.mark.browser, pytest.mark.long]

VIEWS = [
    "compare?table=english-words&other=everyday-words",
    "cost?figure=tables",
    "cost?figure=widths",
    "input?view=scale",
    "input?view=initial",
    "order?view=scores",
    "order?view=sinusoid",
    "order?view=length",
    "order?view=ranking",
    "search?text=tulips",
    "search?table=english-words&over=notes",
    "search?table=english-words&over=questions",
    "search?table=english-words&over=pair",
]
SHOWN = """() => [
  ...[...document.querySelectorAll("section[aria-label=Figure], section[aria-label='The numbers'], " +
    "section[aria-label='The code']")].map((each) => each.innerHTML),
  ...[...document.querySelectorAll("section[aria-label=Figure] canvas")].map((each) => each.toDataURL()),
].join("\\n")"""
AT_REST = f"""async () => {{
  const shown = {SHOWN};
  for (let before = null, now = shown(); ; before = now, now = shown()) {{
    if (now === before && document.querySelector("section[aria-label=Figure][aria-busy=false]")) return now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }}
}}"""


@pytest.fixture(scope="module")
def lab_url(learned: tuple[Table, str], searched_folder: Path) -> Iterator[str]:
    """The URL of a server for these tests: they compute maps and start runs, which others expect to begin."""
    with serving(make_app(Lab(*learned), pages=pages_with(), search=SearchSource(searched_folder))) as server:
        yield url_of(server)


def controls_of(page: Page) -> Locator:
    """The switches, lists, sliders and check boxes beside the figure, with those that are folded."""
    region = page.get_by_role("region", name="Controls")
    for folded in region.locator("details:not([open]) > summary").all():
        folded.click()
    kinds = "fieldset:has(input[type=radio]), select, input[type=range], input[type=checkbox]"
    return region.locator(f":is({kinds}):visible:not(:disabled)")


def change(control: Locator) -> str:
    """Choose another value, and return the name of the control, or nothing if there is no other value."""
    kind = control.evaluate("each => each.type ?? each.localName")
    name: str = control.evaluate(
        "each => each.querySelector('legend')?.innerText ?? each.ariaLabel ?? each.labels[0]?.innerText"
    )
    if kind == "range":
        at_end = control.evaluate("each => each.value === each.max")
        control.press("ArrowLeft" if at_end else "ArrowRight")
        return name if control.evaluate("each => each.min !== each.max") else ""
    if kind == "checkbox":
        control.click()
        return name
    if kind == "fieldset":
        other = control.locator("input[type=radio]:not(:checked):enabled")
        if other.count():
            other.first.click(force=True)
            return name
        return ""
    values = control.evaluate(
        "each => [...each.options].filter((it) => !it.disabled && !it.selected).map((it) => it.value)"
    )
    if values:
        control.select_option(values[0])
        return name
    return ""


def changes(page: Page, before: str) -> bool:
    """Whether the page shows something else within a minute."""
    try:
        page.wait_for_function(f"(before) => ({SHOWN})() !== before", arg=before, timeout=60_000)
    except TimeoutError:
        return False
    return True


@pytest.mark.parametrize("address", [*(page.name for page in PAGES if page.name not in ("arena", "search")), *VIEWS])
def test_each_control_changes_what_is_shown(visit: Callable[[str], Page], address: str) -> None:
    page = visit(address)
    page.evaluate(AT_REST)
    without_effect = []
    for number in range(controls_of(page).count()):
        page = visit(address)
        control = controls_of(page).nth(number)
        before = page.evaluate(AT_REST)
        name = change(control)
        if name and not changes(page, before):
            without_effect.append(name)
    assert without_effect == []
