"""The server as a separate process, by the official client of OpenAI, and ended by signals."""

import asyncio
import json
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np
import openai
import pytest
from tests.cli.commands.servers.server_process import ServerProcess, Start, starter

import rowspace as rs
from rowspace.text import whitespace_json

KEY = "a-key-of-20-letters-"
WORDS = [f"word{number}" for number in range(50)]


@pytest.fixture(scope="module")
def words_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("tables") / "words")
    rs.Table(WORDS, np.eye(50, dtype=np.float32), tokenizer=whitespace_json(WORDS)).save(path)
    return path


class Server(ServerProcess):
    """A running `rowspace serve`, with the first message that it printed."""

    command = ("serve", "--port", "0")

    def __init__(self, *arguments: str, **environment: str) -> None:
        super().__init__(*arguments, **environment)
        self.message = self.process.stderr.readline()
        self.url = json.loads(self.line)["url"] if self.line.startswith("{") else self.line

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.url.removeprefix("http://").removesuffix("/v1").rpartition(":")
        return host, int(port)

    def client(self, key: str = "none", **options: Any) -> openai.OpenAI:
        return openai.OpenAI(base_url=self.url, api_key=key, timeout=60, **options)


@pytest.fixture
def start() -> Iterator[Start]:
    yield from starter(Server)


def ones(vector: list[float]) -> list[int]:
    """The dimensions that are not zero: the words of the text."""
    return np.flatnonzero(vector).tolist()


def test_printed_url_serves_the_table(start: Start, words_path: str) -> None:
    server = start(words_path)
    assert server.line == f"http://127.0.0.1:{server.address[1]}/v1"
    assert server.message == "rowspace: serving 'words', 50 dimensions; press Ctrl-C to stop\n"
    with server.client() as client:
        assert [model.id for model in client.models.list()] == ["words"]
        reply = client.embeddings.create(model="words", input=["word3", "word1 word2"])
    assert [ones(item.embedding) for item in reply.data] == [[3], [1, 2]]


def test_tables_at_a_url_and_of_the_hub_are_served(start: Start, words_path: str, tmp_path: Path) -> None:
    (tmp_path / "models--org--name" / "refs").mkdir(parents=True)
    (tmp_path / "models--org--name" / "refs" / "main").write_text("commit")
    shutil.copytree(words_path, tmp_path / "models--org--name" / "snapshots" / "commit")
    for path, name in ((f"file://{words_path}", "words"), ("org/name", "name")):
        server = start(path, XDG_CACHE_HOME=str(tmp_path / "cache"), HF_HUB_CACHE=str(tmp_path))
        assert server.message == f"rowspace: serving {name!r}, 50 dimensions; press Ctrl-C to stop\n"
        with server.client() as client:
            assert client.models.retrieve(name).created > 0


def test_name_and_key_are_as_given(start: Start, words_path: str, tmp_path: Path) -> None:
    (tmp_path / "key.txt").write_text(f"{KEY}\n")
    server = start(words_path, "--key-file", str(tmp_path / "key.txt"), "--name", "my/model", "--json")
    assert json.loads(server.line) == {"url": server.url, "model": "my/model", "dimensions": 50}
    with server.client(KEY) as client, server.client("a-wrong-key-of-letters") as other:
        assert ones(client.embeddings.create(model="my/model", input="word3").data[0].embedding) == [3]
        assert client.models.retrieve("my/model").id == "my/model"
        with pytest.raises(openai.AuthenticationError, match="the API key is wrong") as caught:
            other.embeddings.create(model="my/model", input="word3")
    assert caught.value.code == "invalid_api_key"


def test_vectors_have_length_1_unless_normalize_is_off(start: Start, words_path: str) -> None:
    for arguments, expected in (((), 1), (("--no-normalize",), 0.5**0.5)):  # the mean of two unit vectors
        server = start(words_path, *arguments)
        with server.client() as client:
            reply = client.embeddings.create(model="words", input="word1 word2")
        assert np.linalg.norm(reply.data[0].embedding) == pytest.approx(expected)


def test_key_of_the_environment_opens_other_addresses(start: Start, words_path: str) -> None:
    server = start(words_path, "--host", "0.0.0.0", ROWSPACE_SERVE_KEY=KEY)
    assert server.url.startswith(f"http://{socket.gethostname()}:")
    with openai.OpenAI(base_url=f"http://127.0.0.1:{server.address[1]}/v1", api_key=KEY) as client:
        assert ones(client.embeddings.create(model="words", input="word3").data[0].embedding) == [3]


@pytest.mark.long
def test_64_clients_get_their_own_vectors_while_large_requests_run(start: Start, words_path: str) -> None:
    server = start(words_path)
    large = [f"word{number % 50} word7" for number in range(2000)]

    async def ask(client: openai.AsyncOpenAI, number: int) -> list[list[int]]:
        found = []
        for _ in range(2):
            reply = await client.embeddings.create(model="words", input=[f"word{number % 50}", "word7"])
            found.append([ones(item.embedding) for item in reply.data])
        return found

    async def ask_all() -> tuple[list[Any], list[Any]]:
        async with openai.AsyncOpenAI(base_url=server.url, api_key="none", timeout=60) as client:
            heavy = [client.embeddings.create(model="words", input=large, encoding_format="float") for _ in range(2)]
            small = [ask(client, number) for number in range(64)]
            return await asyncio.gather(*heavy), await asyncio.gather(*small)

    heavy, small = asyncio.run(ask_all())
    for reply in heavy:
        assert [ones(item.embedding) for item in reply.data] == [sorted({number % 50, 7}) for number in range(2000)]
    assert small == [[[[number % 50], [7]]] * 2 for number in range(64)]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_finishes_the_request_under_way(number: signal.Signals, start: Start, words_path: str) -> None:
    """The signal comes after 100 Continue and before the body, which takes longer than a stop without requests."""
    server = start(words_path)
    texts = [f"word{number % 50} " * 100 for number in range(2000)]
    body = json.dumps({"model": "words", "input": texts, "encoding_format": "float"}).encode()
    head = f"POST /v1/embeddings HTTP/1.1\r\nHost: {server.address[0]}:{server.address[1]}\r\n"
    head += f"Expect: 100-continue\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(server.address, timeout=60) as connection, connection.makefile("rb") as answer:
        connection.sendall(head.encode())
        assert answer.readline() == b"HTTP/1.1 100 Continue\r\n"
        server.process.send_signal(number)
        assert server.process.stderr.readline().startswith("rowspace: stopping: finishing the requests in progress")
        connection.sendall(body)
        reply = answer.read()
    assert b"HTTP/1.1 200 OK" in reply
    data = json.loads(reply.rpartition(b"\r\n\r\n")[2])["data"]
    assert [ones(item["embedding"]) for item in data] == [[number % 50] for number in range(2000)]
    assert server.process.communicate(timeout=60)[1] == ""
    assert server.process.returncode == 0
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.address, timeout=60)


@pytest.mark.long
def test_second_interrupt_stops_at_once(start: Start, words_path: str) -> None:
    server = start(words_path)
    connection = HTTPConnection(*server.address, timeout=60)
    connection.putrequest("POST", "/v1/embeddings")
    connection.putheader("Content-Length", "100")
    connection.putheader("Expect", "100-continue")
    connection.endheaders()
    assert connection.sock.recv(100).startswith(b"HTTP/1.1 100")
    server.process.send_signal(signal.SIGINT)
    assert "stopping" in server.process.stderr.readline()
    assert server.ended(signal.SIGINT)[0] == 0
    connection.close()


@pytest.mark.long
def test_idle_server_ends_at_a_signal_with_status_0(start: Start, words_path: str) -> None:
    server = start(words_path)
    with server.client() as client:
        client.embeddings.create(model="words", input="word3")
        assert server.ended(signal.SIGTERM) == (0, "")  # despite the connection that the client keeps


def test_wrong_usage_is_reported_before_the_table_is_opened(run: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "short.txt").write_text("short")
    (tmp_path / "bytes.txt").write_bytes(b"\xff" * 50)
    cases = [
        (["--name", ""], "--name is empty; give a name by which clients request the model"),
        (["--host", "0.0.0.0"], "--host 0.0.0.0 gives other machines access: add a key, by --key-file or ROWSPACE"),
        (["--key-file", str(tmp_path / "short.txt")], f"the key in {tmp_path / 'short.txt'} must have at least 16"),
        (["--key-file", str(tmp_path / "bytes.txt")], f"the key in {tmp_path / 'bytes.txt'} must have at least 16"),
        (["--host", "no such host.invalid", "--key-file", "KEY"], "'no such host.invalid' is not an address"),
        (["--host", "192.0.2.1", "--key-file", "KEY"], "cannot listen on 192.0.2.1: "),
    ]
    (tmp_path / "key.txt").write_text(KEY)
    for arguments, message in cases:
        given = [str(tmp_path / "key.txt") if argument == "KEY" else argument for argument in arguments]
        assert run("serve", "no-such-table", *given, status=2).stderr.startswith(f"rowspace: {message}"), arguments
    assert "there is no file or folder 'no-such-table'" in run("serve", "no-such-table", "--port", "0", status=2).stderr


def test_missing_key_file_gives_a_message(run: Callable[..., Any]) -> None:
    answer = run("serve", "no-such-table", "--key-file", "no-such-file", status=1)
    assert answer.stderr == "rowspace: 'no-such-file': No such file or directory; check the path and its permissions\n"


def test_short_key_of_the_environment_is_refused(command: Callable[..., Any], words_path: str) -> None:
    answer = command("serve", words_path, status=2, env={"ROWSPACE_SERVE_KEY": ""})
    assert answer.stderr.startswith("rowspace: ROWSPACE_SERVE_KEY must have at least 16 characters")


def test_port_in_use_gives_a_message(run: Callable[..., Any], words_path: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        messages = run("serve", words_path, "--port", str(port), status=2).stderr
    assert messages == f"rowspace: port {port} is in use; choose another one with --port\n"


def test_table_without_a_tokenizer_is_refused(run: Callable[..., Any], tmp_path: Path) -> None:
    rs.Table(["a"], np.ones((1, 2), np.float32)).save(tmp_path / "plain.bin")
    assert "this table has no tokenizer" in run("serve", str(tmp_path / "plain.bin"), "--port", "0", status=2).stderr
