"""List the requests that the replies of an exported site answer, in packages/rowspace-lab/src/rowspace_lab/export.

    python scripts/make_export_requests.py              write requests.txt, in about half an hour
    python scripts/make_export_requests.py words cost   only look at these pages, and add what they request

A browser opens each page, each step of each lesson and each figure of the documentation, and sets each control of pages
and lessons to each of its values, one after the other; of a long slider, it sets some. What the site computes itself,
and what needs the server, is left out.
"""

import re
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import uvicorn
from playwright.sync_api import Page, Request, TimeoutError as SlowError, sync_playwright

from rowspace_lab.app import make_app
from rowspace_lab.export.recording import DRAWS
from rowspace_lab.export.requests import TABLES, Asked, is_recorded, listed_requests, write_requests
from rowspace_lab.lab import OPENED
from rowspace_lab.lessons.lesson import LESSONS, NUMBERS, lesson
from rowspace_lab.lessons.panels import PAGES as WHY, read_why
from rowspace_lab.lessons.routes import answer
from rowspace_lab.pages import PAGES
from rowspace_lab.server.query import Query
from rowspace_lab.tables.tables import Tables, first_lab

FIRST_VIEW_ONLY = {"training", "arena", "search", "claims"}
"""Pages that mostly show what a job computes, or whose replies take long."""
STARTS = ("the dog chased the cat", "the king loved his queen", "rain fell on the river")
"""The sentences that the start page offers as buttons."""
MOST_STEPS = 21
"""The number of positions of a slider, from which on only some are set."""
PLACE = re.compile(r"In the workbench: `/([^`]*)`")
"""An address in a page of the documentation."""
QUIET = 0.15  # seconds without a request, after which a page rests
CONTROLS = """() => {
  const name = (each) => {
    const label = each.closest("fieldset")?.querySelector("legend") ?? each.closest("label") ?? each;
    const text = label.textContent.trim().slice(0, 60);
    return `${each.tagName} ${each.type ?? ""} ${text} ${each.getAttribute("role") ?? ""}`;
  };
  const left = "nav, dialog, .save, section[aria-label='The code'], .question";
  const found = [];
  for (const each of document.querySelectorAll("main :is(input, select, [role=tab])")) {
    if (each.closest(left) || each.disabled) continue;
    const place = found.length;
    each.dataset.walked = place;
    if (each.type === "radio") found.push([place, `${name(each)} ${each.value}`, "check", []]);
    else if (each.type === "checkbox") found.push([place, name(each), "toggle", []]);
    else if (each.role === "tab") found.push([place, `tab ${each.textContent.trim()}`, "press", []]);
    else if (each.tagName === "SELECT")
      found.push([place, name(each), "select", [...each.options].map((option) => option.value)]);
    else if (each.type === "range") {
      const [low, high, step] = [Number(each.min), Number(each.max), Number(each.step) || (each.max - each.min) / 40];
      found.push([place, name(each), "slide", [low, high, step]]);
    }
  }
  return found;
}"""
SET = """([place, value]) => {
  const each = document.querySelector(`[data-walked="${place}"]`);
  if (!each || (value !== null && each.type === "text")) return;  // it is another one now
  if (value === null) return each.click();
  each.value = value;
  each.dispatchEvent(new Event("input", { bubbles: true }));
  each.dispatchEvent(new Event("change", { bubbles: true }));
}"""


Way = tuple[str, tuple[tuple[int, Any], ...]]
"""An address, and the controls that are then set, each with its value."""


class Browser:
    """A page of the workbench, and the requests that it has sent."""

    def __init__(self, page: Page, url: str) -> None:
        self.page, self.url = page, url
        self.asked: set[Asked] = set()
        self._waiting = 0
        self._last = time.monotonic()
        page.on("request", self._sent)
        page.on("requestfinished", self._ended)
        page.on("requestfailed", self._ended)

    def _sent(self, request: Request) -> None:
        url = urlsplit(request.url)
        if not url.path.startswith("/api/") or url.path.startswith("/api/jobs"):
            return
        self._waiting, self._last = self._waiting + 1, time.monotonic()
        pairs = parse_qsl(url.query, keep_blank_values=True)
        self.asked.add(Asked.of(url.path.removeprefix("/api/"), pairs))

    def _ended(self, request: Request) -> None:
        url = urlsplit(request.url)
        if url.path.startswith("/api/") and not url.path.startswith("/api/jobs"):
            self._waiting, self._last = self._waiting - 1, time.monotonic()

    def rest(self) -> None:
        """Wait until no request is open and none was sent for a while."""
        end = time.monotonic() + 90
        while time.monotonic() < end and (self._waiting > 0 or time.monotonic() - self._last < QUIET):
            self.page.wait_for_timeout(40)

    def open(self, address: str, *, again: bool = False) -> None:
        """Show an address; `again` shows it without loading the workbench."""
        if again:
            self.page.evaluate(
                "url => { history.pushState(null, '', url); dispatchEvent(new PopStateEvent('popstate')); }",
                f"/{address}",
            )
        else:
            self.page.goto(f"{self.url}/{address}")
        self._last = time.monotonic()
        self.page.wait_for_timeout(200)
        self.rest()
        self.page.evaluate("document.querySelectorAll('main details').forEach((each) => (each.open = true))")
        self.page.wait_for_timeout(60)
        self.rest()

    def walk(self, address: str, depth: int) -> None:
        """Open a page, and set each of its controls to each value; then the controls that this has brought up."""
        self.open(address)
        if depth:
            self._walk((address, ()), set(), depth)

    def _walk(self, way: Way, known: set[str], depth: int) -> None:
        controls = self.page.evaluate(CONTROLS)
        names = {name for _, name, _, _ in controls}
        for place, name, kind, values in controls:
            if name in known:
                continue
            for value in positions(kind, values):
                self.page.evaluate(SET, [place, value])
                self.page.wait_for_timeout(30)
                self.rest()
                if depth > 1 and kind != "slide":
                    self._walk((way[0], (*way[1], (place, value))), known | names, depth - 1)
                if kind != "slide":
                    self._back(way)
            if kind == "slide":
                self._back(way)

    def _back(self, way: Way) -> None:
        """Show the state again that is reached by this way."""
        address, steps = way
        self.open(address, again=True)
        for step in steps:
            self.page.evaluate(CONTROLS)
            self.page.evaluate(SET, list(step))
            self.page.wait_for_timeout(60)
            self.rest()
        self.page.evaluate(CONTROLS)

    def read(self, number: int) -> None:
        """Go through a lesson: answer each question several times, and move the figure with each step."""
        self.open(f"lessons/{number}")
        for _ in range(1 + len(lesson(number).document.of("figure"))):
            for _ in range(DRAWS):
                for title in ("Show the answer", "Ask again with other numbers"):
                    for button in self.page.locator("section.step:visible").get_by_role("button", name=title).all():
                        with suppress(SlowError):
                            button.click(timeout=3000)
                        self.page.wait_for_timeout(60)
                        self.rest()
            following = self.page.get_by_role("navigation", name="Steps").get_by_role(
                "button", name="Next →", exact=True
            )
            if not following.count():
                return
            with suppress(SlowError):
                following.click(timeout=3000)
            self.page.wait_for_timeout(200)
            self.rest()


def positions(kind: str, values: list[Any]) -> Iterator[Any]:
    """Yield the values that a control is set to; None for a click."""
    if kind == "slide":
        low, high, step = map(float, values)
        count = round((high - low) / step) + 1
        for at in range(count):
            if count <= MOST_STEPS or at % round(count / (MOST_STEPS // 2)) == 0:
                yield f"{low + at * step:.10g}"
    elif kind == "select":
        yield from values[:40]
    else:
        yield None


def addresses(names: list[str]) -> Iterator[tuple[str, int]]:
    """Yield the addresses of pages, and how many controls in a row are set on each; 0 only opens it."""
    for name in (page.name for page in PAGES if not names or page.name in names):
        yield name, 0 if name in FIRST_VIEW_ONLY else 3
        yield from ((f"start?text={text}", 0) for text in STARTS if name == "start")
        yield from ((f"{name}?table={table}", 0) for table in TABLES if table)
    for name in (page for page in WHY if not names or page in names):
        yield from ((link.lstrip("/"), 0) for _, link in read_why(name).links)
    for number in NUMBERS:
        for block in lesson(number).document.of("figure"):
            if not names or page_of(block.argument) in names:
                yield block.argument.lstrip("/"), 0 if page_of(block.argument) in FIRST_VIEW_ONLY else 1
        yield from ((address, 0) for address in answered(number) if not names or page_of(address) in names)
    yield from ((address, 0) for address in documented() if not names or page_of(address) in names)


def documented() -> list[str]:
    """Return the addresses that pages of the documentation have, most of them of figures."""
    texts = (path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].glob("docs/**/*.md"))
    return sorted({address for text in texts for address in PLACE.findall(text)})


def answered(number: int) -> Iterator[str]:
    """Yield the addresses of a lesson's figures with the state that shows the answer to a question."""
    figure, tables = "", Tables(first_lab())
    for block in lesson(number).document.blocks:
        if block.kind == "figure":
            figure = block.argument.lstrip("/")
        elif block.kind == "question":
            path, _, query = figure.partition("?")
            table = block.options.get("table", OPENED)
            parameters = {"lesson": [str(number)], "name": [block.argument], "given": ["0"]}
            for seed in range(DRAWS):
                reply = answer(LESSONS, tables.lab(table), Query({**parameters, "seed": [str(seed)]}))
                state = dict(parse_qsl(query) + parse_qsl(reply["search"].lstrip("?")))
                yield f"{path}?{urlencode(state)}"


def main(names: list[str]) -> None:
    """Walk through the workbench and write the list."""
    app = make_app(Tables(first_lab()))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.1)
    url = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    asked = set() if not names else set(listed_requests())
    with sync_playwright() as driver:
        path = shutil.which("chromium-headless-shell")
        chromium = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        visits: list[tuple[str, Callable[[Browser], None]]] = [
            (address, partial(Browser.walk, address=address, depth=depth)) for address, depth in addresses(names)
        ]
        if not names or "lessons" in names:
            visits += [(f"lessons/{number}", partial(Browser.read, number=number)) for number in NUMBERS]
            visits += [(path, partial(Browser.open, address=path)) for path in ("lessons", "lessons/cards", "claims")]
        for address, visit in visits:
            start = time.monotonic()
            context = chromium.new_context(viewport={"width": 1280, "height": 720})
            browser = Browser(context.new_page(), url)
            try:
                visit(browser)
            except Exception as error:  # the next page is walked all the same
                print(f"{address}: {type(error).__name__}: {str(error)[:200]}", flush=True)
            asked |= browser.asked
            context.close()
            print(
                f"{address}: {len(browser.asked)} requests, {time.monotonic() - start:.0f} s, {len(asked)} in all",
                flush=True,
            )
            write_requests([each for each in asked if is_recorded(each)])
    server.should_exit = True


def page_of(address: str) -> str:
    """Return the name of the page of an address."""
    return address.lstrip("/").split("?")[0]


if __name__ == "__main__":
    main(sys.argv[1:])
