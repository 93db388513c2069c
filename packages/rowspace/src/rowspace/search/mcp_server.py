"""An index as a server of the Model Context Protocol, by its official SDK."""

from typing import TYPE_CHECKING, Annotated, Any

from rowspace.errors import MissingExtraError, RowspaceError
from rowspace.search.index import Index
from rowspace.search.search import Hit

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp_types import GetPromptResult

__all__ = ["make_server"]


def make_server(index: Index) -> "MCPServer[None]":
    """Return a server with the tool `search(query, k, path)`, which sees later updates of the index.

    Args:
        index: An open index.

    Returns:
        The server; its `run("stdio")` serves until standard input ends.

    Raises:
        MissingExtraError: If the SDK is not installed.
    """
    try:
        from mcp.server.mcpserver import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.shared.exceptions import MCPError
        from mcp_types import INVALID_PARAMS
        from pydantic import Field
    except ImportError as error:
        raise MissingExtraError("rowspace mcp needs the MCP SDK: pip install 'rowspace[search]'") from error

    class Server(MCPServer[None]):
        """A server without prompts, whose SDK would log an error with a traceback for a request of one."""

        async def get_prompt(self, name: str, *_: Any, **__: Any) -> "GetPromptResult":
            """Answer with an error."""
            raise MCPError(INVALID_PARAMS, f"there is no prompt {name[:40]!r}; this server has the tool search")

    server = Server(
        "rowspace",
        log_level="WARNING",  # below, the SDK repeats what a client has sent
        instructions="Searches a local index of files by meaning and by words. Passages have their file and lines.",
    )

    def search(
        query: Annotated[str, Field(description="Words, identifiers or a question.")],
        k: Annotated[int, Field(description="How many passages.", ge=1, le=100)] = 5,
        path: Annotated[str | None, Field(description="Only files that match, such as *.md or docs/")] = None,
    ) -> str:
        """Find passages in the indexed files; each has its path, lines, heading or function, and text."""
        try:
            hits = index.search(query, k=k, path=path)
        except RowspaceError as error:
            raise ToolError(str(error)) from error
        return "\n\n".join(map(_passage, hits)) or "nothing found"

    server.tool()(search)
    return server


def _passage(hit: Hit) -> str:
    return f"{hit.path}:{hit.first_line}-{hit.last_line} {hit.name}".rstrip() + f"\n{hit.text}"
