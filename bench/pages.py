"""Benchmark of the workbench's pages in a browser: when the first page moves, and when edited sentences are learned.

    scripts/bench pages
    scripts/bench pages --site FOLDER    also the first page of an exported site, from a plain file server
    scripts/bench pages --controls       what each page shows at first sight, instead of times

The first page is opened in a new browser on a new server with the default table, which must exist. A sentence is added
to Small world on the Words page, and the time ends when the page shows the rows that were learned from the new text.
At first sight a page of 1280 × 720 has controls that are not folded: fields, sliders, switches and buttons, and each
group of radio buttons and row of tabs. Words in lists, tables and pictures, which can be clicked, are not counted.
"""

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial

from playwright.sync_api import Browser, Page, Playwright, TimeoutError, sync_playwright

from rowspace_lab.pages import PAGES

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-3d-apis"]
# The journey of the first page moves when its slider has left 0; times count from the start of the navigation.
MOVES = """
(function look() {
  const slider = document.querySelector('.player input[type=range]');
  if (slider && slider.valueAsNumber > 0) window.moved = performance.now();
  else requestAnimationFrame(look);
})()
"""
# From the submitted form to the frame in which the figure is that of a new table.
LEARNED = """
() => new Promise((resolve) => {
  const before = location.search, began = performance.now();
  let outdated = false;
  document.querySelector('form:has([aria-label="New sentence"])').requestSubmit();
  (function look() {
    const figure = document.querySelector('section.figure');
    outdated ||= figure.classList.contains('outdated');
    if (outdated && !figure.classList.contains('outdated') && location.search !== before)
      resolve((performance.now() - began) / 1000);
    else requestAnimationFrame(look);
  })();
})
"""

FIRST_SIGHT = """
() => {
  const isShown = (each) => each.checkVisibility() && each.getBoundingClientRect().height > 0;
  const controls = [...document.querySelectorAll('main :is(input, select, textarea, button)')].filter(
    (each) => [each, ...(each.labels ?? [])].some(isShown)
      && !each.closest('header, table, ol, ul, .token') && !each.querySelector('.token'));
  const group = (each) => (each.type === 'radio' ? each.name : each.closest('[role=tablist]')) || each;
  const pictures = document.querySelectorAll('section[aria-label=Figure] :is(canvas, svg, table, ol)');
  const boxes = [...pictures].map((each) => each.getBoundingClientRect()).filter((box) => box.height > 24);
  return [new Set(controls.map(group)).size, Math.round(Math.min(...boxes.map((box) => box.top + scrollY)))];
}
"""


@contextmanager
def served(*arguments: str) -> Iterator[str]:
    """Run `rowspace lab`, and yield its URL."""
    command = [sys.executable, "-m", "rowspace", "lab", "--no-open", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield next(iter(process.stdout or ())).strip()
        process.terminate()


@contextmanager
def files_served(folder: str) -> Iterator[str]:
    """Run Python's file server, and yield its URL."""
    command = [sys.executable, "-u", "-m", "http.server", "--bind", "127.0.0.1", "--directory", folder, "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        yield next(word for word in next(iter(process.stdout or ())).split("(")[1].split(")") if word)
        process.terminate()


def first_page(
    open_page: Callable[[], Page], times: int, server: Callable[[], AbstractContextManager[str]]
) -> tuple[list[float], list[float]]:
    """Return the seconds until the first page moves on the first and the second visit of a server."""
    visits: tuple[list[float], list[float]] = ([], [])
    for _ in range(times):
        with server() as url:
            for seconds in visits:
                page = open_page()
                page.add_init_script(MOVES)
                page.goto(url)
                page.wait_for_function("() => window.moved")
                seconds.append(page.evaluate("() => window.moved") / 1000)
                page.wait_for_load_state("networkidle")  # the second visit does not compete with the first one
                page.close()
    return visits


def learned_again(open_page: Callable[[], Page], times: int) -> list[float]:
    """Return the seconds from adding a sentence to the rows of the new text, after one edit that is not counted."""
    seconds = []
    with served("--show", "small-world") as url:
        page = open_page()
        page.goto(url)
        page.goto(url.partition("?")[0] + "words?table=small-world")
        page.get_by_role("button", name="Edit").click()
        for edit in range(times + 1):
            page.get_by_role("textbox", name="New sentence").fill(f"the wolf{edit} can run in the garden")
            seconds.append(page.evaluate(LEARNED))
        page.close()
    return seconds[1:]


def launched(playwright: Playwright) -> Browser:
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    return playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)


def first_sight(page: Page) -> None:
    """Print for each page the controls that are not folded, and the pixels above its first picture."""
    with served() as url:
        page.goto(url)
        print("| page | controls | pixels above the first picture |\n|---|---|---|")
        for name in [*(each.name for each in PAGES), "claims"]:
            page.goto(f"{url.partition('?')[0]}{name}")
            page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
            page.wait_for_load_state("networkidle")
            with suppress(TimeoutError):  # the Search page has no picture before a question
                page.wait_for_function(f"() => Number.isFinite(({FIRST_SIGHT})()[1])", timeout=15_000)
            controls, above = page.evaluate(FIRST_SIGHT)
            print(f"| {name} | {controls} | {above if above < float('inf') else 'no picture'} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=5, help="servers for the first page")
    parser.add_argument("--edits", type=int, default=20, help="edits of Small world")
    parser.add_argument("--site", metavar="FOLDER", help="an exported site to time as well")
    parser.add_argument("--controls", action="store_true", help="what each page shows at first sight, instead of times")
    options = parser.parse_args()
    if options.controls:
        with sync_playwright() as playwright:
            browser = launched(playwright)
            first_sight(browser.new_page(viewport={"width": 1280, "height": 720}, reduced_motion="reduce"))
            browser.close()
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| what is awaited | seconds (minimum–maximum) | target |\n|---|---|---|")
    with sync_playwright() as playwright:
        browser = launched(playwright)

        def open_page() -> Page:
            return browser.new_context(viewport={"width": 1280, "height": 900}).new_page()

        first, later = first_page(open_page, options.starts, served)
        print(f"| the start page moves, first and later visit | {summary(first)}, {summary(later)} | ≤ 1 |", flush=True)
        if options.site:
            first, later = first_page(open_page, options.starts, partial(files_served, options.site))
            print(f"| the same of the exported site | {summary(first)}, {summary(later)} | ≤ 1 |", flush=True)
        edits = learned_again(open_page, options.edits)
        print(f"| Small world is learned again after an edit ({len(edits)}) | {summary(edits)} | ≤ 2 |", flush=True)
        browser.close()
    print(f"\nload at the end {os.getloadavg()[0]:.1f}")


def summary(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f}–{max(seconds):.2f})"


if __name__ == "__main__":
    main()
