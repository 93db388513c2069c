"""`documentation_routes`: `/docs/`: the site that `scripts/docs` builds, or the documentation on the web."""

from functools import cache
from importlib.metadata import metadata
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

__all__ = ["PLACE", "SITE", "documentation_routes", "documentation_url", "place_script"]

SITE = Path(__file__).parents[1] / "site"
PLACE = "assets/workbench.js"
"""The script of the site that says where the workbench is, so that pages show its figures."""


def documentation_routes(site: Path) -> list[BaseRoute]:
    """Return the routes of `/docs/`, so that links of pages lead there whether or not the site was built."""
    if (site / "index.html").is_file():
        return [Route(f"/docs/{PLACE}", _place), Mount("/docs", StaticFiles(directory=site, html=True))]
    return [Route("/docs/", _elsewhere)]


def place_script(workbench: str) -> str:
    r"""Return the script for a workbench whose addresses follow this beginning, from the folder of the documentation.

    >>> place_script("..")
    'globalThis.workbench = "..";\n'
    """
    return f'globalThis.workbench = "{workbench}";\n'


@cache
def documentation_url() -> str:
    """Return the address of the documentation on the web, from the metadata of the package.

    >>> documentation_url().startswith("https://")
    True
    """
    urls = dict(entry.split(", ", 1) for entry in metadata("rowspace").get_all("Project-URL", []))
    return str(urls["Documentation"])


async def _place(_: Request) -> Response:
    return Response(place_script(".."), media_type="text/javascript")


async def _elsewhere(_: Request) -> Response:
    return RedirectResponse(documentation_url())
