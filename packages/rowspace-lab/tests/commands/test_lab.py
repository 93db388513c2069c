"""The workbench as a separate process, with requests over the network, ended by signals."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
from tests.cli.commands.servers.server_process import ServerProcess, Start, starter

from rowspace_lab.server.reply import decode


class Server(ServerProcess):
    """A running `rowspace lab`, and the printed URL."""

    command = ("lab", "--no-open")

    def __init__(self, *arguments: str, **environment: str) -> None:
        super().__init__(*arguments, **environment)
        self.url = self.line
        self.base, _, self.token = self.url.partition("/?token=")

    def get(self, path: str) -> bytes:
        request = Request(self.base + path, headers={"Authorization": f"Bearer {self.token}"})
        with urlopen(request, timeout=60) as answer:
            return answer.read()


@pytest.fixture
def start() -> Iterator[Start]:
    yield from starter(Server)


def test_chosen_table_is_in_the_printed_address(start: Start, table_path: str) -> None:
    server = start(table_path, "--show", "six-words")
    server.token, _, query = server.token.partition("&")
    assert query == "table=six-words"
    reply = decode(server.get("/api/words/rows?word=cat&table=six-words"))
    assert reply.arrays["rows"].tolist() == [[0.72, -0.41, 0.15]]


def test_table_of_english_words_is_shown_first_and_nothing_is_learned(start: Start, tmp_path: Path) -> None:
    server = start(XDG_CACHE_HOME=str(tmp_path))
    assert decode(server.get("/api/words/rows?word=king")).arrays["rows"].shape == (1, 100)
    entries = decode(server.get("/api/tables")).meta["tables"]
    named = [(entry["id"], entry["also"]) for entry in entries if entry["title"] == "English words"]
    assert named == [("opened", "english-words")]
    assert not list(tmp_path.rglob("stdlib-*"))


def test_search_page_searches_the_named_folder_and_an_index_brings_its_table(
    start: Start, command: Callable[..., Any], table_path: str, tmp_path: Path
) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_text("The cat sat on the mat.")
    reply = decode(start(table_path, "--search", str(tmp_path / "files")).get("/api/search/index"))
    assert (reply.meta["folder"], reply.meta["found"]) == (str(tmp_path / "files"), 1)

    index = str(tmp_path / "index")
    command("index", str(tmp_path / "files"), "-o", index, "--table", table_path)
    server = start("--search", index, XDG_CACHE_HOME=str(tmp_path / "cache"))
    reply = decode(server.get("/api/search/index"))
    assert (reply.meta["state"], reply.meta["is_named"], reply.meta["passages"]) == ("ready", True, 1)
    assert not (tmp_path / "cache").exists()  # no default table was learned


def test_missing_folder_to_search_is_refused(run: Callable[..., Any], table_path: str) -> None:
    message = "--search must be a folder, a file or an index, and there is no 'nowhere'; check the path"
    assert message in run("lab", table_path, "--no-open", "--search", "nowhere", status=2).stderr


def test_unknown_table_is_refused_before_the_server_starts(table_path: str) -> None:
    command = [sys.executable, "-m", "rowspace", "lab", "--no-open", table_path, "--show", "seven-words"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "there is no table 'seven-words'; choose one of opened, six-words, " in ended.stderr


def test_printed_address_opens_the_table(start: Start, table_path: str) -> None:
    server = start(table_path)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}", server.url)
    assert decode(server.get("/api/words/rows?word=the")).arrays["rows"].shape == (1, 16)
    with pytest.raises(HTTPError) as caught:
        urlopen(f"{server.base}/api/words/rows?word=the", timeout=60)
    assert (caught.value.code, json.load(caught.value)["kind"]) == (403, "Forbidden")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_the_server_with_status_0(number: signal.Signals, start: Start, table_path: str) -> None:
    server = start(table_path)
    server.get("/api/words/rows")
    assert server.ended(number) == (0, "rowspace: press Ctrl-C to stop\n")


@pytest.mark.long
def test_two_servers_have_different_ports(start: Start, table_path: str) -> None:
    first, second = start(table_path), start(table_path)
    assert first.base != second.base
    assert first.get("/api/words/rows") == second.get("/api/words/rows")


def test_port_in_use_gives_a_message(command: Callable[..., Any], table_path: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        messages = command("lab", table_path, "--no-open", "--port", str(port), status=2).stderr
    message = f"port {port} is in use; choose another one with --port, or omit it to use the next free port"
    assert messages == f"rowspace: {message}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--host", "0.0.0.0"], "--host 0.0.0.0 gives other machines access: add a --token of at least 16 characters"),
        (["--host", "0.0.0.0", "--token", "short"], "a token must have at least 16 characters: letters, digits"),
        (["--token", "sixteen letters, or more"], "a token must have at least 16 characters: letters, digits"),
        (["--host", "no such host.invalid"], "--host no such host.invalid gives other machines access"),
        (["--host", "192.0.2.1", "--token", "t" * 16], "cannot listen on 192.0.2.1: "),
    ],
)
def test_usage_error_is_reported_before_the_table_is_opened(
    run: Callable[..., Any], arguments: list[str], message: str
) -> None:
    assert run("lab", "no-such-table", "--no-open", *arguments, status=2).stderr.startswith(f"rowspace: {message}")


def test_front_end_that_is_not_built_gives_a_message(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("rowspace_lab.app.STATIC", tmp_path)
    messages = run("lab", "no-such-table", "--no-open", status=1).stderr
    assert messages == "rowspace: the front end of the workbench is not built; run scripts/web in the checkout\n"


def test_missing_table_gives_a_message(run: Callable[..., Any]) -> None:
    assert "there is no file or folder 'no-such-table'" in run("lab", "no-such-table", "--no-open", status=2).stderr


def test_given_token_opens_the_pages(start: Start, table_path: str) -> None:
    server = start(table_path, ROWSPACE_LAB_TOKEN="sixteen-letters-or-more")
    assert server.token == "sixteen-letters-or-more"
    server.get("/api/words/rows")


@pytest.mark.parametrize("arguments", [["my-table"], ["--show", "six-words"], ["--search", "."]])
def test_export_of_other_tables_is_refused(run: Callable[..., Any], arguments: list[str], tmp_path: Path) -> None:
    messages = run("lab", "--export", str(tmp_path / "site"), *arguments, status=2).stderr
    assert messages == ("rowspace: --export writes the workbench's own tables; leave out TABLE, --show and --search\n")
