"""The MCP server, called by the SDK's own client."""

import json
import os
import subprocess
import sys

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.search.samples import make_table

from rowspace.encode import Encoder
from rowspace.search import Index
from rowspace.search.mcp_server import make_server


def call(server, *requests):
    """Return the tools of a server, and for each request whether it failed and its text."""

    async def ask():
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            return tools, [await client.call_tool("search", request) for request in requests]

    tools, results = anyio.run(ask)
    return tools, [(bool(result.is_error), result.content[0].text) for result in results]


def test_search_tool(folder, encoder, tmp_path):
    server = make_server(Index.build(folder, encoder, tmp_path / "index"))
    tools, (found, filtered, nothing, *wrong) = call(
        server,
        {"query": "Install package pip", "k": 1},
        {"query": "Install package pip", "path": "*.py"},
        {"query": "water", "path": "*.none"},
        {"query": "water", "path": "!"},
        {"query": "water", "path": "[["},
        {"query": "a" * 200_000},
        {"query": "water", "k": 0},
        {},
    )
    assert [tool.name for tool in tools] == ["search"]
    assert set(tools[0].input_schema["properties"]) == {"query", "k", "path"}
    text = (folder / "guide.md").read_text().rstrip()
    assert found == (False, f"{folder}/guide.md:1-7 Guide, Guide > Install\n{text}")
    assert filtered[1].startswith(f"{folder}/src/parse.py:1-3 parse_header\n")
    assert nothing == (False, "nothing found")
    assert [failed for failed, _ in wrong] == [True] * 5
    assert "path must be a pattern such as '*.md'" in wrong[0][1]


def test_command_over_standard_input_and_output(folder, tmp_path):
    make_table().save(tmp_path / "table")
    Index.build(folder, Encoder.load(tmp_path / "table"), tmp_path / "index", table=tmp_path / "table")
    arguments = ["-m", "rowspace", "mcp", str(tmp_path / "index")]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    _, (found,) = call(server, {"query": "bulbs in autumn", "k": 1})
    assert found == (False, f"{folder}/page.html:1-1 Bulbs\nBulbs\nPlant bulbs in autumn.")


def test_hostile_messages_are_answered_without_a_traceback(folder, tmp_path):
    make_table().save(tmp_path / "table")
    Index.build(folder, Encoder.load(tmp_path / "table"), tmp_path / "index", table=tmp_path / "table")
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    requests = [("initialize", hello), ("prompts/get", {"name": "secret"}), ("resources/read", {"uri": "file:///x"})]
    requests += [("tools/call", {"name": name, "arguments": {}}) for name in ("", "other", None, 5)]
    for name in ("query", "k", "path", "unknown"):
        for value in (None, -1, 10**30, "", "x" * 10_000, [], {}, True, "\ud800", "\0", "../..", "!x"):
            arguments = {"query": "water"} | {name: value}
            requests.append(("tools/call", {"name": "search", "arguments": arguments}))
    requests.append(("tools/call", {"name": "search", "arguments": {"query": "bulbs in autumn", "k": 1}}))
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
        for number, (method, params) in enumerate(requests, 1)
    ]
    junk = [b"{", b"\xff", b"[]", b"[" * 5000, b"null", b"\0", b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}']
    with subprocess.Popen(
        [sys.executable, "-m", "rowspace", "mcp", str(tmp_path / "index")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        server.stdin.write(b"\n".join([lines[0], *junk, *lines[1:]]) + b"\n")
        server.stdin.flush()
        answers = {}
        while len(requests) not in answers:
            answer = json.loads(server.stdout.readline())
            answers[answer.get("id")] = answer
        server.stdin.close()
        log = server.stderr.read().decode()
    assert answers[2]["error"]["message"] == "there is no prompt 'secret'; this server has the tool search"
    assert "Plant bulbs in autumn" in answers[len(requests)]["result"]["content"][0]["text"]
    assert "Traceback" not in log
    assert "xxxx" not in log  # what a client sends is not repeated
