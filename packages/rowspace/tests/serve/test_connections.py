"""More connections than file descriptors: they wait, without a busy process or a long log."""

import socket
import subprocess
import sys
import time

import pytest

SERVER = """
import asyncio, resource, sys
from rowspace.serve import connections, server
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        return await send({"type": "lifespan.shutdown.complete"})
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body"})
if sys.argv[1] == "unlimited":
    connections.connection_limit = lambda: 10_000
connections.SILENT = float(sys.argv[2])
listener = server.listen("127.0.0.1", 0)
print(listener.getsockname()[1], flush=True)
resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))
server.run(app, listener)
"""


@pytest.fixture
def serving(tmp_path):
    """`serving(limit, silent)`: a server with 48 descriptors in a process, and 100 connections to it."""
    opened = []

    def start(limit, silent):
        errors = (tmp_path / "errors").open("wb")
        process = subprocess.Popen(
            [sys.executable, "-c", SERVER, limit, str(silent)], stdout=subprocess.PIPE, stderr=errors, text=True
        )
        opened.extend((errors, process.stdout, process))
        address = ("127.0.0.1", int(process.stdout.readline()))
        clients = [socket.create_connection(address, timeout=30) for _ in range(100)]
        opened.extend(clients)
        return clients

    yield start
    for each in opened:
        if isinstance(each, subprocess.Popen):
            each.kill()
            each.wait()
    for each in opened:
        if not isinstance(each, subprocess.Popen):
            each.close()


def answer(client):
    client.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    return client.recv(100)[:12]


def test_connections_beyond_the_limit_wait_for_a_place(serving, tmp_path):
    clients = serving("limited", 1000)
    assert answer(clients[0]) == b"HTTP/1.1 204"
    for client in clients[:80]:
        client.close()
    assert answer(clients[99]) == b"HTTP/1.1 204"
    assert (tmp_path / "errors").read_text() == ""


def test_silent_connections_do_not_keep_others_out(serving, tmp_path):
    clients = serving("limited", 0.2)
    assert answer(clients[99]) == b"HTTP/1.1 204"
    assert (tmp_path / "errors").read_text() == ""


def test_missing_descriptors_are_logged_once(serving, tmp_path):
    clients = serving("unlimited", 1000)
    assert answer(clients[0]) == b"HTTP/1.1 204"
    time.sleep(2.5)  # several retries
    log = (tmp_path / "errors").read_text()
    assert log.count("\n") == 1
    assert "cannot accept connections (Too many open files); they wait until others are closed" in log
    for client in clients[:80]:
        client.close()
    assert answer(clients[99]) == b"HTTP/1.1 204"
