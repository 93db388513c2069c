"""A folder of files, a cache of its own, a table of the files' words, and the page over the folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.search.samples import make_table, write_files

import rowspace as rs
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search import SearchSource, search_page
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply, decode


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rowspace" / "search"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_files(tmp_path / "files")


@pytest.fixture(scope="session")
def saved_table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The path of a table of the files' words."""
    path = str(tmp_path_factory.mktemp("table") / "words")
    make_table().save(path)
    return path


@pytest.fixture
def lab(saved_table: str) -> Lab:
    return Lab(rs.load(saved_table), saved_table)


@pytest.fixture
def ask() -> Callable[..., Reply]:
    """`ask(source, lab, "search/results", text="pip")`: the reply of the page over a source."""

    def answer(source: Path | SearchSource, lab: Lab, route: str, **parameters: object) -> Reply:
        query = Query({name: [str(value)] for name, value in parameters.items()})
        return decode(Reply(page_over(source).routes[route](lab, query)).encode())

    return answer


@pytest.fixture
def run() -> Callable[..., list[object]]:
    """`run(source, lab)`: what the job that indexes the source yields, in this process."""

    def yielded(source: Path | SearchSource, lab: Lab, at: str = "1") -> list[object]:
        kind = page_over(source).job_kinds["index"]
        return list(kind.run(**kind.read(lab, Query({"at": [at]}))))

    return yielded


def page_over(source):
    return search_page(source if isinstance(source, SearchSource) else SearchSource(source))
