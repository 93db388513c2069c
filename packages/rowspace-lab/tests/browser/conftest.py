"""A real server and a real browser, in two lanes: with WebGL in software, and without WebGL.

`pages/` has the tests of each page, `lessons/` those of the lessons, `frame/` those of what all pages share.

Only the map differs between the lanes, so only tests marked with `both_lanes` run in both; ROWSPACE_LONG_TESTS=1 runs
all tests in both. ROWSPACE_DELAYED_REPLIES=1 delays each reply of the server by a random time, as a busy machine does,
so that a page or a test that relies on their order fails.

A test fails if its page logs an error, sends a request to another host or gets an error from the server; the mark
`@pytest.mark.refused` allows the last.
"""

import asyncio
import os
import random
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Page, expect
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.arena_results import save_arena
from tests.search.samples import write_files

from rowspace.table import Table
from rowspace.text import default_tokenizer, standard_library
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.lessons import PAGE as LESSONS
from rowspace_lab.lessons.claims import PAGE as CLAIMS
from rowspace_lab.page import Page as LabPage
from rowspace_lab.pages import PAGES
from rowspace_lab.pages.arena.saved import own_folder
from rowspace_lab.pages.search import SearchSource, search_page
from rowspace_lab.pages.training import training_page
from rowspace_lab.pages.words import words_page
from rowspace_lab.server.query import Query
from rowspace_lab.server.security import Access, AccessMiddleware

TOKEN = "sixteen-letters-or-more"
SEARCHED = {
    "guide.md": """# Reading files

Open a file, read its lines and close it. An error is raised if the file is missing. The encoding is UTF-8 unless
another one is given, and a text that is not valid raises an exception at once.

## Writing files

Write a string to a file with the method write. The directory must exist before the call, and an existing file is
replaced. Close the file, or use it in a with statement, so that nothing is lost on an exit.
""",
    "numbers.md": """# Numbers

An integer has no limit. A float is a binary number of 64 bits, so a sum of floats is rounded. The module math has
sin, cos and log; the module random returns random numbers from a seed. The norm of a vector is a float, too.
""",
    "src/errors.py": """def check(value):
    '''Raise a TypeError if the value is not a number, and a ValueError if it is negative.'''
    if not isinstance(value, int | float):
        raise TypeError(value)
    return value
""",
    "src/lists.py": """def remove_duplicates(items):
    return list(dict.fromkeys(items))
""",
}
MAX_DELAY = 0.8  # seconds
TIMEOUT = 180_000  # ms: a training run is niced, and waits for minutes at a load of 20
LANES = {
    "webgl": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
    "no-webgl": ["--disable-gpu", "--disable-3d-apis"],
}
# The numbers and the code of a page are folded at first; most tests read them.
OPEN_FOLDS = (
    "for (const name of ['open:numbers', 'open:code']) localStorage.getItem(name) ?? localStorage.setItem(name, true)"
)
expect.set_options(timeout=TIMEOUT)


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache with a tokenizer of a part of the standard library and a saved arena, so that no page has to make one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        default_tokenizer(texts=islice(standard_library(), 40))
        save_arena(own_folder() / "saved")  # which the Arena page shows when it is opened
        yield


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the lanes of a test."""
    has_lanes = any("lane" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "lane" not in metafunc.fixturenames or has_lanes:
        return
    both = metafunc.definition.get_closest_marker("both_lanes") is not None or "ROWSPACE_LONG_TESTS" in os.environ
    metafunc.parametrize("lane", LANES if both else ["no-webgl"], indirect=True, scope="session")


@pytest.fixture(scope="session")
def lane(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], lane: str) -> dict[str, Any]:
    """Debian's headless Chromium if it is installed, else the one of playwright."""
    arguments = ["--no-sandbox", "--disable-dev-shm-usage", *LANES[lane]]
    return {**browser_type_launch_args, "executable_path": shutil.which("chromium-headless-shell"), "args": arguments}


@pytest.fixture(scope="session")
def searched_folder(learned: tuple[Table, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Python modules and Markdown, which is indexed, so that the Search page has passages."""
    folder = write_files(tmp_path_factory.mktemp("searched") / "files", SEARCHED)
    kind = search_page(SearchSource(folder)).job_kinds["index"]
    list(kind.run(**kind.read(Lab(*learned), Query())))
    return folder


def pages_with(*own: LabPage) -> list[LabPage]:
    """All pages, with these instead of those of the same names; with short runs, and maps on request only."""
    instead = {page.name: page for page in (training_page(steps=50), words_page(maps_in_background=False), *own)}
    return [instead.get(page.name, page) for page in (LESSONS, CLAIMS, *PAGES)]


@pytest.fixture(scope="session")
def lab_url(learned: tuple[Table, str], searched_folder: Path) -> Iterator[str]:
    """The URL of a server with the table of the standard library."""
    with serving(make_app(Lab(*learned), pages=pages_with(), search=SearchSource(searched_folder))) as server:
        yield url_of(server)


@pytest.fixture(scope="session")
def guard(learned: tuple[Table, str], searched_folder: Path) -> Iterator[AccessMiddleware]:
    """The access middleware of a server like that of `rowspace lab`, on a separate port."""
    app = make_app(Lab(*learned), pages=pages_with(), search=SearchSource(searched_folder))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        guard = AccessMiddleware(app, Access("127.0.0.1", listener.getsockname()[1], TOKEN))
        with serving(guard, partial(uvicorn.Server.run, sockets=[listener])):
            yield guard


class Delays:
    """An application whose API replies late, by up to MAX_DELAY seconds."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/"):
            await asyncio.sleep(random.uniform(0, MAX_DELAY))
        await self.app(scope, receive, send)


class Server(uvicorn.Server):
    """A server with an event for its start."""

    def __init__(self, app: ASGIApp) -> None:
        if "ROWSPACE_DELAYED_REPLIES" in os.environ:
            app = Delays(app)
        super().__init__(uvicorn.Config(app, port=0, log_level="warning"))
        self.is_up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def serving(app: ASGIApp, run: Callable[[uvicorn.Server], None] = uvicorn.Server.run) -> Iterator[uvicorn.Server]:
    """Run a server in a thread."""
    server = Server(app)
    thread = threading.Thread(target=run, args=[server], daemon=True)
    thread.start()
    assert server.is_up.wait(60)
    assert server.started
    yield server
    server.should_exit = True
    thread.join()


def url_of(server: uvicorn.Server) -> str:
    """Return the address of a running server."""
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


@contextmanager
def watching(page: Page, own_url: str, *, refused: bool = False, kinds: str = "error warning") -> Iterator[None]:
    """Watch a page, and fail at the end if it logged a problem of these kinds or sent a request to another host."""
    problems: list[str] = []

    def on_console(message: Any) -> None:
        if message.type in kinds.split() and not (refused and "Failed to load resource" in message.text):
            problems.append(message.text)

    def on_request(request: Any) -> None:
        if not request.url.startswith((own_url, "data:", "blob:")):
            problems.append(f"requested {request.url}")

    page.set_default_timeout(TIMEOUT)
    page.add_init_script(OPEN_FOLDS)
    page.on("console", on_console)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", on_request)
    yield
    assert problems == []


@pytest.fixture
def page(page: Page, lab_url: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page whose console messages and foreign requests fail the test."""
    with watching(page, lab_url, refused=request.node.get_closest_marker("refused") is not None):
        yield page


@pytest.fixture
def unfold(page: Page) -> Callable[[str], None]:
    """`unfold("More controls")`: open a part of the page, unless it is open."""

    def open_part(title: str) -> None:
        folded = page.locator("details:not([open]) > summary").filter(has_text=title)
        if folded.count():
            folded.click()

    return open_part


@pytest.fixture
def visit(page: Page, lab_url: str) -> Callable[[str], Page]:
    """`visit("words?word=sin")`: open a page of the workbench and wait until it has loaded."""

    def open_page(address: str) -> Page:
        open_address(page, f"{lab_url}/{address}")
        return page

    return open_page


def open_address(page: Page, url: str) -> None:
    """Open a URL of the workbench and wait until its page has loaded."""
    page.goto(url)
    page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
