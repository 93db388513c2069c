"""Benchmark of the workbench's map in a real browser: first frame, frames per second while it moves, memory.

    scripts/bench map

Each number of points is drawn with WebGL2 in software and with plain arrays in a browser without WebGL. The points are
twelve round clouds; the map is 1000 × 640 pixels. While it moves, only a sample of the points is drawn, and its mean
share is printed; the full picture follows when it stops.
"""

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Playwright, Route, sync_playwright

STATIC = Path(__file__).parents[1] / "packages/rowspace-lab/src/rowspace_lab/static"
STAGE = Path(__file__).with_name("map.html")
LANES = {
    "webgl2": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
    "canvas2d": ["--disable-gpu", "--disable-3d-apis"],
}
COLUMNS = {
    "first": "first frame, s",
    "whole": "full picture, s",
    "frames": "frames/s",
    "worst": "longest frame, ms",
    "share": "drawn while moving",
    "again": "full again, s",
    "pick": "pick, ms",
    "lasso": "lasso, ms",
    "heap": "JS heap, MB",
}


def measure(playwright: Playwright, backend: str, count: int) -> dict[str, float]:
    """Return the measurements of `measureMap` in map.html, in a new browser."""
    arguments = ["--no-sandbox", "--enable-precise-memory-info", *LANES[backend]]
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
    page = browser.new_page(viewport={"width": 1000, "height": 640})
    page.route("http://localhost/", lambda route: route.fulfill(path=STAGE, content_type="text/html"))
    page.route("**/*.js", serve)
    page.goto("http://localhost/")
    page.wait_for_function("() => window.measureMap !== undefined")
    found = page.evaluate("([count, backend]) => measureMap(count, backend)", [count, backend])
    browser.close()
    return found


def serve(route: Route) -> None:
    """Serve a file of the bundle."""
    route.fulfill(path=STATIC / Path(route.request.url).name, content_type="text/javascript")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counts", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--backends", nargs="+", choices=LANES, default=list(LANES))
    options = parser.parse_args()
    print("| backend | points | " + " | ".join(COLUMNS.values()) + " |\n|" + "---|" * (len(COLUMNS) + 2))
    with sync_playwright() as playwright:
        for backend in options.backends:
            for count in options.counts:
                found = measure(playwright, backend, count)
                shown = (f"{found[key]:.{2 if found[key] < 10 else 0}f}" for key in COLUMNS)
                print(f"| {backend} | {count:,} | ".replace(",", " ") + " | ".join(shown) + " |", flush=True)


if __name__ == "__main__":
    main()
