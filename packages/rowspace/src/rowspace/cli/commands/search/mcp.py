"""`rowspace mcp`: an index as a search tool for coding agents."""

from typing import Annotated

import typer

from rowspace.cli.commands.search.search import bridge_sentence
from rowspace.cli.output import message

__all__ = ["mcp"]


def mcp(
    path: Annotated[str, typer.Argument(metavar="INDEX", help="An index of rowspace index: a folder, or s3://...")],
    *,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="The table or sentence encoder, if it was moved, or one with a bridge to the index.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Serve an index as a tool for coding agents (MCP).

    The server speaks the Model Context Protocol on standard input and output. An agent that is configured with this
    command starts it and has the tool search(query, k, path, where). The index is updated when its files have changed.

    Example:
      rowspace mcp my-index
      rowspace mcp my-index --table my-table
    """
    from rowspace.search import Index
    from rowspace.search.mcp_server import make_server

    index = Index.open(path, table)
    if index.bridge is not None:
        message(bridge_sentence(index.bridge))
    make_server(index).run("stdio")
