"""Take the screenshots in docs/pictures: each page of the workbench in both themes, at desktop and phone width.

    .venv/bin/python scripts/pictures.py [PAGE...]

Uses the table that scripts/start trains, a quick arena, which takes a minute, and the Chromium of the tests.
"""

import io
import shutil
import subprocess
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from rowspace.lab.pages import PAGES

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTHS = (1280, 390)
COLORS = 128  # enough for text, bars and maps
STATES = {"arena": "?cell=images/patches-16"}
WEBGL = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


def main(names: list[str]) -> None:
    """Serve the table and take screenshots of the named pages, or of all."""
    PICTURES.mkdir(exist_ok=True)
    if "arena" in (names or [page.name for page in PAGES]):
        arena = [sys.executable, "-m", "rowspace", "arena", "--quick", "-o", "quick-arena"]
        subprocess.run(arena, stdout=subprocess.DEVNULL, cwd=ROOT, check=True)
    command = [sys.executable, "-m", "rowspace", "lab", "stdlib-table", "--no-open"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        url = server.stdout.readline().strip()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium-headless-shell"), args=WEBGL)
            for theme in ("light", "dark"):
                for width in WIDTHS:
                    take(browser, url, theme, width, names or [page.name for page in PAGES])
    finally:
        server.terminate()


def take(browser: Browser, url: str, theme: str, width: int, names: list[str]) -> None:
    """Take one screenshot per page when the network is idle."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=theme, reduced_motion="reduce")
    page.goto(url)
    for name in names:
        page.goto(f"{url.partition('?')[0]}{name}{STATES.get(name, '')}")
        page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
        page.wait_for_function("() => !document.querySelector('progress')", timeout=120_000)  # a run that is trained
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(1500)
        picture = Image.open(io.BytesIO(page.screenshot(full_page=True)))
        path = PICTURES / f"{name}-{theme}-{width}.png"
        picture.convert("RGB").quantize(COLORS, dither=Image.Dither.NONE).save(path, optimize=True)
        print(path.relative_to(ROOT), path.stat().st_size)
    page.close()


if __name__ == "__main__":
    main(sys.argv[1:])
