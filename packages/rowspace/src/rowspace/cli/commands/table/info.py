"""`rowspace info`: the contents of a table and how it was learned."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from rowspace._base.plural import plural
from rowspace.cli.arguments import AsJson, Key, TablePath
from rowspace.cli.lookup import open_table
from rowspace.cli.output import file_size, message, print_facts, print_json, shown
from rowspace.files.hub import local_path

if TYPE_CHECKING:
    from rowspace.table import Table

__all__ = ["info"]

FREQUENT = 10  # how many tokens are shown


def info(
    path: TablePath,
    *,
    verify: Annotated[bool, typer.Option("--verify", help="Compare every byte with the saved checksums.")] = False,
    key: Key = None,
    as_json: AsJson = False,
) -> None:
    """Show the contents and size of a table, and how it was learned.

    Example:
      rowspace info my-table --verify
    """
    table = open_table(path, verify=verify, key=key)
    facts = _facts(path, table, verify=verify)
    if verify and not facts["verified"]:
        message(f"the {facts['format']} format has no checksums; only sizes were checked")
    if as_json:
        print_json(facts)
    else:
        print_facts(path, _lines(facts, table.shown))


def _facts(path: str, table: "Table", *, verify: bool) -> dict[str, Any]:
    """Return the facts about a table, ready for JSON."""
    from rowspace.store import format_of

    place = Path(local_path(path))  # of a URL or a name of the Hub, in the cache
    kind = format_of(place).name
    norms = table.norms[np.isfinite(table.norms)]
    frequent = table.vocabulary[:FREQUENT]
    return {
        "table": path,
        "format": kind,
        "kind": table.settings.get("kind", "token"),
        "num_embeddings": len(table),
        "embedding_dim": table.dim,
        "dtype": table.rows.dtype.name,
        "bytes_on_disk": sum(file.stat().st_size for file in _files(place)),
        "bytes_of_rows": table.rows.nbytes,
        "mapped": isinstance(table.rows, np.memmap),
        "verified": verify and kind == "native",  # the only one with checksums
        "counts_of": None if table.counts is None else _counted_things(table),
        "words_counted": None if table.counts is None else int(table.counts.sum()),
        "first_tokens": [
            {"token": token, "count": None if table.counts is None else int(table.counts[row])}
            for row, token in enumerate(frequent)
        ],
        "ngrams": None
        if table.subwords is None
        else {
            "num_embeddings": len(table.subwords.rows),
            "buckets": len(table.subwords.places),
            "min_n": table.subwords.min_n,
            "max_n": table.subwords.max_n,
        },
        "norms": dict(zip(("min", "median", "max"), np.quantile(norms, (0, 0.5, 1)).tolist(), strict=True))
        if len(norms)
        else None,
        "non_finite_rows": len(table) - len(norms),
        "settings": table.settings,
        "versions": _versions(place, kind),
    }


def _counted_things(table: "Table") -> str:
    """Return what the counts are of: visits of nodes, words, or the tokens of a tokenizer that also cuts words."""
    if table.settings.get("kind") == "node":
        return "visits"
    tokenizer = table.tokenizer
    model = {} if tokenizer is None else json.loads(tokenizer).get("model", {})
    return "words" if model.get("type", "WordLevel") == "WordLevel" else "tokens"


def _versions(path: Path, kind: str) -> Mapping[str, str]:
    from rowspace.store import read_manifest

    return read_manifest(path).versions if kind == "native" else {}


def _files(path: Path) -> list[Path]:
    return [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]


def _lines(facts: dict[str, Any], shown_token: Callable[[str], str]) -> list[tuple[str, str]]:
    """Return the known facts as text."""
    where = "mapped from the file" if facts["mapped"] else "in memory"
    rows = f"{facts['num_embeddings']:,} × {facts['embedding_dim']} {facts['dtype']}"
    lines = [
        ("format", f"{facts['format']}, {file_size(facts['bytes_on_disk'])} on disk{_checked(facts)}"),
        ("rows", f"{rows}, {file_size(facts['bytes_of_rows'])} {where}"),
    ]
    if facts["kind"] != "token":
        lines.insert(0, ("kind", f"a row for each {facts['kind']}"))
    if facts["ngrams"]:
        lines.append(
            ("n-grams", "{num_embeddings:,} rows, for {min_n} to {max_n} characters".format(**facts["ngrams"]))
        )
    if facts["norms"]:
        lines.append(("norms", ", ".join(f"{name} {value:.3g}" for name, value in facts["norms"].items())))
    if facts["non_finite_rows"]:
        count = plural(facts["non_finite_rows"], "row")
        lines.append(("not finite", f"{count} with NaN, infinity or too large a value"))
    if facts["words_counted"] is not None:
        lines.append(("counts", f"{plural(facts['words_counted'], facts['counts_of'][:-1])} in total"))
    first = [_counted(each, shown_token(each["token"])) for each in facts["first_tokens"]]
    lines.append(("first tokens", ", ".join(first)))
    if facts["settings"]:
        lines.append(("settings", ", ".join(f"{name} {_value(value)}" for name, value in facts["settings"].items())))
    if facts["versions"]:
        lines.append(("written by", ", ".join(f"{name} {version}" for name, version in facts["versions"].items())))
    return lines


def _checked(facts: dict[str, Any]) -> str:
    return ", checksums match" if facts["verified"] else ""


def _counted(entry: dict[str, Any], token: str) -> str:
    count = "" if entry["count"] is None else f" {entry['count']:,}"
    return shown(token) + count


def _value(value: object) -> str:
    if isinstance(value, list):
        return " ".join(map(_value, value))
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return "none" if value is None else str(value)
