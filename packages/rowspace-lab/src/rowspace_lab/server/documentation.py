"""`documentation_routes`: `/docs/`: the site that `scripts/docs` builds, or the documentation on the web."""

from functools import cache
from importlib.metadata import metadata
from pathlib import Path

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

__all__ = ["SITE", "documentation_routes", "documentation_url"]

SITE = Path(__file__).parents[1] / "site"


def documentation_routes(site: Path) -> list[BaseRoute]:
    """Return the routes of `/docs/`, so that links of pages lead there whether or not the site was built."""
    if (site / "index.html").is_file():
        return [Mount("/docs", StaticFiles(directory=site, html=True))]
    return [Route("/docs/", _elsewhere)]


@cache
def documentation_url() -> str:
    """Return the address of the documentation on the web, from the metadata of the package.

    >>> documentation_url().startswith("https://")
    True
    """
    urls = dict(entry.split(", ", 1) for entry in metadata("rowspace").get_all("Project-URL", []))
    return str(urls["Documentation"])


async def _elsewhere(_: Request) -> Response:
    return RedirectResponse(documentation_url())
