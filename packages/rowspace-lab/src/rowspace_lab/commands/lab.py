"""`rowspace lab`: serve the workbench until Ctrl-C."""

import os
import shlex
import sys
import threading
import webbrowser
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace._base.plural import plural
from rowspace.cli.lookup import open_table
from rowspace.cli.output import message, print_line
from rowspace.errors import RowspaceError, UsageError

if TYPE_CHECKING:
    from rowspace_lab import Lab
    from rowspace_lab.pages.search import SearchSource

__all__ = ["lab"]


def lab(
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="TABLE",
            help="A table in any format; the default is the workbench's own of 10,000 English words.",
            show_default=False,
        ),
    ] = None,
    *,
    show: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The table to show first, such as six-words, small-world or python-words; pages can change it.",
            show_default=False,
        ),
    ] = None,
    search: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="What the Search page searches: a folder, a file, or an index of rowspace index, whose table is then "
            "the default.  [default: the working folder]",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=1, max=65535, help="The port.  [default: the first free one from 7697 on]"),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen on; any but this machine's own needs --token.")] = (
        "127.0.0.1"
    ),
    token: Annotated[
        str | None,
        typer.Option(envvar="ROWSPACE_LAB_TOKEN", help="The access token.  [default: random]", show_default=False),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = True,
    export: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write the workbench as a static site for any web server, and end; it has the 10,000 English words "
            "and the small tables.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open the workbench, which shows a table in the browser.

    Ctrl-C stops the server. Only the printed URL, which includes the token, opens the pages.

    Example:
      rowspace lab
      rowspace lab --show six-words
      rowspace lab my-table --port 8080 --no-open
      rowspace lab --search my-folder --show everyday-words
      rowspace lab --export site
    """
    if export is not None:
        if path is not None or search is not None or show is not None:
            raise UsageError("--export writes the workbench's own tables; leave out TABLE, --show and --search")
        _export(export)
        return
    from rowspace.serve.server import listen
    from rowspace_lab import make_app  # not needed for help
    from rowspace_lab.app import STATIC
    from rowspace_lab.server.security import Access
    from rowspace_lab.server.serve import DEFAULT_PORT, serve, validate_token
    from rowspace_lab.tables.recent import find_recent, hub_cache
    from rowspace_lab.tables.tables import Tables, validate_table_id

    if not (STATIC / "index.html").is_file():
        raise RowspaceError("the front end of the workbench is not built; run scripts/web in the checkout")
    shown = f"&table={validate_table_id(show)}" if show is not None else ""
    token = validate_token(host, token)
    source, path = _searched(search, path)
    with (
        cleanup_on_interrupt(),
        listen(host, port, first=DEFAULT_PORT) as listener,
    ):  # reports wrong values before long work
        access = Access(host, listener.getsockname()[1], token)
        tables = Tables(_lab(path), find_recent=partial(find_recent, Path.cwd(), hub_cache()))
        app = make_app(tables, search=source)
        url = access.url + shown
        print_line(url)
        sys.stdout.flush()
        message("press Ctrl-C to stop")
        if open_browser and _has_screen():
            threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()
        serve(app, access, listener)


def _export(folder: Path) -> None:
    """Write the site, and print its size and how to look at it."""
    from rowspace_lab.app import STATIC
    from rowspace_lab.export import export_site
    from rowspace_lab.export.progress import export_reporter

    with cleanup_on_interrupt(), export_reporter() as report:
        done = export_site(folder, STATIC, on_progress=report)
    if done.left_out:
        message(f"{done.left_out:,} of the replies need extras that are not installed; the site says so in their place")
    docs = f", {done.documentation / 1e6:.1f} MB of them in docs" if done.documentation else ""
    print_line(
        f"{folder}: {plural(done.files, 'file')}, {done.bytes / 1e6:.1f} MB{docs}, {done.replies:,} recorded replies"
    )
    print_line(f"look at it: python -m http.server --directory {shlex.quote(str(folder))}")


def _searched(search: str | None, path: str | None) -> "tuple[SearchSource, str | None]":
    """Return what the Search page searches, and the table to open: by default that of an index that is named."""
    from rowspace.search import Index
    from rowspace_lab.pages.search import SearchSource

    if search is None:
        return SearchSource(), path
    if not Path(search).exists():
        raise UsageError(f"--search must be a folder, a file or an index, and there is no {search!r}; check the path")
    if path is None and Index.exists(search):
        table = Index.open(search).settings.table
        path = table if table is not None and Path(table).exists() else None
    return SearchSource(Path(search).resolve()), path


def _lab(path: str | None) -> "Lab":
    from rowspace_lab import Lab
    from rowspace_lab.tables.tables import first_lab

    return first_lab() if path is None else Lab(open_table(path), path)


def _has_screen() -> bool:
    """Whether there is a graphical browser; a browser in this terminal would hide the messages."""
    return sys.platform in ("win32", "darwin") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")))
