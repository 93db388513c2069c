"""`rowspace search`: a query → passages of an index, with their files and lines; `rowspace mcp`: a tool for agents."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from rowspace.cli.arguments import AsJson
from rowspace.cli.output import message, print_json, print_line, print_table, shown
from rowspace.errors import UsageError

if TYPE_CHECKING:
    from rowspace.search import Bridge, Hit, Index
    from rowspace.search.reading.files import Change

__all__ = ["mcp", "search"]

Rerank = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="Reorder the best 50 passages with this sentence encoder.", show_default=False),
]


def search(  # noqa: PLR0913  # what to search, and how to show it
    path: Annotated[str, typer.Argument(metavar="INDEX", help="An index of rowspace index: a folder, or s3://...")],
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="Words or a question.", show_default=False)
    ] = None,
    *,
    k: Annotated[int, typer.Option("-k", min=1, max=10_000, help="How many passages.")] = 5,
    pattern: Annotated[
        str | None,
        typer.Option(
            "--path", metavar="GLOB", help="Only files that match, such as '*.md' or 'docs/'.", show_default=False
        ),
    ] = None,
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="CONDITION",
            help="Only records whose column has a value, such as year=1999 or 'year>=1999'; also != < <= >. Several "
            "must all be met.",
            show_default=False,
        ),
    ] = None,
    mode: Annotated[
        Literal["hybrid", "dense", "lexical"],
        typer.Option(help="How to rank: by vectors (dense), by words (lexical, BM25), or by both."),
    ] = "hybrid",
    lines: Annotated[int, typer.Option(min=1, help="How many lines of a passage to show.")] = 8,
    table: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE", help="The table, if it was moved, or one with a bridge to the index.", show_default=False
        ),
    ] = None,
    rerank: Rerank = None,
    evaluate: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help='Score each mode on JSON lines with "query", "files" (paths or ids of answers) and optionally "kind".',
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the passages of an index that answer a query.

    With --evaluate, the score of each mode on your own queries is shown: the share that has an answer as the first file
    (recall@1) or among the first five (recall@5), and the mean of 1 / rank of the first answer (MRR@10).

    Example:
      rowspace search my-index "where are errors reported"
      rowspace search my-index parse_header --mode lexical --path '*.py' -k 3
      rowspace search my-index "where are errors reported" --rerank path/to/all-MiniLM-L6-v2
      rowspace search my-books "a detective in Paris" --where 'year<1930' --where language=fr
      rowspace search my-index --evaluate queries.jsonl
    """
    if evaluate is not None:
        if query is not None or pattern is not None or where:
            others = "QUERY, --path and --where"
            raise UsageError(f"--evaluate searches all files for the queries of its file; leave out {others}")
        _evaluate(_open(path, table, "hybrid", rerank), path, evaluate, as_json=as_json)
        return
    if query is None or not query.strip():
        raise UsageError("the query is empty; give words or a question")
    if rerank is not None and mode != "hybrid":
        raise UsageError(f"--rerank reorders what vectors and words find together; leave out --mode {mode}")
    index = _open(path, table, mode, rerank)
    hits = index.search(query, k=k, path=pattern, where=where or None, mode=mode)
    changes = index.changes(hits)
    if as_json:
        found = [_document(hit, changes) for hit in hits]
        used = {} if index.bridge is None else {"bridge": index.bridge.facts()}
        print_json({"index": path, "query": query, "mode": mode, **used, "hits": found})
        return
    if index.bridge is not None:
        message(_bridge_sentence(index.bridge))
    if not hits:
        message(f"nothing found: {index.why_nothing(query, path=pattern, where=where or None, mode=mode)}")
    for hit in hits:
        _print(hit, lines, changes.get(hit.path))


def _document(hit: "Hit", changes: "dict[str, Change]") -> dict[str, Any]:
    """Return a hit as JSON: of a file with its path, of a record with its id and metadata."""
    fields = asdict(hit)
    path, metadata = fields.pop("path"), fields.pop("metadata")
    own = {"path": path} if metadata is None else {"id": path, "metadata": metadata}
    return {**own, **fields, "change": changes.get(path)}


def _evaluate(index: "Index", path: str, file: str, *, as_json: bool) -> None:
    from rowspace.search import evaluate_search

    found = evaluate_search(index, file)
    if as_json:
        print_json({"index": path, "queries": file, "scores": [scores._asdict() for scores in found]})
        return
    if index.bridge is not None:
        message(_bridge_sentence(index.bridge))
    columns = ("mode", "queries", "recall@1", "recall@5", "MRR@10")
    for kind in dict.fromkeys(scores.kind for scores in found):
        rows = (
            (scores.mode, f"{scores.questions:,}", *(f"{share:.3f}" for share in scores[3:]))
            for scores in found
            if scores.kind == kind
        )
        print_table(kind or "all queries", columns, rows)


def _open(path: str, table: str | None, mode: str, reranker: str | None) -> "Index":
    from rowspace.cli.default_table import open_index
    from rowspace.search import Index

    return Index.open(path) if mode == "lexical" else open_index(path, table, reranker=reranker)


def _bridge_sentence(bridge: "Bridge") -> str:
    """Return that queries go through a bridge, and how good it is."""
    return f"the index was built with another table: queries go through a bridge with recall@10 {bridge.recall:.2f}"


def _print(hit: "Hit", lines: int, change: "Change | None") -> None:
    from rowspace.search.reading.files import CHANGES, RECORD_CHANGES

    name = f"  {hit.name}" if hit.name else ""
    ranks = {"vectors": hit.dense_rank, "words": hit.lexical_rank}
    found = ", ".join(f"{kind} {rank}" for kind, rank in ranks.items() if rank)
    marks = CHANGES if hit.metadata is None else RECORD_CHANGES
    print_line(shown(f"{hit.location}{name}  ({found}){marks[change] if change else ''}"))
    if hit.metadata:
        print_line(shown(f"    {hit.metadata_line()}"))
    quoted = hit.text.split("\n")
    for line in quoted[:lines]:
        print_line(f"    {shown(line.expandtabs())}".rstrip())
    if len(quoted) > lines:
        print_line(f"    ... to line {hit.last_line}")
    print_line("")


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
    rerank: Rerank = None,
) -> None:
    """Serve an index as a tool for coding agents (MCP).

    The server speaks the Model Context Protocol on standard input and output. An agent that is configured with this
    command starts it and has the tool search(query, k, path, where). The index is updated when its files have changed.

    Example:
      rowspace mcp my-index
      rowspace mcp my-index --table my-table
    """
    from rowspace.cli.default_table import open_index
    from rowspace.search.mcp_server import make_server

    index = open_index(path, table, reranker=rerank)
    if index.bridge is not None:
        message(_bridge_sentence(index.bridge))
    make_server(index).run("stdio")
