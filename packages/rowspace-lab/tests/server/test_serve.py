"""The server as a separate process: concurrent requests over the network, and signals."""

import os
import re
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import numpy as np
import pytest

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.server.reply import Reply, decode
from rowspace_lab.server.serve import validate_token

# `rowspace lab` with the test page and job kinds.
PROGRAM = """
from job_kinds import JOB_KINDS, ROUTES
from rowspace.cli import main
from rowspace_lab import app
from rowspace_lab.page import Page
app.PAGES = (*app.PAGES, Page("try", ROUTES, JOB_KINDS))
main()
"""


class Server:
    """A running server, and a client with its token."""

    def __init__(self, path: str) -> None:
        command = [sys.executable, "-c", PROGRAM, "lab", path, "--no-open"]
        here = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
        self.folder = Path(path).parent  # also holds its temporary files
        environment = os.environ | {"PYTHONPATH": here, "TMPDIR": str(self.folder)}
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=environment, **streams)
        base, _, token = self.process.stdout.readline().strip().partition("/?token=")
        self._options = {"base_url": base, "headers": {"Authorization": f"Bearer {token}"}, "timeout": 60}
        self.client = self.new_client()

    def new_client(self) -> httpx.Client:
        return httpx.Client(**self._options)

    def ask(self, path: str, **parameters: object) -> Reply:
        return decode(self.client.get(f"/api/{path}", params=parameters).raise_for_status().content)

    def start_job(self, kind: str, **parameters: object) -> int:
        answer = self.client.post("/api/jobs", json={"kind": kind, **parameters})
        return decode(answer.raise_for_status().content).meta["job"]

    def process_of(self, job: int) -> int:
        """The process id of a running `waits` job."""
        with self.client.stream("GET", f"/api/jobs/{job}/events") as events:
            assert "event: frame" in events.iter_lines()
        return decode(self.client.get(f"/api/jobs/{job}/frames/1").content).meta["process"]


def running(folder: Path) -> Iterator[Server]:
    rs.Table(["a", "b"], np.eye(2, dtype=np.float32)).save(folder / "table")
    server = Server(str(folder / "table"))
    with server.process, server.client:
        yield server
        server.process.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server shared by the tests that do not stop it."""
    yield from running(tmp_path_factory.mktemp("server"))


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    yield from running(tmp_path)


def is_alive(process: int) -> bool:
    """Return whether a process is running and not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_stops_the_server_despite_open_requests(
    number: signal.Signals, own_server: Server, tmp_path: Path
) -> None:
    """The signal arrives during an endless request, an event stream and a running job."""
    begun, never = tmp_path / "begun", tmp_path / "never"
    for pipe in (begun, never):
        os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as thread:
        slow = thread.submit(own_server.client.get, "/api/try/slow", params={"begun": str(begun), "go": str(never)})
        job = own_server.start_job("waits", file=str(tmp_path / "job"))
        process = own_server.process_of(job)
        begun.read_bytes()
        with own_server.client.stream("GET", f"/api/jobs/{job}/events") as events:
            assert next(events.iter_lines()).startswith("id: ")
            own_server.process.send_signal(number)
            messages = own_server.process.communicate(timeout=60)[1]
        assert isinstance(slow.exception(), httpx.TransportError) or slow.result().status_code == 500
    assert (own_server.process.returncode, messages) == (0, "rowspace: press Ctrl-C to stop\n")
    assert not is_alive(process)
    assert not list(own_server.folder.glob(".rowspace-*"))


def test_workers_end_when_the_server_is_killed(own_server: Server, tmp_path: Path) -> None:
    process = own_server.process_of(own_server.start_job("waits", file=str(tmp_path / "never")))
    ended = os.pidfd_open(process)  # readable once the process has ended
    own_server.process.kill()
    assert select.select([ended], [], [], 60)[0]
    os.close(ended)


def test_responses_do_not_name_the_server_software(server: Server) -> None:
    assert "server" not in server.client.get("/api/instance").headers


def test_job_events_and_frames_are_served(server: Server) -> None:
    job = server.start_job("powers", most=2)
    with server.client.stream("GET", f"/api/jobs/{job}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        events = stream.read().decode().split("\n\n")
    assert re.match(r'id: [12]\nevent: progress\ndata: {"fraction": 0.0, "sentence": "', events[0])
    assert events[-2:] == ['id: 7\nevent: done\ndata: {"frames": 2}', ""]
    frame = decode(server.client.get(f"/api/jobs/{job}/frames/2").content)
    np.testing.assert_array_equal(frame.arrays["rows"], np.eye(2))


def test_reconnect_replays_only_newer_events(server: Server) -> None:
    job = server.start_job("powers", most=3)
    address = f"/api/jobs/{job}/events"
    server.client.get(address)
    assert server.client.get(address, headers={"Last-Event-ID": "8"}).text.startswith("id: 9\nevent: done")
    assert server.client.get(address, headers={"Last-Event-ID": "9"}).status_code == 204
    assert server.client.get(address, headers={"Last-Event-ID": "no number"}).text.startswith("id: 7\n")


def test_process_is_prepared_on_request(server: Server) -> None:
    assert server.client.post("/api/jobs/spare", json={"kind": "tells"}).status_code == 200
    job = server.start_job("tells")
    server.client.get(f"/api/jobs/{job}/events")  # until it is over
    reply_meta = decode(server.client.get(f"/api/jobs/{job}/frames/1").content).meta
    assert reply_meta["ready"] == [reply_meta["process"]]
    assert server.client.post("/api/jobs/spare", json={"kind": "unknown"}).status_code == 400


def test_cancelled_job_is_removed(server: Server, tmp_path: Path) -> None:
    job = server.start_job("waits", file=str(tmp_path / "never"))
    process = server.process_of(job)
    assert server.client.delete(f"/api/jobs/{job}").status_code == 204
    assert not is_alive(process)
    assert server.client.delete(f"/api/jobs/{job}").status_code == 404


@pytest.mark.long
def test_fifty_concurrent_clients_get_correct_replies(server: Server) -> None:
    def ask(number: int) -> list[tuple[list[float], list[int]]]:
        """Send eight requests with a client that no other thread uses."""
        with server.new_client() as client:
            found = []
            for _ in range(4):
                row = decode(client.get("/api/words/rows", params={"word": "ab"[number % 2]}).content)
                near = decode(client.get("/api/words/neighbors", params={"word": "a", "k": 1}).content)
                found.append((row.arrays["rows"][0].tolist(), near.arrays["ids"].tolist()))
            return found

    with ThreadPoolExecutor(50) as threads:
        for number, found in enumerate(threads.map(ask, range(50))):
            assert found == [(np.eye(2)[number % 2].tolist(), [1])] * 4, f"client {number}"


def test_internal_error_is_logged_to_standard_error(server: Server) -> None:
    answer = server.client.get("/api/try/broken")
    assert (answer.status_code, answer.json()["kind"]) == (500, "ServerError")
    assert "secret" not in answer.text
    assert answer.headers["connection"] == "close"  # as the server does, so that no request is sent on this connection
    assert "ZeroDivisionError: a secret detail\n" in iter(server.process.stderr.readline, "")


@pytest.mark.parametrize("size", [1_000_000, 1_000_001, 5_000_000])
def test_chunked_body_over_the_limit_is_refused(size: int, server: Server) -> None:
    """The body is chunked, without a Content-Length."""
    chunks = (b"a" * min(65_536, size - start) for start in range(0, size, 65_536))
    answer = server.client.post("/api/try/large", content=chunks)
    assert answer.status_code == (200 if size == 1_000_000 else 413)
    server.ask("try/sizes")


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET /%ff%00 HTTP/1.1\r\nHost: \xff\r\n\r\n",
        b"GET /" + b"a" * 200_000,
        b"POST /api/try/upload HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
    ],
)
def test_malformed_request_is_refused(sent: bytes, server: Server) -> None:
    address = (server.client.base_url.host, server.client.base_url.port)
    with socket.create_connection(address, timeout=60) as connection:
        connection.sendall(sent + b"\r\n\r\n")
        assert connection.recv(1000).startswith((b"HTTP/1.1 400", b"HTTP/1.1 403"))
    server.ask("try/sizes")


def test_random_tokens_are_long_and_differ() -> None:
    assert len(validate_token("localhost", None)) >= 43
    assert validate_token("localhost", None) != validate_token("localhost", None)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org"])
def test_non_loopback_host_requires_an_explicit_token(host: str) -> None:
    with pytest.raises(UsageError, match="gives other machines access"):
        validate_token(host, None)
    assert validate_token(host, "sixteen-letters.") == "sixteen-letters."


@pytest.mark.parametrize("token", ["", "fifteen-letters", "sixteen letters;", "sechzehn-größen-"])
def test_short_or_unsafe_token_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="a token must have at least 16 characters"):
        validate_token("127.0.0.1", token)
