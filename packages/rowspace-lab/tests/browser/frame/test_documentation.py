"""The built documentation under `/docs/`, with the workbench's content security policy, and opened as a file."""

import socket
import subprocess
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import uvicorn
from playwright.sync_api import Browser, Page, expect
from tests.browser.conftest import TOKEN, serving

from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.server.security import Access, AccessMiddleware

CHECKOUT = Path(__file__).parents[5]
pytestmark = [pytest.mark.browser, pytest.mark.long]  # the build takes ten seconds


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
            AccessMiddleware(make_app(lab, site=site), access), partial(uvicorn.Server.run, sockets=[listener])
        ):
            yield access.url.replace("/?", "/docs/?")


@pytest.fixture(params=["served", "file"])
def documentation(request: pytest.FixtureRequest, site: Path) -> str:
    return site.joinpath("index.html").as_uri() if request.param == "file" else request.getfixturevalue("served")


@pytest.fixture
def reader(browser: Browser, documentation: str) -> Iterator[Page]:
    """A page that shows the documentation; errors and requests to other hosts fail the test."""
    problems: list[str] = []
    ours = ("file:", "data:", documentation.partition("/docs/")[0])
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
