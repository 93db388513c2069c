"""An exported site: its files, what they hold, and folders that are not replaced."""

import gzip
import json
import re
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace_lab.app import STATIC
from rowspace_lab.export import export_site
from rowspace_lab.export.recording import Recorder, all_requests, portable
from rowspace_lab.export.requests import TABLES, Asked
from rowspace_lab.lessons import PAGE as LESSONS
from rowspace_lab.lessons.claims import PAGE as CLAIMS
from rowspace_lab.pages import PAGES
from rowspace_lab.server.documentation import documentation_url
from rowspace_lab.server.reply import Reply, decode
from rowspace_lab.tables.english import english_table
from rowspace_lab.tables.tables import Tables, first_lab

FEW = [
    Asked.of("tables", []),
    Asked.of("lessons/answer", [("lesson", "1"), ("name", "nearer"), ("seed", "0"), ("table", "six-words")]),
    Asked.of("lessons/why", [("page", "cost"), ("table", "")]),
    Asked.of("pipeline/forward", [("table", "six-words"), ("text", "the cat")]),
    Asked.of("words/neighbors", [("metric", "cosine")]),
    Asked.of("words/turn", [("word", "no such word")]),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a few replies."""
    path = tmp_path_factory.mktemp("export") / "site"
    done = export_site(path, STATIC, requests=FEW)
    assert (done.replies, done.left_out) == (len(FEW), 0)
    assert done.bytes == sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
    return path


def replies(site: Path, name: str) -> dict[str, Reply]:
    """Return the replies of a file, by key."""
    content = gzip.decompress((site / "replies" / f"{name}.bin").read_bytes())
    start = 4 + struct.unpack_from("<I", content)[0]
    index = json.loads(content[4:start])
    return {key: decode(content[start + at : start + at + length]) for key, (_, at, length) in index.items()}


def test_page_names_existing_files_by_relative_paths(site: Path) -> None:
    page = (site / "index.html").read_text()
    named = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert len(named) > 4
    assert all(name.startswith("./") and (site / name).is_file() for name in named)
    stored = json.loads(re.search(r'id="exported-site">(.*)</script>', page)[1])
    assert {f"{name}.bin" for name in stored["files"]} <= {each.name for each in (site / "replies").iterdir()}
    assert {f"{id or 'opened'}.bin" for id in stored["tables"]} == {each.name for each in (site / "tables").iterdir()}
    assert "default-src 'self'" in page


def test_scripts_and_styles_load_nothing_by_absolute_paths(site: Path) -> None:
    for file in [*site.glob("*.js"), *site.glob("*.css")]:
        assert "/static/" not in file.read_text(), file.name


def test_documentation_has_the_figures_of_the_site(tmp_path: Path) -> None:
    built = tmp_path / "built"
    (built / "assets").mkdir(parents=True)
    (built / "index.html").write_text("<p>start")
    done = export_site(tmp_path / "site", STATIC, documentation=built, requests=FEW[:1])
    docs = tmp_path / "site" / "docs"
    assert (docs / "assets" / "workbench.js").read_text() == 'globalThis.workbench = "../index.html#";\n'
    assert done.documentation == sum(each.stat().st_size for each in docs.rglob("*") if each.is_file())
    assert '"docs": "docs/index.html"' in (tmp_path / "site" / "index.html").read_text()


def test_without_built_documentation_a_site_leads_to_that_on_the_web(tmp_path: Path) -> None:
    done = export_site(tmp_path / "site", STATIC, documentation=tmp_path / "none", requests=FEW[:1])
    assert done.documentation == 0
    assert not (tmp_path / "site" / "docs").exists()
    assert f'"docs": "{documentation_url()}"' in (tmp_path / "site" / "index.html").read_text()


def test_replies_are_those_of_the_server(site: Path, ask: Callable[..., Reply]) -> None:
    expected = ask(first_lab(), "words/neighbors", metric="cosine")
    found = replies(site, "words-neighbors.opened")["metric=cosine"]
    assert found.meta == expected.meta
    np.testing.assert_array_equal(found.arrays["scores"], expected.arrays["scores"])
    assert replies(site, "pipeline-forward.six-words")["text=the cat"].meta["tokens"] == ["the", "cat"]


def test_request_that_the_workbench_refuses_has_its_sentence(site: Path) -> None:
    refused = replies(site, "words-turn.opened")["word=no such word"].meta
    assert refused["kind"] == "UnknownTokenError"
    assert "is not in the vocabulary" in refused["refused"]


def test_answer_has_the_distance_up_to_which_a_number_is_right(site: Path) -> None:
    answer = replies(site, "lessons-answer.six-words")["lesson=1&name=nearer&seed=0"].meta
    assert answer["right"] is False
    assert answer["margin"] >= 0


def test_list_has_the_tables_of_the_site_and_none_of_this_machine(site: Path) -> None:
    entries = replies(site, "tables.opened")[""].meta["tables"]
    assert [entry["id"] or "" for entry in entries] == ["opened", *filter(None, TABLES)]


def test_rows_of_the_first_table_are_stored_as_int8_without_loss(site: Path) -> None:
    stored = decode(gzip.decompress((site / "tables" / "opened.bin").read_bytes()))
    table = english_table()
    rows = stored.arrays["codes"].view(np.int8) * stored.arrays["scales"][:, np.newaxis]
    np.testing.assert_array_equal(rows, table.rows)
    assert stored.meta["words"] == list(table.vocabulary)
    assert "neighbors_figure(table, word=⟪word⟫, k=⟪k⟫" in stored.meta["code"]["words/neighbors"]


def test_links_stay_in_the_site_and_paths_of_this_machine_are_shortened() -> None:
    fields = {"html": ['<a href="/words?word=cat">cat</a>'], "code": f"rs.load('{Path.home()}/tables/a')", "k": 3}
    assert portable(fields) == {
        "html": ['<a href="#/words?word=cat">cat</a>'],
        "code": "rs.load('~/tables/a')",
        "k": 3,
    }


def test_folder_with_other_files_is_refused_and_an_export_is_replaced(site: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("all of it")
    with pytest.raises(UsageError, match=r"it is not empty and holds no rowspace-site\.json"):
        export_site(tmp_path, STATIC, requests=FEW[:1])
    assert [each.name for each in tmp_path.iterdir()] == ["thesis.txt"]
    (site.parent / "again").mkdir()
    for requests in (FEW[:1], FEW[:2]):
        export_site(site.parent / "again", STATIC, requests=requests)
    assert len(list((site.parent / "again" / "replies").iterdir())) == 2


def test_interrupted_export_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(_done: int, _of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        export_site(tmp_path / "site", STATIC, requests=FEW[:1], on_progress=interrupt)
    assert list(tmp_path.iterdir()) == []


def test_every_request_of_the_list_names_a_route_of_the_workbench() -> None:
    routes = {route for page in (LESSONS, CLAIMS, *PAGES) for route in page.routes} | {"tables", "jobs/train"}
    requests = all_requests()
    assert len(set(requests)) == len(requests) > 1000
    assert {each.route for each in requests} <= routes
    first_views = {"start": "pipeline/forward", "claims": "lessons/claims", "lessons": "lessons/list"}
    for page in ("words", "tokens", "cost", "patches", *first_views):
        assert any(each.route.startswith(first_views.get(page, page)) for each in requests), page


def test_missing_extra_leaves_a_reply_out(monkeypatch: pytest.MonkeyPatch, without_wheel: Any) -> None:
    recorder = Recorder(Tables(first_lab()))
    assert recorder.reply(Asked.of("words/neighbors", [("table", "everyday-words")])) is None
