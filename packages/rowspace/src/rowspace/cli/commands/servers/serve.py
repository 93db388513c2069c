"""`rowspace serve`: vectors of texts by OpenAI's API, until Ctrl-C."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from rowspace._base.interrupt import cleanup_on_interrupt
from rowspace.cli.arguments import AsJson
from rowspace.cli.output import message, print_line
from rowspace.encode.options import Mode
from rowspace.errors import UsageError

__all__ = ["serve"]

DEFAULT_PORT = 8697
GRACE = 30  # seconds for the requests in progress
KEY_VARIABLE = "ROWSPACE_SERVE_KEY"
MAX_KEY = 1 << 12  # bytes of a key file


def serve(  # noqa: PLR0913  # one for each option
    path: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="A table with a tokenizer, in any format; or the folder of a sentence encoder."
        ),
    ],
    *,
    host: Annotated[str, typer.Option(help="The address to listen on; any but this machine's own needs a key.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 for any free one.")] = DEFAULT_PORT,
    key_file: Annotated[
        Path | None,
        typer.Option(help=f"A file with the key that clients must send.  [default: ${KEY_VARIABLE}]"),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The name of the model.  [default: the last part of TABLE]")
    ] = None,
    mode: Annotated[
        Mode | None,
        typer.Option(help="As for rowspace encode: contextual runs a model of transformers.", show_default=False),
    ] = None,
    normalize: Annotated[bool, typer.Option(help="Scale vectors to length 1, as OpenAI's are.")] = True,
    log: Annotated[bool, typer.Option("--log", help="Print a line for each request, on standard error.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve vectors of texts over the embeddings API of OpenAI.

    Prints the base URL for clients. Ctrl-C and SIGTERM finish the requests in progress, then stop.

    Example:
      rowspace serve my-table
      rowspace serve a-sentence-encoder --mode contextual
      rowspace serve my-table --host 0.0.0.0 --key-file key.txt --name words
    """
    from rowspace.encode import Encoder  # not needed for help
    from rowspace.files.hub import local_path
    from rowspace.serve.access import Address, is_loopback
    from rowspace.serve.embeddings import KeyMiddleware, Numbers, Observed, make_app
    from rowspace.serve.server import listen, run

    if name == "":
        raise UsageError("--name is empty; give a name by which clients request the model, or omit --name")
    key = _key(key_file)
    if key is None and not is_loopback(host):
        raise UsageError(f"--host {host} gives other machines access: add a key, by --key-file or {KEY_VARIABLE}")
    with cleanup_on_interrupt(), listen(host, port) as listener:  # reports wrong values before long work
        place = Path(local_path(path))  # of a URL or a name of the Hub, in the cache
        encoder = Encoder.load(place, mode=mode)
        model = Path(path).resolve().name if name is None else name
        address = Address(host, listener.getsockname()[1])
        numbers, created = Numbers(), int(place.stat().st_mtime)
        app = make_app(encoder, model=model, created=created, normalize=normalize, numbers=numbers)
        checked = KeyMiddleware(app, address, key)
        _announce(f"{address.base_url}/v1", model, encoder.dim, as_json=as_json)
        run(Observed(checked, numbers, message if log else None), listener, grace=GRACE, on_stop=_say_stopping)


def _key(path: Path | None) -> str | None:
    """Return the key of the file or of the environment, or None."""
    from rowspace.serve.access import validate_secret

    if path is None:
        key = os.environ.get(KEY_VARIABLE)
        return None if key is None else validate_secret(key, KEY_VARIABLE)
    with path.open("rb") as file:
        content = file.read(MAX_KEY + 1)
    return validate_secret(content.decode("ascii", "replace").strip(), f"the key in {path}")


def _announce(url: str, model: str, dim: int, *, as_json: bool) -> None:
    """Print where the server is, on one line, since a program that starts it reads this line."""
    print_line(json.dumps({"url": url, "model": model, "dimensions": dim}) if as_json else url)
    sys.stdout.flush()
    message(f"serving {model!r}, {dim} dimensions; press Ctrl-C to stop")


def _say_stopping() -> None:
    message("stopping: finishing the requests in progress; press Ctrl-C to stop at once")
