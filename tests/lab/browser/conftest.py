"""A real server and a real browser, in two lanes: with WebGL drawn by software, and with no WebGL at all.

Only the map is drawn differently in the two, so only tests marked with `both_lanes` run in both; ROWSPACE_LONG_TESTS=1
runs all of them in both.

A page that logs an error, asks another machine or is refused by the server fails its test; `@pytest.mark.refused` lets
the last one be. Not here: what the pages show; each has its own file.
"""

import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Page, expect
from starlette.types import ASGIApp

from rowspace.lab.app import make_app
from rowspace.lab.lab import Lab
from rowspace.lab.server.security import Access, AccessMiddleware
from rowspace.table import Table
from rowspace.text import default_tokenizer, standard_library

TOKEN = "sixteen-letters-or-more"  # noqa: S105
LANES = {
    "webgl": ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
    "no-webgl": ["--disable-gpu", "--disable-3d-apis"],
}
expect.set_options(timeout=30_000)  # ms: on a busy machine, an answer may take longer than the default of 5 s


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of the tests' own, with a tokenizer of a part of the standard library: no page has to learn one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        default_tokenizer(texts=islice(standard_library(), 40))
        yield


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Choose the lanes of a test."""
    own = any("lane" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "lane" not in metafunc.fixturenames or own:
        return
    both = metafunc.definition.get_closest_marker("both_lanes") is not None or "ROWSPACE_LONG_TESTS" in os.environ
    metafunc.parametrize("lane", LANES if both else ["no-webgl"], indirect=True, scope="session")


@pytest.fixture(scope="session")
def lane(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any], lane: str) -> dict[str, Any]:
    """Debian's Chromium without windows where it is, else the one that playwright installed."""
    arguments = ["--no-sandbox", "--disable-dev-shm-usage", *LANES[lane]]
    return {**browser_type_launch_args, "executable_path": shutil.which("chromium-headless-shell"), "args": arguments}


@pytest.fixture(scope="session")
def lab_url(learned: tuple[Table, str]) -> Iterator[str]:
    """Where a real server answers over the table of the standard library's words."""
    with serving(make_app(Lab(*learned))) as server:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


@pytest.fixture(scope="session")
def guard(learned: tuple[Table, str]) -> Iterator[AccessMiddleware]:
    """The guard of a real server, as `rowspace lab` has one, but at a port that no other test counts on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        guard = AccessMiddleware(make_app(Lab(*learned)), Access("127.0.0.1", listener.getsockname()[1], TOKEN))
        with serving(guard, partial(uvicorn.Server.run, sockets=[listener])):
            yield guard


class Server(uvicorn.Server):
    """A server that can be waited for."""

    def __init__(self, app: ASGIApp) -> None:
        super().__init__(uvicorn.Config(app, port=0, log_level="warning"))
        self.is_up = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.is_up.set()


@contextmanager
def serving(app: ASGIApp, run: Callable[[uvicorn.Server], None] = uvicorn.Server.run) -> Iterator[uvicorn.Server]:
    """A server that runs in a thread of its own."""
    server = Server(app)
    thread = threading.Thread(target=run, args=[server], daemon=True)
    thread.start()
    assert server.is_up.wait(60)
    assert server.started
    yield server
    server.should_exit = True
    thread.join()


@pytest.fixture
def page(page: Page, lab_url: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A page of the browser that is watched."""
    problems: list[str] = []
    refused = request.node.get_closest_marker("refused") is not None

    def hear(message: Any) -> None:
        if message.type in ("error", "warning") and not (refused and "Failed to load resource" in message.text):
            problems.append(message.text)

    def see(asked: Any) -> None:
        if not asked.url.startswith((lab_url, "data:", "blob:")):
            problems.append(f"asked for {asked.url}")

    page.on("console", hear)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", see)
    yield page
    assert problems == []


@pytest.fixture
def visit(page: Page, lab_url: str) -> Callable[[str], Page]:
    """`visit("words?word=sin")`: open a page of the workbench and wait until all that it asked for has come."""

    def open_page(address: str) -> Page:
        page.goto(f"{lab_url}/{address}")
        page.locator("section[aria-label=Figure][aria-busy=false]").wait_for()
        return page

    return open_page
