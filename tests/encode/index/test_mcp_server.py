"""The MCP server, called by the SDK's own client."""

import os
import sys

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.encode.index.samples import make_table

from rowspace.encode import Encoder
from rowspace.encode.index import Index
from rowspace.encode.index.mcp_server import make_server


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
