"""The memory of servers stays flat over many requests, nearly all of them different."""

import statistics
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from tests.cli.commands.servers.server_process import ServerProcess, Start, starter
from tests.memory import resident

import rowspace as rs
from rowspace.text import whitespace_json

REQUESTS = 20_000
STEP = 500  # requests between two samples
THREADS = 4
WORDS = [f"word{number}" for number in range(2_000)]

Send = Callable[[httpx.Client, int], tuple[int, httpx.Response]]


class Served(ServerProcess):
    command = ("serve", "--port", "0", "--name", "words")


class Workbench(ServerProcess):
    command = ("lab", "--no-open")


@pytest.fixture
def serve() -> Iterator[Start]:
    yield from starter(Served)


@pytest.fixture
def workbench() -> Iterator[Start]:
    yield from starter(Workbench)


@pytest.fixture
def words_path(tmp_path) -> str:
    rows = np.random.default_rng(0).normal(size=(len(WORDS), 64)).astype(np.float32)
    rs.Table(WORDS, rows, tokenizer=whitespace_json(WORDS)).save(tmp_path / "words")
    return str(tmp_path / "words")


def megabytes_gained(process: int, new_client: Callable[[], httpx.Client], send: Send) -> float:
    """Return how much more memory a server has in the last quarter of all requests than in the second.

    `send` sends a request of a number, and returns the status that it must have and the response. What a reply needs
    comes and goes, so a quarter has the median of its samples.
    """

    def work(numbers: range) -> None:
        with new_client() as client:
            for number in numbers:
                status, answer = send(client, number)
                assert answer.status_code == status, (number, answer.text[:200])

    def resident_after(first: int) -> int:
        with ThreadPoolExecutor(THREADS) as threads:
            list(threads.map(work, [range(first + thread, first + STEP, THREADS) for thread in range(THREADS)]))
        return resident(process)

    sizes = [resident_after(first) for first in range(0, REQUESTS, STEP)]
    quarter = len(sizes) // 4
    gained = statistics.median(sizes[-quarter:]) - statistics.median(sizes[quarter : 2 * quarter])
    return gained * 1.5 / 1e6  # over 10,000 requests; the bounds are for 15,000


def embed(client: httpx.Client, number: int) -> tuple[int, httpx.Response]:
    """Ask for one text, many, or ids, and for what is refused."""
    words = [WORDS[number * step % len(WORDS)] for step in range(1, 20)]
    texts = [f"{word} {number}" for word in words]
    given = [" ".join(words), texts, [number % 2000, 3], [[5], [number % 2000]]]
    bodies = [(200, {"input": each, "model": "words"}) for each in given]
    bodies += [(200, {"input": texts, "model": "words", "encoding_format": "base64"})]
    bodies += [(400, {"model": f"other{number}"}), (400, {"input": [number + 5_000], "model": "words"})]
    kind = number % (len(bodies) + 2)
    if kind < len(bodies):
        return bodies[kind][0], client.post("/embeddings", json=bodies[kind][1])
    if kind == len(bodies):
        return 400, client.post("/embeddings", content=f"{{{number}")
    return 404, client.get(f"/models/{'unknown' * 9}{number}")


@pytest.mark.long
def test_serve(serve, words_path):
    server = serve(words_path)

    def new_client() -> httpx.Client:
        return httpx.Client(base_url=server.line, timeout=600)

    assert megabytes_gained(server.process.pid, new_client, embed) < 2


def ask(client: httpx.Client, number: int) -> tuple[int, httpx.Response]:
    """Ask for neighbors, rows, and a head of this number, for rows of a typed table, and for what is refused."""
    if number % 500 == 7:
        return 200, client.get(f"/api/input/initial?dim={number // 500 + 1}")
    word = WORDS[number % len(WORDS)]
    paths = [
        (200, f"words/neighbors?word={word}&k={1 + number % 100}"),
        (200, f"words/rows?word={word}"),
        (200, f"order/ranking?word={word}&seed={number}"),
        (400, f"words/rows?word=a&table={'unknown' * 100}{number}"),
        (404, f"unknown/{number}"),
    ]
    kind = number % (len(paths) + 2)
    if kind < len(paths):
        return paths[kind][0], client.get(f"/api/{paths[kind][1]}")
    if kind == len(paths):
        return 200, client.post("/api/tables/typed", content=f"cat 1 {number}\ndog -2 0.5")
    return 403, client.get("/", headers={"Authorization": f"Bearer {number}"})


@pytest.mark.long
def test_lab(workbench, words_path):
    # Arrays of 10 MB come and go. glibc keeps those that are freed, by chance up to 100 MB, unless it has a fixed size
    # from which on it returns them.
    server = workbench(words_path, MALLOC_MMAP_THRESHOLD_="65536")
    base, _, token = server.line.partition("/?token=")

    def new_client() -> httpx.Client:
        return httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=600)

    assert megabytes_gained(server.process.pid, new_client, ask) < 15
