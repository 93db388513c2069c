"""The documentation at `/docs/`, built or not, and behind the token."""

import tomllib
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from rowspace_lab.server.documentation import documentation_routes
from rowspace_lab.server.errors import HANDLERS
from rowspace_lab.server.security import Access, AccessMiddleware

CHECKOUT = Path(__file__).parents[4]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    (tmp_path / "guides").mkdir()
    (tmp_path / "index.html").write_text("<p>start")
    (tmp_path / "guides" / "text.html").write_text("<p>guide")
    return tmp_path


def make_client(site: Path) -> TestClient:
    app = Starlette(routes=documentation_routes(site), exception_handlers=HANDLERS)
    return TestClient(app, follow_redirects=False)


def test_built_site_is_served(site: Path) -> None:
    client = make_client(site)
    assert client.get("/docs/").text == "<p>start"
    assert client.get("/docs/guides/text.html").text == "<p>guide"
    assert client.get("/docs").headers["location"].endswith("/docs/")


def test_site_finds_the_figures_of_this_server(site: Path) -> None:
    answer = make_client(site).get("/docs/assets/workbench.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.text == 'globalThis.workbench = "..";\n'


def test_missing_page_of_the_site_is_not_found(site: Path) -> None:
    answer = make_client(site).get("/docs/guides/none.html")
    assert answer.status_code == 404
    assert "<p>there is no page at /docs/guides/none.html" in answer.text


def test_without_a_built_site_docs_leads_to_the_documentation_on_the_web(tmp_path: Path) -> None:
    project = tomllib.loads((CHECKOUT / "packages/rowspace/pyproject.toml").read_text(encoding="utf-8"))["project"]
    answer = make_client(tmp_path).get("/docs/")
    assert answer.status_code == 307
    assert answer.headers["location"] == project["urls"]["Documentation"]
    assert make_client(tmp_path).get("/docs").headers["location"].endswith("/docs/")


def test_site_needs_the_token_and_has_the_content_security_policy(site: Path) -> None:
    app = AccessMiddleware(Starlette(routes=documentation_routes(site)), Access("127.0.0.1", 7697, "a-token-" * 3))
    client = TestClient(app, base_url="http://127.0.0.1:7697", follow_redirects=False)
    assert client.get("/docs/").status_code == 403
    answer = client.get("/docs/", headers={"Authorization": "Bearer " + "a-token-" * 3})
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith("default-src 'self';")
