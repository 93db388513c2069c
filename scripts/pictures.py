"""Take screenshots of pages, a lesson and claims, in both themes, at desktop and phone width.

Those that the documentation shows, light and wide, go to docs/pictures, the others to build/pictures, to be looked at.

    .venv/bin/python scripts/pictures.py [PAGE...]

Uses the workbench's table of English words, a quick arena, which takes a minute, an index of docs/ in the cache, and
the Chromium of the tests.
"""

import io
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from rowspace_lab.pages import PAGES

ROOT = Path(__file__).parents[1]
SHOWN, OTHERS = ROOT / "docs" / "pictures", ROOT / "build" / "pictures"
WIDTHS = (1280, 390)
COLORS, PASSES = 256, 2  # a median cut would merge the colors of small marks; the passes keep those of backgrounds
NAMES = [*(page.name for page in PAGES), "lessons", "claims"]
ADDRESSES = {
    "arena": "arena?cell=images/patches-16",
    "lessons": "lessons/6",
    "search": "search?table=everyday-words&text=which+words+are+near+each+other",
}
SCREENS = {"lessons", "search", "claims"}  # the first screen of these: a figure next to a text, a long list
WEBGL = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def main(names: list[str]) -> None:
    """Serve the workbench and take screenshots of the named pages, or of all."""
    OTHERS.mkdir(parents=True, exist_ok=True)
    names = names or NAMES
    if "arena" in names:
        arena = [sys.executable, "-m", "rowspace", "arena", "--quick", "-o", "quick-arena"]
        subprocess.run(arena, stdout=subprocess.DEVNULL, cwd=ROOT, check=True)
    command = [sys.executable, "-m", "rowspace", "lab", "--no-open", "--search", "docs"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        url = server.stdout.readline().strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium-headless-shell"), args=WEBGL)
            for theme in ("light", "dark"):
                for width in WIDTHS:
                    take(browser, url, theme, width, names)
    finally:
        server.terminate()


def take(browser: Browser, url: str, theme: str, width: int, names: list[str]) -> None:
    """Take one screenshot per page when the network is idle."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce")
    page.goto(url)
    for name in names:
        page.goto(url.partition("?")[0] + ADDRESSES.get(name, name))
        page.locator("section[aria-label=Figure][aria-busy=false]").wait_for(timeout=120_000)
        if (index := page.get_by_role("button", name="Index these files")).is_visible():
            index.click()
            page.get_by_role("button", name="Update").wait_for(timeout=120_000)
        page.wait_for_function("() => !document.querySelector('progress')", timeout=120_000)  # a run that is trained
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1500)
        picture = Image.open(io.BytesIO(page.screenshot(full_page=name not in SCREENS)))
        folder = SHOWN if (theme, width) == ("light", WIDTHS[0]) else OTHERS
        path = folder / f"{name}-{theme}-{width}.png"
        palette = {"method": Image.Quantize.MAXCOVERAGE, "kmeans": PASSES, "dither": Image.Dither.NONE}
        picture.convert("RGB").quantize(COLORS, **palette).save(path, optimize=True)
        print(path.relative_to(ROOT), path.stat().st_size)
    page.close()


if __name__ == "__main__":
    main(sys.argv[1:])
