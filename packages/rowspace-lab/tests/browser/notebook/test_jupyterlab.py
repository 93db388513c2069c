"""`table.show()` in JupyterLab, as a person uses it: the map, a word that is chosen there, and one chosen in Python."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.browser.conftest import TOKEN, watching

from rowspace.table import Table

PATIENCE = 180  # seconds
OPEN = """
import rowspace as rs
table = rs.load({path!r})
"""


class Notebook:
    """A notebook that is open in JupyterLab."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def run(self, number: int) -> Locator:
        """Run a cell, and return its output once it has ended."""
        cell = self.page.locator(".jp-Notebook .jp-CodeCell").nth(number)
        cell.locator(".jp-InputArea-editor").click()
        self.page.keyboard.press("Shift+Enter")
        expect(cell.locator(".jp-InputPrompt")).to_have_text(f"[{number + 1}]:")
        return cell.locator(".jp-OutputArea-output")


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The URL of JupyterLab on the loopback interface, and the folder of its notebooks."""
    folder = tmp_path_factory.mktemp("jupyter")
    home = {f"JUPYTER_{name}_DIR": str(folder / name.lower()) for name in ("CONFIG", "DATA", "RUNTIME")}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = [
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        f"--IdentityProvider.token={TOKEN}",
        f"--ServerApp.root_dir={folder}",
        "--LabApp.news_url=",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        "--LabApp.extension_manager=readonly",
    ]
    environment = os.environ | home | {"IPYTHONDIR": str(folder / "ipython")}
    with (folder / "log.txt").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", *options], env=environment, stdout=log, stderr=log
        )
    url = f"http://127.0.0.1:{port}"
    try:
        wait_for(f"{url}/api?token={TOKEN}", server, folder / "log.txt")
        yield url, folder
    finally:
        server.terminate()
        server.wait()


def wait_for(url: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            urlopen(url).close()
            return
        except URLError:
            time.sleep(0.2)
    pytest.fail(f"JupyterLab did not start: {log.read_text()}")


@pytest.fixture
def page(browser: Browser, jupyter: tuple[str, Path], lane: str) -> Iterator[Page]:
    """A page whose errors and foreign requests fail the test; JupyterLab warns that it starts slowly."""
    page = browser.new_page(viewport={"width": 1300, "height": 1200})
    with watching(page, jupyter[0], kinds="error"):
        yield page
    page.close()


@pytest.fixture
def open_notebook(page: Page, jupyter: tuple[str, Path]) -> Callable[..., Notebook]:
    """`open_notebook("a cell", "another")`: open a notebook with these cells."""
    url, folder = jupyter

    def opened(*cells: str) -> Notebook:
        name = f"notebook-{len(list(folder.glob('*.ipynb')))}.ipynb"
        (folder / name).write_text(json.dumps(document(cells)))
        page.goto(f"{url}/lab/tree/{name}?token={TOKEN}&reset")
        page.locator(".jp-Notebook .jp-CodeCell").nth(len(cells) - 1).wait_for()
        page.get_by_title("Kernel status: Idle").or_(page.get_by_text("Python 3 (ipykernel) | Idle")).first.wait_for()
        return Notebook(page)

    return opened


def document(cells: tuple[str, ...]) -> dict[str, Any]:
    """Return a notebook in the format of its file."""
    written = [
        {
            "cell_type": "code",
            "id": f"cell-{at}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for at, source in enumerate(cells)
    ]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    return {"cells": written, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


@pytest.mark.long
def test_words_chosen_on_the_map_are_in_python_and_the_reverse(
    open_notebook: Callable[..., Notebook], page: Page, learned: tuple[Table, str]
) -> None:
    table, path = learned
    notebook = open_notebook(
        OPEN.format(path=path) + "w = table.show(['sin'], height=300)\nw",
        "print(w.selection, w.words)",
        "w.selection = ['cos', 'log']",
    )
    notebook.run(0)
    shown = page.get_by_role("region", name="The map of the table")
    shown.get_by_role("application", name=f"{len(table):,} points").wait_for()
    expect(shown.get_by_text("1 row is chosen.")).to_be_visible()

    field = shown.get_by_label("Word", exact=True)
    field.fill("exp")  # letters that are shortcuts of JupyterLab
    shown.get_by_role("option").get_by_text("exp", exact=True).click()
    expect(shown.get_by_label("Row of exp", exact=True)).to_be_visible()
    expect(notebook.run(1)).to_have_text(f"[{table.id('exp')}] ['exp']")
    expect(page.locator(".jp-CodeCell")).to_have_count(3)

    notebook.run(2)
    expect(shown.get_by_label("Row of cos", exact=True)).to_be_visible()
    expect(shown.get_by_label("Row of log", exact=True)).to_be_visible()
    expect(shown.get_by_text("2 rows are chosen.")).to_be_visible()


@pytest.mark.long
def test_each_widget_has_its_own_words_and_the_theme_of_the_notebook(
    open_notebook: Callable[..., Notebook], page: Page, learned: tuple[Table, str]
) -> None:
    notebook = open_notebook(
        OPEN.format(path=learned[1])
        + "import numpy as np\n"
        + "one, other = table.show(height=300), rs.Table(['a', 'b', 'c'], np.eye(3)).show(['b'], height=300)\n"
        + "display(one, other)",
        "print(len(one.selection) > 10, other.words)",
        "other.close()",
    )
    notebook.run(0)
    first, second = (page.get_by_role("region", name="The map of the table").nth(at) for at in (0, 1))
    expect(second.get_by_label("Row of b", exact=True)).to_be_visible()
    draw_lasso(first)
    expect(first.get_by_role("status").get_by_text("rows are chosen.")).to_be_visible()
    expect(notebook.run(1)).to_have_text("True ['b']")

    notebook.run(2)
    expect(second).to_have_count(0)
    choose_theme(page, "Dark")
    assert surface(first) == "rgb(31, 29, 26)"
    choose_theme(page, "Light")  # JupyterLab keeps the last one
    assert surface(first) == "rgb(255, 255, 255)"
    expect(first.get_by_text(f"UMAP of {len(learned[0]):,} rows")).to_be_visible()  # a job sends its events as messages


def draw_lasso(shown: Locator) -> None:
    """Draw a lasso around the middle of a map."""
    canvas = shown.get_by_role("application", name="points")
    expect(canvas).to_be_visible()
    shown.get_by_role("button", name="Lasso").click()
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    assert box is not None
    corners = [(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8), (0.2, 0.2)]
    mouse = shown.page.mouse
    for at, (right, down) in enumerate(corners):
        mouse.move(box["x"] + right * box["width"], box["y"] + down * box["height"], steps=4)
        if at == 0:
            mouse.down()
    mouse.up()


def choose_theme(page: Page, name: str) -> None:
    """Choose JupyterLab's light or dark theme in its menu."""
    page.get_by_role("menuitem", name="Settings").click()
    page.get_by_text("Theme", exact=True).hover()
    page.get_by_text(f"JupyterLab {name}", exact=True).click()
    page.wait_for_function(f"document.body.dataset.jpThemeLight === '{str(name == 'Light').lower()}'")


def surface(shown: Locator) -> str:
    """Return the color behind a map."""
    color: str = shown.locator(".map").evaluate("(map) => getComputedStyle(map).backgroundColor")
    return color
