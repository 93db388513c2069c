"""Benchmark of `rowspace serve` compared with a plain server around model2vec; prints Markdown.

    scripts/bench serve                    64 clients, the table of everyday words
    scripts/bench serve --table FOLDER     another table that model2vec opens too

The plain server is Starlette and `StaticModel.encode` in a thread pool, as its users write it. Both servers have one
process and the same settings of uvicorn, run alternately, and answer the same client in this process, which checks that
they send the same vectors. Requests come from 64 connections that each send the next one when a reply has arrived. Each
side shows requests per second; the median and the 99th percentile of the latency; and the processor time of the server
per request.
"""

import argparse
import asyncio
import base64
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from importlib.metadata import version
from pathlib import Path
from pydoc_data.topics import topics
from urllib.parse import urlsplit

import numpy as np

NAME = "table"


def plain_server(path):
    """Run the server that is compared with, on a free port."""
    from model2vec import StaticModel
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    from rowspace.serve.server import listen, run

    model = StaticModel.from_pretrained(path)

    async def embeddings(request):
        asked = await request.json()
        vectors = await run_in_threadpool(model.encode, asked["input"])
        if asked["encoding_format"] == "base64":
            sent = [base64.b64encode(vector.tobytes()).decode() for vector in vectors]
        else:
            sent = vectors.tolist()
        data = [{"object": "embedding", "index": number, "embedding": one} for number, one in enumerate(sent)]
        return JSONResponse({"object": "list", "data": data, "model": asked["model"], "usage": {}})

    listener = listen("127.0.0.1", 0)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", flush=True)
    run(Starlette(routes=[Route("/v1/embeddings", embeddings, methods=["POST"])]), listener)


class Server:
    """A server in a separate process, which prints its URL first."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        url = urlsplit(self.process.stdout.readline().strip())
        self.address = url.hostname, url.port

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with self.process:
            self.process.terminate()

    def cpu_seconds(self):
        """Return the processor time of the process so far, which other work on the machine does not change much."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def request(self, texts, form):
        """Return the bytes of a request."""
        body = json.dumps({"model": NAME, "input": texts, "encoding_format": form}).encode()
        host = ":".join(map(str, self.address))
        return f"POST /v1/embeddings HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def reply_to(request, reader, writer):
    """Send a request and return the body of the reply."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    if not head.startswith(b"HTTP/1.1 200"):
        sys.exit(f"a request failed: {head!r}")
    size = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
    return await reader.readexactly(size)


async def load(server, requests, options):
    """Let all clients send requests; return requests per second, ms of processor time of each, and latencies in ms."""
    latencies, end = [], time.perf_counter() + options.seconds

    async def client(number):
        reader, writer = await asyncio.open_connection(*server.address, limit=1 << 26)
        while time.perf_counter() < end:
            began = time.perf_counter()
            await reply_to(requests[number % len(requests)], reader, writer)
            latencies.append(1e3 * (time.perf_counter() - began))
            number += options.clients
        writer.close()

    began, used = time.perf_counter(), server.cpu_seconds()
    await asyncio.gather(*map(client, range(options.clients)))
    used = 1e3 * (server.cpu_seconds() - used) / len(latencies)
    return len(latencies) / (time.perf_counter() - began), used, latencies


async def vectors_of(server, texts, form):
    reader, writer = await asyncio.open_connection(*server.address, limit=1 << 26)
    reply = json.loads(await reply_to(server.request(texts, form), reader, writer))
    writer.close()
    sent = [item["embedding"] for item in reply["data"]]
    if form == "base64":
        return np.array([np.frombuffer(base64.b64decode(one), "<f4") for one in sent])
    return np.array(sent, np.float32)


def same_vectors(servers, texts, form):
    """Check that both servers send the same vectors, up to their length, which rowspace scales to 1."""
    ours, theirs = (asyncio.run(vectors_of(server, texts, form)) for server in servers)
    theirs /= np.maximum(np.linalg.norm(theirs, axis=1, keepdims=True), 1e-30)
    if not np.allclose(ours, theirs, atol=1e-6):
        sys.exit(f"the vectors differ by {np.abs(ours - theirs).max()}")


def compare(name, servers, batches, form, options):
    """Print a row: both servers in turn, `--times` times."""
    same_vectors(servers, batches[0], form)
    speeds, costs, latencies = ([], []), ([], []), ([], [])
    for turn in range(options.times + 1):
        for side, server in enumerate(servers):
            speed, cost, found = asyncio.run(load(server, [server.request(batch, form) for batch in batches], options))
            if turn:  # the first turn warms up
                speeds[side].append(speed)
                costs[side].append(cost)
                latencies[side].append(np.percentile(found, [50, 99]))
    cells = [name]
    for side in (0, 1):
        p50, p99 = np.median(latencies[side], axis=0)
        cost = statistics.median(costs[side])
        cells.append(f"{statistics.median(speeds[side]):,.0f}; {p50:.0f}, {p99:.0f} ms; {cost:.2f} ms")
    cells += [ratio(*speeds), ratio(*reversed(costs))]
    print(f"| {' | '.join(cells)} |", flush=True)


def ratio(over, under):
    """Return the median of ratios with its range."""
    found = [one / other for one, other in zip(over, under, strict=True)]
    return f"**{statistics.median(found):.1f}×** ({min(found):.1f}–{max(found):.1f})"


def everyday_table(folder):
    """Save the table of everyday words, and return its path."""
    from rowspace.learn.default_table import encoder_folder
    from rowspace.store import load as load_table

    path = Path(folder, NAME)
    load_table(encoder_folder()).save(path)
    return path


def sentences():
    """Return real sentences of a usual length: those of the topics of Python's `help()`."""
    found = " ".join(" ".join(topics.values()).split()).split(". ")
    return [sentence for sentence in found if 40 <= len(sentence) <= 200]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", help="a folder of model2vec or rowspace; default: the table of everyday words")
    parser.add_argument("--clients", type=int, default=64, help="connections")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--times", type=int, default=5, help="measurements of each server")
    parser.add_argument("--plain-server", metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.plain_server:
        plain_server(options.plain_server)
        return
    names = ("rowspace", "model2vec", "starlette", "uvicorn", "tokenizers", "numpy")
    versions = ", ".join(f"{name} {version(name)}" for name in names)
    print(
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the "
        f"start, Python {platform.python_version()}, {versions}; {options.clients} clients\n"
    )
    print("| request | rowspace | Starlette and model2vec | requests/s | processor time |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = str(options.table or everyday_table(folder))
        ours = (sys.executable, "-m", "rowspace", "serve", path, "--port", "0", "--name", NAME)
        theirs = (sys.executable, __file__, "--plain-server", path)
        servers = [stack.enter_context(Server(*command)) for command in (ours, theirs)]
        texts = sentences()
        for size in (1, 32):
            batches = [texts[first : first + size] for first in range(0, len(texts) - size + 1, size)]
            what = "1 sentence" if size == 1 else f"{size} sentences"
            for form in ("base64", "float"):
                compare(f"{what}, {form}", servers, batches, form, options)


if __name__ == "__main__":
    main()
