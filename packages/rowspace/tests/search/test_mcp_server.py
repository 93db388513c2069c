"""The MCP server, called by the SDK's own client."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from tests.search.samples import make_table

import rowspace
from rowspace.encode import Encoder
from rowspace.search import Index
from rowspace.search.mcp_server import make_server
from rowspace.search.places import writing


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
        {"query": None},
        {},
    )
    assert [tool.name for tool in tools] == ["search"]
    assert set(tools[0].input_schema["properties"]) == {"query", "k", "path", "where"}
    text = (folder / "guide.md").read_text().rstrip()
    assert found == (False, f"{folder}/guide.md:1-7 Guide, Guide > Install\n{text}")
    assert filtered[1].startswith(f"{folder}/src/parse.py:1-3 parse_header\n")
    assert nothing == (False, "nothing found: no file matches path")
    assert [failed for failed, _ in wrong] == [True] * 6
    no_query = "query must be text: words, identifiers or a question"
    assert "path must be a pattern such as '*.md'" in wrong[0][1]
    assert [text for _, text in wrong[3:]] == ["k must be a whole number from 1 to 100", *[no_query] * 2]
    assert call(server, {"query": "a", "path": 3}, {"query": "a", "where": [1]})[1] == [
        (True, "path must be a pattern such as *.md or docs/"),
        (True, "where must be a condition such as year>=1999, or a list of conditions"),
    ]


def test_empty_arguments_are_the_defaults(folder, encoder, tmp_path):
    """Some clients fill in every argument of a tool."""
    server = make_server(Index.build(folder, encoder, tmp_path / "index"))
    plain = {"query": "Install package pip"}
    _, (expected, *found) = call(
        server, plain, *(plain | {"k": empty, "path": empty, "where": empty} for empty in (None, ""))
    )
    assert found == [expected] * 2
    assert expected[0] is False


def test_records_are_filtered_and_have_their_metadata(encoder, tmp_path):
    records = [{"id": n, "text": "Roses need water.", "year": 1990 + n, "kind": "rose"} for n in range(9)]
    server = make_server(Index.build_records(records, encoder, tmp_path / "index"))
    roses = {"query": "roses"}
    _, (one, several, wrong) = call(
        server,
        roses | {"where": "year=1995"},
        roses | {"where": ["year>=1992", "year<1994"]},
        roses | {"where": "size=1"},
    )
    assert one == (False, '5\n{"kind": "rose", "year": 1995}\nRoses need water.')
    assert [part.partition("\n")[0] for part in several[1].split("\n\n")] == ["2", "3"]
    assert wrong[0] is True
    assert "the index has no column 'size'; it has 'id', 'kind', 'year'" in wrong[1]


def test_records_of_a_file_that_cannot_be_read_are_marked(encoder, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "a", "text": "Roses need water."}')
    server = make_server(Index.build_records(file, encoder, tmp_path / "index"), seconds=0)
    roses = {"query": "roses"}
    assert call(server, roses)[1][0] == (False, "a\nRoses need water.")
    file.write_text("{")
    changed = "a  [a file of the records has changed since it was indexed]\nRoses need water."
    assert call(server, roses)[1][0] == (False, changed)
    file.unlink()
    assert call(server, roses)[1][0] == (False, changed.replace("has changed", "is gone"))


def test_an_answer_has_the_files_as_they_are(folder, encoder, tmp_path):
    index = Index.build(folder, encoder, tmp_path / "index")
    server = make_server(index, seconds=0)
    roses, crocus = {"query": "roses", "k": 1}, {"query": "crocus", "k": 1}
    assert call(server, crocus)[1][0][1].partition("\n")[2] != "A crocus."
    (folder / "new").mkdir()
    (folder / "new" / "crocus.txt").write_text("A crocus.")
    assert call(server, crocus)[1] == [(False, f"{folder}/new/crocus.txt:1-1\nA crocus.")]
    (folder / "new" / ".gitignore").write_text("crocus.txt")
    assert "crocus.txt" not in call(server, crocus)[1][0][1]
    with writing(index.path):  # another process
        (folder / "garden.txt").write_text("No roses here.")
        found = call(server, roses)[1][0][1].split("\n")
        assert found[0].endswith("garden.txt:1-3  [the file has changed since it was indexed]")
        (folder / "garden.txt").unlink()
        assert "[the file is gone since it was indexed]" in call(server, roses)[1][0][1]
    assert "garden.txt" not in call(server, roses)[1][0][1]
    folder.rename(tmp_path / "elsewhere")  # such as a drive that is not there
    before = len(index)
    assert "[the file is gone since it was indexed]" in call(server, {"query": "Install package pip"})[1][0][1]
    assert len(index) == before


def test_files_are_compared_every_few_seconds_only(folder, encoder, tmp_path):
    server = make_server(Index.build(folder, encoder, tmp_path / "index"), seconds=3600)
    call(server, {"query": "roses"})
    (folder / "crocus.txt").write_text("A crocus.")
    assert "A crocus." not in call(server, {"query": "crocus"})[1][0][1]


def saved(folder, path):
    """Make an index with a table on disk."""
    make_table().save(path / "table")
    Index.build(folder, Encoder.load(path / "table"), path / "index", table=path / "table")
    return path / "index"


GUIDE = Path(__file__).parents[4] / "docs" / "guides" / "search.md"

# How each client reads its file: the key of the servers, and the parser.
CLIENTS = {
    "Claude Code": ("mcpServers", json.loads),
    "Cursor": ("mcpServers", json.loads),
    "VS Code": ("servers", json.loads),
    "Codex": ("mcp_servers", tomllib.loads),
    "Zed": ("context_servers", json.loads),
}


@pytest.mark.long
def test_each_configuration_of_the_guide_starts_the_server(folder, tmp_path, monkeypatch):
    index = saved(folder, tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert shutil.which("rowspace")
    monkeypatch.chdir("/")  # a client may start in any folder
    text, commands = GUIDE.read_text().partition("## Coding agents")[2], set()
    for name, (key, parse) in CLIENTS.items():
        block = re.search(rf"^\*\*{name}\*\*.*?```\w+\n(.*?)```", text, re.DOTALL | re.MULTILINE)[1]
        (entry,) = parse(block.replace("/home/me/my-index", str(index)))[key].values()
        assert set(entry) <= {"type", "command", "args"}, name
        assert entry.get("type", "stdio") == "stdio", name
        commands.add((entry["command"], *entry["args"]))
    ((command, *arguments),) = commands  # all clients start the same one
    server = StdioServerParameters(command=command, args=arguments)  # with the few variables of a client
    _, (found,) = call(server, {"query": "bulbs in autumn", "k": 1})
    assert found[1].endswith("Plant bulbs in autumn.")


def test_command_over_standard_input_and_output(folder, tmp_path):
    saved(folder, tmp_path)
    arguments = ["-m", "rowspace", "mcp", str(tmp_path / "index")]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    _, (found,) = call(server, {"query": "bulbs in autumn", "k": 1})
    assert found == (False, f"{folder}/page.html:1-1 Bulbs\nBulbs\nPlant bulbs in autumn.")


def test_hostile_messages_are_answered_without_a_traceback(folder, tmp_path):
    saved(folder, tmp_path)
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
    junk = {
        b"{": (-32700, None),
        b"\xff": (-32700, None),
        b"[" * 5000: (-32700, None),
        b"\0": (-32700, None),
        b"[]": (-32600, None),
        b"null": (-32600, None),
        b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}': (-32600, None),
        b'{"jsonrpc": "2.0", "id": null, "method": "ping"}': (-32600, None),
        b'{"jsonrpc": "1.0", "id": "a", "method": "ping"}': (-32600, "a"),
        b'{"jsonrpc": "2.0", "id": 900, "method": 5}': (-32600, 900),
    }
    with subprocess.Popen(
        [sys.executable, "-m", "rowspace", "mcp", str(tmp_path / "index")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as server:
        server.stdin.write(b"\n".join([lines[0], *junk, b"", *lines[1:]]) + b"\n")
        server.stdin.flush()
        answers, errors = {}, []
        while len(answers) < len(requests) or len(errors) < len(junk):
            answer = json.loads(server.stdout.readline())
            if answer["id"] in range(1, len(requests) + 1):
                answers[answer["id"]] = answer
            else:
                errors.append((answer["error"]["code"], answer["id"]))
        server.stdin.close()
        log = server.stderr.read().decode()
    assert errors == list(junk.values())
    assert answers[1]["result"]["serverInfo"]["version"] == rowspace.__version__
    assert answers[2]["error"]["message"] == "there is no prompt 'secret'; this server has the tool search"
    assert "Plant bulbs in autumn" in answers[len(requests)]["result"]["content"][0]["text"]
    assert "Traceback" not in log
    assert "xxxx" not in log  # what a client sends is not repeated
