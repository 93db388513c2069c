"""The routes of tables: the list, the text of a table, and new tables from a text.

| request | response |
|---|---|
| `GET /api/tables` | `TablesReply` |
| `GET /api/tables/text?table=ID` | `TableTextReply` |
| `POST /api/tables/typed`, a word and its numbers per line | `OwnTableReply` |
| `POST /api/tables/world?dim=16`, a sentence per line | `OwnTableReply` |
"""

import time
from collections.abc import Callable, Mapping
from typing import Any, cast

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rowspace.errors import UsageError
from rowspace.serve.request import read_body
from rowspace_lab.lab import OPENED
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import MEDIA_TYPE, Reply
from rowspace_lab.server.request import query_parameters
from rowspace_lab.tables.choice import TableChoice
from rowspace_lab.tables.replies import OwnTableReply, TableEntry, TablesReply, TableTextReply
from rowspace_lab.tables.tables import Tables
from rowspace_lab.tables.typed import typed_choice
from rowspace_lab.tables.world import DIM, DIMS, world_choice

__all__ = ["TABLE", "list_tables", "table_routes"]

TABLE = "table"
"""The query parameter with the id of a table."""
MAX_TEXT = 128 << 10  # bytes

Work = Callable[[Tables, Query], Mapping[str, Any]]


def table_routes(tables: Tables) -> list[Route]:
    """Return the routes for these tables."""
    return [
        _route("/api/tables", tables, _list),
        _route("/api/tables/text", tables, _text),
        _route("/api/tables/typed", tables, _typed, MAX_TEXT),
        _route("/api/tables/world", tables, _world, MAX_TEXT),
    ]


def _route(path: str, tables: Tables, work: Work, limit: int = 0) -> Route:
    async def endpoint(request: Request) -> Response:
        query = Query(query_parameters(request), await read_body(request, limit))
        reply = await to_thread.run_sync(work, tables, query, abandon_on_cancel=True)
        return Response(Reply(reply).encode(), media_type=MEDIA_TYPE)

    return Route(path, endpoint, methods=["POST"] if limit else ["GET"])


def _list(tables: Tables, _: Query) -> TablesReply:
    """Return the list of tables."""
    return {"tables": list_tables(tables)}


def list_tables(tables: Tables) -> list[TableEntry]:
    """Return the entries of the list that the page shows."""
    return list(map(_entry, tables.choices()))


def _entry(choice: TableChoice) -> TableEntry:
    return {
        "id": choice.id,
        "also": choice.also,
        "title": choice.title,
        "file": choice.file,
        "sentence": choice.sentence,
        "group": choice.group,
        "editable": choice.own is not None,
    }


def _text(tables: Tables, query: Query) -> TableTextReply:
    """Return the text of a table."""
    choice = tables.choice(query.text(TABLE, OPENED))
    text, dim = ("", None) if choice.own is None else (choice.own.text, choice.own.dim)
    kind = None if choice.own is None else "typed" if dim is None else "world"
    return {"id": choice.id, "kind": cast("Any", kind), "text": text, "dim": dim, "dims": list(DIMS)}


def _typed(tables: Tables, query: Query) -> OwnTableReply:
    """Make a table from typed rows."""
    return _added(tables, typed_choice(_body(query)))


def _world(tables: Tables, query: Query) -> OwnTableReply:
    """Learn a table from sentences."""
    dim = int(query.choice("dim", [str(dim) for dim in DIMS], str(DIM)))
    return _added(tables, world_choice(_body(query), dim))


def _added(tables: Tables, choice: TableChoice) -> OwnTableReply:
    start = time.perf_counter()
    table = tables.add(choice).table
    return {"id": choice.id, "words": len(table), "dim": table.dim, "seconds": time.perf_counter() - start}


def _body(query: Query) -> str:
    try:
        return (query.body or b"").decode()
    except UnicodeDecodeError:
        raise UsageError("the text is not valid UTF-8; send it as UTF-8") from None
