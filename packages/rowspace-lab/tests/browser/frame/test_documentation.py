"""The built documentation under `/docs/`, in an exported site, and opened as a file."""

import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Browser, FrameLocator, Page, expect
from tests.browser.conftest import TOKEN, pages_with, serving
from tests.browser.file_server import served as files_of

from rowspace_lab.app import STATIC, make_app
from rowspace_lab.export import export_site
from rowspace_lab.export.recording import all_requests
from rowspace_lab.lab import Lab
from rowspace_lab.server.security import Access, AccessMiddleware

CHECKOUT = Path(__file__).parents[5]
pytestmark = [pytest.mark.browser, pytest.mark.long]  # the build takes ten seconds
around = pytest.mark.parametrize("documentation", ["served", "exported"], indirect=True)  # a workbench


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([CHECKOUT / "scripts" / "docs", "--site-dir", folder], check=True, capture_output=True)
    return folder


@pytest.fixture
def served(site: Path, small_lab: Callable[..., Lab]) -> Iterator[str]:
    """The URL of the documentation on a server like that of `rowspace lab`, with its token."""
    lab = small_lab(["cat", "dog"], np.eye(2, dtype=np.float32))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        access = Access("127.0.0.1", listener.getsockname()[1], TOKEN)
        with serving(
            AccessMiddleware(make_app(lab, pages=pages_with(), site=site), access),
            partial(uvicorn.Server.run, sockets=[listener]),
        ):
            yield access.url.replace("/?", "/docs/?")


@pytest.fixture(scope="module")
def exported(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of the documentation in an exported site, which has the replies about six words."""
    folder = tmp_path_factory.mktemp("exported")
    (folder / "course").mkdir()
    requests = [each for each in all_requests() if each.route == "tables" or each.table == "six-words"]
    export_site(folder / "course" / "site", STATIC, documentation=site, requests=requests)
    yield from (f"{url}docs/index.html" for url in files_of(folder))


@pytest.fixture(params=["served", "exported", "file"])
def documentation(request: pytest.FixtureRequest, site: Path) -> str:
    return site.joinpath("index.html").as_uri() if request.param == "file" else request.getfixturevalue(request.param)


@pytest.fixture
def reader(browser: Browser, documentation: str) -> Iterator[Page]:
    """A page that shows the documentation; errors and requests to other hosts fail the test."""
    problems: list[str] = []
    ours = ("file:", "data:", documentation.partition("/docs/")[0], "blob:")
    with browser.new_context(color_scheme="light") as context:
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(ours) else problems.append(request.url))
        page.goto(documentation)
        yield page
    assert problems == []


def test_search_leads_to_the_reference(reader: Page) -> None:
    reader.get_by_placeholder("Search").click()
    reader.keyboard.type("mean_unit_row")
    reader.locator(".md-search-result__link").first.click()
    expect(reader).to_have_title("rowspace.space - rowspace")


def test_color_scheme_is_kept(reader: Page) -> None:
    expect(reader.locator("body")).to_have_attribute("data-md-color-scheme", "default")
    reader.get_by_title("Dark").click()
    expect(reader.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    reader.get_by_role("link", name="Installation", exact=True).first.click()
    expect(reader).to_have_title("Installation - rowspace")
    expect(reader.locator("body")).to_have_attribute("data-md-color-scheme", "slate")


@pytest.fixture
def figure(reader: Page, documentation: str) -> FrameLocator:
    """The first figure of the guide of the geometry of rows, in its frame."""
    reader.goto(re.sub(r"docs/.*", "docs/guides/space.html", documentation))
    return reader.frame_locator("figure.workbench iframe >> nth=0")


@around
def test_figure_of_the_workbench_is_drawn_in_the_page(reader: Page, figure: FrameLocator) -> None:
    expect(figure.get_by_role("region", name="Figure")).to_contain_text("Agreement, dimension by dimension")
    expect(figure.get_by_role("region", name="Controls")).to_contain_text("More controls")
    expect(figure.get_by_role("navigation")).to_have_count(0)
    expect(figure.get_by_role("heading", level=1)).to_have_count(0)
    reader.wait_for_function(  # the frame has the height of the figure
        "f => f.clientHeight > 300 && f.contentDocument.documentElement.scrollHeight === f.clientHeight",
        arg=reader.locator("figure.workbench iframe").first.element_handle(),
    )


@around
def test_figure_follows_the_theme_of_the_page(reader: Page, figure: FrameLocator) -> None:
    expect(figure.locator("html")).to_have_attribute("data-theme", "light")
    # Messages of others are ignored on both sides.
    reader.locator("iframe").first.evaluate("frame => frame.contentWindow.postMessage(null, location.origin)")
    figure.locator("html").evaluate("() => parent.postMessage(null, location.origin)")
    reader.get_by_title("Dark").click()
    expect(figure.locator("html")).to_have_attribute("data-theme", "dark")


@around
def test_figure_keeps_its_state_in_memory_and_opens_in_the_workbench(reader: Page, figure: FrameLocator) -> None:
    entries = reader.evaluate("history.length")
    figure.get_by_role("tab", name="Row").click()
    expect(figure.get_by_role("region", name="Figure")).to_contain_text("nearest neighbors")
    assert reader.evaluate("history.length") == entries
    assert reader.evaluate("sessionStorage.length") == 0
    with reader.expect_popup() as opened:
        figure.get_by_role("link", name="Open in the workbench").click()
    expect(opened.value.get_by_role("navigation", name="Pages")).to_be_visible()
    assert re.search(r"/words\?table=six-words&word=cat&word=dog&nomap=true$", opened.value.url)


def test_without_a_workbench_a_figure_is_a_sentence(site: Path, browser: Browser) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((site / "guides" / "space.html").as_uri())
        expect(page.locator("figure.workbench").first).to_contain_text("In the workbench: /words?table=six-words")
        expect(page.locator("figure iframe")).to_have_count(0)
