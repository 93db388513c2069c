"""`export_site`: the workbench as a folder of files that any web server can offer, in any folder of its own.

| file | content |
|---|---|
| `index.html`, `*.js`, `*.css`, fonts | the built front end, with relative paths |
| `replies/ROUTE.TABLE.bin` | the recorded replies of a route about a table, as many as are loaded at once |
| `replies/ROUTE.TABLE.N.bin` | the others, for N = 1, 2, ... |
| `docs/` | the documentation, if it was built, with figures of the site |
| `tables/TABLE.bin` | the rows of a table, int8 with a scale for each row where the table is stored so |
| `rowspace-site.json` | the marker of a folder that may be replaced by a later export |

The `.bin` files are compressed by gzip, under a name from which no server concludes that it should say so. The first
file of a route begins with the length of its index (uint32), and the index, a JSON object from the parameters of a
request to its reply: the number of the file, the place there and the length. `web/src/api/exported` reads it.
"""

import gzip
import json
import shutil
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from rowspace._base.atomic import atomic_folder
from rowspace.errors import RowspaceError
from rowspace_lab.export.recording import Recorder, all_requests
from rowspace_lab.export.requests import TABLES, Asked
from rowspace_lab.lab import OPENED, Lab
from rowspace_lab.pages.analogies.figures import answers_figure
from rowspace_lab.pages.words import figures, pairs
from rowspace_lab.server.documentation import PLACE, SITE, documentation_url, place_script
from rowspace_lab.server.reply import Reply
from rowspace_lab.server.security import HEADERS
from rowspace_lab.shared.figure import shown
from rowspace_lab.tables.english import ENGLISH, english_codes
from rowspace_lab.tables.tables import Tables, first_lab

__all__ = ["MARKER", "Exported", "export_site"]

MARKER = "rowspace-site.json"
"""The file by which an exported site is known."""


PART = 1 << 19
"""Bytes of replies that are loaded at once, before compression."""
MAX_OPEN = 20
"""More tables than the replies are about, so that each is made once."""


@dataclass(frozen=True)
class Exported:
    """What an export has written: its files, their bytes, and the replies among them."""

    files: int
    bytes: int
    replies: int
    left_out: int
    """The requests that could not be answered here, since an extra is not installed."""
    documentation: int
    """The bytes of the documentation among all; 0 if it is not built."""


def export_site(
    path: Path,
    static: Path,
    *,
    documentation: Path = SITE,
    requests: Sequence[Asked] | None = None,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
) -> Exported:
    """Write the site to a folder, which must be new, empty or an earlier export.

    Args:
        path: The folder.
        static: The folder of the built front end.
        documentation: The folder of the built documentation; without it, the site leads to that on the web.
        requests: The requests whose replies are recorded, by default all that pages and lessons send.
        on_progress: Called with the number of replies that are recorded, and that of all.

    Raises:
        UsageError: The folder has other files, or `path` is a file.
        RowspaceError: The folder cannot be written, or the front end is not built.
    """
    if not (static / "index.html").is_file():
        raise RowspaceError("the front end of the workbench is not built; run scripts/web in the checkout")
    contents = [MARKER, "docs", "replies", "tables", *(each.name for each in static.iterdir())]
    with atomic_folder(path, marker=MARKER, contents=contents) as folder:
        tables = Tables(first_lab(), max_open=MAX_OPEN)
        shutil.copytree(static, folder, dirs_exist_ok=True)
        names, replies, left_out = _write_replies(
            folder / "replies", Recorder(tables), all_requests() if requests is None else requests, on_progress
        )
        _write_tables(folder / "tables", tables)
        docs = _write_documentation(folder / "docs", documentation)
        page = (static / "index.html").read_text(encoding="utf-8")
        (folder / "index.html").write_text(page_of_site(page, names, docs), encoding="utf-8")
        (folder / MARKER).write_text(json.dumps({"rowspace-lab": version("rowspace-lab")}) + "\n")
        sizes = _sizes(folder)
        of_documentation = sum(_sizes(folder / "docs"))
    return Exported(len(sizes), sum(sizes), replies, left_out, of_documentation)


def _sizes(folder: Path) -> list[int]:
    """Return the bytes of each file in a folder; none if there is no such folder."""
    return [each.stat().st_size for each in folder.rglob("*") if each.is_file()]


def _write_replies(
    folder: Path, recorder: Recorder, requests: Sequence[Asked], on_progress: Callable[[int, int], None]
) -> tuple[list[str], int, int]:
    """Write the files of replies; return their names, and how many replies they have and lack."""
    folder.mkdir()
    names, done, recorded = list[str](), 0, 0
    for (route, table), group in groupby(requests, lambda each: (each.route, each.table)):
        replies = dict[str, bytes]()
        for asked in group:
            if (reply := recorder.reply(asked)) is not None:
                replies[asked.key] = reply
            done += 1
            on_progress(done, len(requests))
        if replies:
            names.append(f"{route.replace('/', '-')}.{table or OPENED}")
            for number, part in enumerate(_packed(replies)):
                (folder / f"{names[-1]}{f'.{number}' if number else ''}.bin").write_bytes(_compressed(part))
        recorded += len(replies)
    return names, recorded, len(requests) - recorded


def _packed(replies: Mapping[str, bytes]) -> list[bytes]:
    """Return the files of the replies of a route; the first one begins with the index."""
    parts, index = [b""], dict[str, list[int]]()
    for key, reply in replies.items():
        if parts[-1] and len(parts[-1]) + len(reply) > PART:
            parts.append(b"")
        index[key] = [len(parts) - 1, len(parts[-1]), len(reply)]
        parts[-1] += reply
    header = json.dumps(index, separators=(",", ":")).encode()
    return [struct.pack("<I", len(header)) + header + parts[0], *parts[1:]]


def _compressed(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def _write_tables(folder: Path, tables: Tables) -> None:
    folder.mkdir()
    for id in TABLES:
        lab = tables.lab(id or OPENED)
        codes, scales = english_codes() if not id else (None, None)
        arrays = {"rows": lab.table.rows} if codes is None else {"codes": codes.view(np.uint8), "scales": scales}
        counts = None if lab.table.counts is None else lab.table.counts.tolist()
        stored = {"words": list(lab.table.vocabulary), "counts": counts, "code": dict(_code(lab))}
        (folder / f"{id or OPENED}.bin").write_bytes(_compressed(Reply({**stored, **arrays}).encode()))


def _write_documentation(folder: Path, built: Path) -> str:
    """Copy the documentation, so that its figures are those of the site; return its address."""
    if not (built / "index.html").is_file():
        return documentation_url()
    shutil.copytree(built, folder)
    (folder / PLACE).write_text(place_script("../index.html#"), encoding="utf-8")
    return "docs/index.html"


class _Blank:
    """A place in code, which the site fills with an argument."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"⟪{self.name}⟫"


def _code(lab: Lab) -> Iterable[tuple[str, str]]:
    """Yield the routes whose replies the site computes, with the code of Python that computes them."""
    names = ("a", "b", "c", "word", "words", "k", "metric", "part", "expected", "method", "keep_inputs")
    blanks: dict[str, Any] = {name: _Blank(name) for name in names}
    question = tuple(blanks[name] for name in "abc")
    calls: dict[str, partial[Any]] = {
        "words/search": partial(figures.search_figure, part=blanks["part"], k=blanks["k"]),
        "words/rows": partial(figures.rows_figure, words=blanks["words"]),
        "words/neighbors": partial(
            figures.neighbors_figure, word=blanks["word"], k=blanks["k"], metric=blanks["metric"]
        ),
        "words/compare": partial(figures.compared_figure, words=blanks["words"], metric=blanks["metric"]),
        "words/distances": partial(figures.distances_figure, words=blanks["words"]),
        "words/pair": partial(pairs.pair_figure, words=question[:2]),
        "analogies/answers": partial(
            answers_figure,
            question=question,
            expected=blanks["expected"],
            method=blanks["method"],
            keep_inputs=blanks["keep_inputs"],
            k=blanks["k"],
        ),
    }
    for route, call in calls.items():
        yield route, shown(lab, call)


def page_of_site(page: str, names: list[str], docs: str) -> str:
    """Return the page of the front end for a site with these files of replies: with relative paths, and no server."""
    parts = HEADERS["Content-Security-Policy"].split("; ")
    policy = "; ".join(part for part in parts if not part.startswith("frame-ancestors"))  # not allowed in a page
    has = {"files": names, "tables": list(TABLES), "also": ENGLISH.id, "docs": docs}
    text = json.dumps(has).replace("<", "\\u003c")
    head = (
        f'    <meta http-equiv="Content-Security-Policy" content="{policy}" />\n'
        f'    <script type="application/json" id="exported-site">{text}</script>\n  </head>'
    )
    return page.replace('"/static/', '"./').replace(" crossorigin", "").replace("  </head>", head, 1)
