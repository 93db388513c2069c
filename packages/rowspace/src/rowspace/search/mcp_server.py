"""An index as a server of the Model Context Protocol, by its official SDK."""

import json
import sys
import threading
import time
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rowspace.errors import MissingExtraError, RowspaceError
from rowspace.search.index import Index
from rowspace.search.ranking.scores import Hit
from rowspace.search.reading.files import CHANGES, RECORD_CHANGES, Change, FileTime, file_time, times_of_files
from rowspace.search.storage.dataset import is_remote

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp_types import GetPromptResult, JSONRPCError

__all__ = ["Refresher", "make_server"]


class Refresher:
    """Updates an index when files have changed, at the first call and then after a comparison of sizes and times.

    An index in an object store, which has no lock, is left as it is.

    Args:
        index: An open index.
        seconds: The least time between two comparisons.
    """

    def __init__(self, index: Index, *, seconds: float = 3.0) -> None:
        self._index, self._seconds = index, seconds
        self._times: dict[str, FileTime | None] | None = None
        self._compared = float("-inf")
        self._running = threading.Lock()

    def refresh(self) -> None:
        """Bring the index up to date, unless another process or call is doing it, or a folder of it is missing."""
        if is_remote(self._index.path) or not self._running.acquire(blocking=False):
            return
        try:
            if time.monotonic() - self._compared >= self._seconds:
                with suppress(RowspaceError):  # locked, read-only, or another table: the old passages are searched
                    self._update()
                self._compared = time.monotonic()
        finally:
            self._running.release()

    def _update(self) -> None:
        if self._times is not None and all(file_time(path) == known for path, known in self._times.items()):
            return
        roots = self._index.settings.roots
        if not all(Path(root).exists() for root in roots):  # such as a drive that is not there
            return
        times = times_of_files(roots)  # before the update, so that a change meanwhile is found next time
        self._index.update()
        self._times = times


_DEFAULT_K = 5
_ARGUMENTS = {
    "query": "text: words, identifiers or a question",
    "k": "a whole number from 1 to 100",
    "path": "a pattern such as *.md or docs/",
    "where": "a condition such as year>=1999, or a list of conditions",
}
_NOT_JSON: Any = {"code": -32700, "message": "the line is not JSON in UTF-8"}
_NOT_A_MESSAGE: Any = {"code": -32600, "message": "the line is no message of JSON-RPC 2.0"}


def make_server(index: Index, *, seconds: float = 3.0) -> "MCPServer[None]":
    """Return a server with the tool `search(query, k, path, where)`; it updates the index when its files have changed.

    Args:
        index: An open index.
        seconds: The least time between two comparisons of the files with the index.

    Returns:
        The server; its `run("stdio")` serves until standard input ends.

    Raises:
        MissingExtraError: If the SDK is not installed.
    """
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.server.stdio import stdio_server
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS
        from pydantic import BeforeValidator, Field, ValidationError
    except ImportError as error:
        raise MissingExtraError("rowspace mcp needs the MCP SDK: pip install 'rowspace[search]'") from error

    class Server(MCPServer[None]):
        """A server that also answers what is no message, wrong arguments, and requests of a prompt."""

        async def run_stdio_async(self) -> None:
            """Serve until standard input ends."""
            lines = _Lines()
            async with stdio_server(stdin=lines) as (read, write):  # type: ignore[arg-type]  # it only iterates
                lines.replies = write
                inner = self._lowlevel_server
                await inner.run(read, write, inner.create_initialization_options())

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            """Call a tool; say in a sentence which argument is wrong."""
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                if isinstance(wrong := error.__cause__, ValidationError):
                    argument = str(wrong.errors()[0]["loc"][0])
                    raise ToolError(f"{argument} must be {_ARGUMENTS[argument]}") from wrong
                raise

        async def get_prompt(self, name: str, *_: Any, **__: Any) -> "GetPromptResult":
            """Answer with an error."""
            raise MCPError(INVALID_PARAMS, f"there is no prompt {name[:40]!r}; this server has the tool search")

    server = Server(
        "rowspace",
        version=version("rowspace"),
        log_level="WARNING",  # below, the SDK repeats what a client has sent
        instructions="Searches a local index of files or records by meaning and by words.",
    )

    refresher = Refresher(index, seconds=seconds)

    def search(
        query: Annotated[str, Field(description="Words, identifiers or a question.")],
        k: Annotated[
            Annotated[int, Field(ge=1, le=100)] | None,
            BeforeValidator(_none_if_empty),
            Field(description="How many passages."),
        ] = _DEFAULT_K,
        path: Annotated[str | None, Field(description="Only files that match, such as *.md or docs/")] = None,
        where: Annotated[
            list[str] | str | None,
            Field(description="Of an index of records: conditions on columns, such as year>=1999; = != < <= > >="),
        ] = None,
    ) -> str:
        """Find passages in the indexed files or records; each has its path or id, lines or metadata, and text."""
        refresher.refresh()
        try:
            hits = index.search(query, k=k or _DEFAULT_K, path=path or None, where=where or None)
            if not hits:
                return f"nothing found: {index.why_nothing(query, path=path or None, where=where or None)}"
            changes = index.changes(hits)
        except RowspaceError as error:
            raise ToolError(str(error)) from error
        return "\n\n".join(_passage(hit, changes.get(hit.path)) for hit in hits)

    server.tool()(search)
    return server


def _none_if_empty(value: Any) -> Any:
    """Return None, which is the default, for the empty string of a client that fills in all arguments."""
    return None if value == "" else value


class _Lines:
    """The lines of standard input that are messages; others are answered with an error.

    Attributes:
        replies: Where errors are sent.
    """

    replies: Any

    def __init__(self) -> None:
        import anyio

        self._lines = anyio.wrap_file(sys.stdin.buffer)

    def __aiter__(self) -> "_Lines":
        return self

    async def __anext__(self) -> str:
        from mcp.shared.message import SessionMessage

        while line := bytes(await self._lines.readline()):
            if not line.strip():
                continue
            if (error := _error_of(line)) is None:
                return line.decode()
            await self.replies.send(SessionMessage(error))
        raise StopAsyncIteration


def _error_of(line: bytes) -> "JSONRPCError | None":
    """Return the error of JSON-RPC for a line that is no message; None for one that is."""
    import mcp_types as types
    from pydantic import ValidationError

    number, has_id = None, False
    try:
        message = json.loads(line.decode())
        number = message.get("id") if isinstance(message, dict) else None
        has_id = type(number) in (int, str)
        types.jsonrpc_message_adapter.validate_json(line, by_name=False)
        if has_id or "id" not in message or "method" not in message:
            return None
        error = _NOT_A_MESSAGE
    except ValidationError:
        error = _NOT_A_MESSAGE
    except (ValueError, RecursionError):
        error = _NOT_JSON
    return types.JSONRPCError(jsonrpc="2.0", id=number if has_id else None, error=types.ErrorData(**error))


def _passage(hit: Hit, change: Change | None) -> str:
    if hit.metadata is not None:
        values = [json.dumps(hit.metadata, ensure_ascii=False)] if hit.metadata else []
        place = f"{hit.location} {hit.name}".rstrip()
        return "\n".join([place + (RECORD_CHANGES[change] if change else ""), *values, hit.text])
    place = f"{hit.path}:{hit.first_line}-{hit.last_line} {hit.name}".rstrip()
    return f"{place}{CHANGES[change] if change else ''}\n{hit.text}"
