"""Every route of every page, with unusual tables and invalid requests.

The tests of each page check its numbers. These tests check that no request causes an internal error (the test client
raises what the server would log) and that refused requests get a message.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from starlette.testclient import TestClient

import rowspace as rs
from rowspace.errors import UsageError
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.pages import PAGES
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import MEDIA_TYPE, decode

HANDLERS = {path: handler for page in PAGES for path, handler in page.routes.items()}
STRANGE = [
    "<script>alert('x')</script>",
    "שָׁלוֹם",
    "مرحبا",
    "e\u0301",
    "👩‍👩‍👧",
    "x" * 1000,
    "שלום" * 250,
    "a\nb",
    "</title>\\",
]


def random_rows(size: int, dim: int, dtype: str = "f4") -> np.ndarray:
    return np.random.default_rng(0).standard_normal((size, dim)).astype(dtype)


def words(size: int) -> list[str]:
    return [f"word{number}" for number in range(size)]


def with_nan() -> np.ndarray:
    rows = random_rows(6, 4)
    rows[0], rows[2, 1], rows[3] = np.nan, np.inf, 0
    return rows


TABLES = {
    "one row": rs.Table(["a"], np.float32([[0.5, -1.0, 0.25]])),
    "one dimension": rs.Table(words(5), random_rows(5, 1)),
    "one number": rs.Table(["a"], np.float32([[0.5]])),
    "strange tokens": rs.Table(STRANGE, random_rows(len(STRANGE), 8)),
    "zeros": rs.Table(words(5), np.zeros((5, 4), np.float32)),
    "the same row": rs.Table(words(5), np.ones((5, 4), np.float32)),
    "counts of zero": rs.Table(words(5), random_rows(5, 4), np.zeros(5, np.int64)),
    "huge counts": rs.Table(words(5), random_rows(5, 4), np.full(5, 2**60, np.int64)),
    "float16": rs.Table(words(5), random_rows(5, 4, "f2"), np.arange(5)),
    "float64": rs.Table(words(5), random_rows(5, 4, "f8"), np.arange(5)),
    "wide": rs.Table(words(3), random_rows(3, 5000)),
    "nan": rs.Table(words(6), with_nan(), np.arange(6)),
}


HAS_TORCH = find_spec("torch") is not None
NEED_TWO_ROWS = {"words/map-quality"}
NEED_A_DIRECTION = {"words/order", "words/neighbors", "words/turn", "words/pair", "order/ranking"}
MAY_BE_EMPTY = {"ranks", "chance"}  # of analogies, since few tables have their words; of comparisons without a null
NEED_COUNTS_OR_RUNS_OR_EDGES = {"words/counts", "head/evidence", "words/graph"}
NEED_A_CHECKPOINT = {"input/own", "patches/checkpoint-filters", "patches/towers"}
OF_RUNS = {route for route in HANDLERS if route.startswith("training/")} - {"training/own"}
NEED_AN_INDEX = {"search/results", "search/map", "search/question"}
NEED_A_STORED_MAP = {"words/stored-umap"}
NEED_A_SIMILAR_TABLE = {"compare/tokens", "compare/neighbors"}  # with words in common
NEED_A_TOKENIZER_AND_COUNTS = {"search/notes", "search/questions", "search/pair"}
NEED_A_RUN = (
    NEED_A_STORED_MAP
    | NEED_A_TOKENIZER_AND_COUNTS
    | NEED_A_SIMILAR_TABLE
    | {"arena/result", "arena/cell"}
    | OF_RUNS
    | NEED_A_CHECKPOINT
    | NEED_AN_INDEX
)


@pytest.fixture(scope="session")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TestClient]]:
    folder = tmp_path_factory.mktemp("tables")
    opened = {}
    for number, (name, table) in enumerate(TABLES.items()):
        path = str(folder / f"table{number}")
        table.save(path)
        lab = Lab(rs.load(path), path)
        opened[name] = TestClient(make_app(lab))
        opened[name].lab = lab
    yield opened
    for client in opened.values():
        client.close()


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name == "one number" else pytest.mark.long)
     for name in TABLES],
)  # fmt: skip
def test_every_page_handles_every_table(name: str, clients: dict[str, TestClient]) -> None:
    """Request the defaults; undefined results may be refused with a message."""
    for route in HANDLERS:
        answer = clients[name].get(f"/api/{route}")
        if not HAS_TORCH and answer.status_code == 400 and answer.json()["kind"] == "MissingExtraError":
            continue
        has_no_direction = name == "zeros" and route in NEED_A_DIRECTION
        may_be_refused = name == "nan" or has_no_direction
        too_few = len(TABLES[name]) == 1 and route in NEED_TWO_ROWS
        if answer.status_code == 400 and (may_be_refused or too_few or route in NEED_A_RUN):
            assert_refused(answer)
            continue
        assert answer.status_code == 200, f"{route} of {name}: {answer.text}"
        assert answer.headers["content-type"] == MEDIA_TYPE, f"{route} of {name}"
        decode(answer.content)


@pytest.mark.long
@pytest.mark.parametrize(
    "id",
    ["six-words", "small-world", "four-words", "five-items", "typed"],
)
def test_every_page_answers_for_the_tables_to_learn_on(id: str, clients: dict[str, TestClient]) -> None:
    client = clients["one row"]
    if id == "typed":  # the fewest rows of a typed table
        id = decode(client.post("/api/tables/typed", content="cat 1 2\ndog -2 0.5").content).meta["id"]
    for route in HANDLERS:
        answer = client.get(f"/api/{route}", params={"table": id})
        if answer.status_code == 400 and (route in NEED_A_RUN or answer.json()["kind"] == "MissingExtraError"):
            continue
        assert answer.status_code == 200, f"{route} of {id}: {answer.text}"
        if route in NEED_COUNTS_OR_RUNS_OR_EDGES:
            continue
        reply = decode(answer.content)
        empty = [name for name, array in reply.arrays.items() if array.size == 0 and name not in MAY_BE_EMPTY]
        assert not empty, f"{route} of {id} has nothing in {empty}"


class Recorded(Query):
    """A query that records the names of its parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.names = {"nothing"}

    def _one(self, name: str, default: str | None) -> str:
        self.names.add(name)
        return super()._one(name, default)

    def texts(self, name: str, default: Sequence[str] | None = None, *, limit: int = 20) -> list[str]:
        self.names.add(name)
        return super().texts(name, default, limit=limit)


@pytest.fixture(scope="session")
def names(clients: dict[str, TestClient]) -> dict[str, list[str]]:
    """The parameter names of each route."""
    found = {}
    for route, handler in HANDLERS.items():
        query = Recorded()
        with suppress(UsageError) if route in NEED_A_RUN else nullcontext():
            handler(clients["float16"].lab, query)
        found[route] = sorted(query.names)
    return found


NUMBERS = st.one_of(st.integers(), st.floats(), st.integers(-2, 300)).map(str)
VALUES = st.one_of(
    NUMBERS,
    st.sampled_from([*STRANGE, "word1", "true", "cosine", "dot", "1e400", "-0", "0x10", "²", "NaN", "", " ", "\0"]),
    st.just("a" * 1001),
    st.lists(NUMBERS, max_size=5).map(",".join),
    st.text(max_size=50),
)  # fmt: skip
HEADERS = st.dictionaries(
    st.sampled_from(["Accept", "Range", "If-None-Match", "Last-Event-ID", "Content-Type", "X-Forwarded-For"]),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30).map(str.strip),
)


def assert_refused(answer: object) -> None:
    assert 400 <= answer.status_code < 500
    body = answer.json()
    assert body.keys() == {"kind", "error"}
    assert re.fullmatch(r"\w+", body["kind"])
    assert len(body["error"]) > 10
    assert "Traceback" not in body["error"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_arbitrary_parameters_cause_no_internal_error(
    clients: dict[str, TestClient], names: dict[str, list[str]], data: st.DataObject
) -> None:
    route = data.draw(st.sampled_from(sorted(HANDLERS)))
    client = clients[data.draw(st.sampled_from(sorted(TABLES)))]
    parameters = st.dictionaries(st.sampled_from(names[route]), st.lists(VALUES, min_size=1, max_size=3), max_size=5)
    answer = client.request(
        data.draw(st.sampled_from(["GET", "GET", "GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "ODD"])),
        f"/api/{route}",
        params=data.draw(parameters),
        content=data.draw(st.one_of(st.just(b""), st.binary(max_size=200))),
        headers=data.draw(HEADERS),
    )
    if answer.request.method == "HEAD":
        assert answer.status_code < 500
    elif answer.status_code != 200:
        assert_refused(answer)
    else:
        decode(answer.content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    path=st.sampled_from(
        [*(f"/api/{route}" for route in HANDLERS), "/api/jobs", "/api/jobs/1/events", "/", "/static/"]
    ),
    more=st.one_of(st.just(""), st.text(max_size=20).map(lambda text: "/" + text), st.just("/" + "9" * 5000)),
    method=st.sampled_from(["GET", "POST", "DELETE", "PATCH"]),
    query=st.binary(max_size=50).map(lambda odd: "".join(f"%{byte:02x}" if byte > 65 else chr(byte) for byte in odd)),
)
def test_arbitrary_paths_cause_no_internal_error(
    path: str, more: str, method: str, query: str, clients: dict[str, TestClient]
) -> None:
    quoted = "".join(f"%{byte:02x}" for byte in more.encode("utf-8", "replace"))
    query = re.sub(r"[^\w%&=+.-]", "%00", query)
    answer = clients["one row"].request(method, f"http://testserver{path}{quoted}?{query}", follow_redirects=False)
    assert answer.status_code < 500
    if answer.status_code >= 400 and path.startswith("/api/"):
        assert_refused(answer)


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=20)),
    lambda inside: st.one_of(st.lists(inside, max_size=3), st.dictionaries(st.text(max_size=5), inside, max_size=3)),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(order=st.one_of(st.binary(max_size=100), JSON.map(lambda order: json.dumps(order).encode())))
def test_arbitrary_job_parameters_cause_no_internal_error(order: bytes, clients: dict[str, TestClient]) -> None:
    assert_refused(clients["one row"].post("/api/jobs", content=order))


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (b'{"kind": "\\ud800"}', "kind must be one of "),
        (b"[" * 50_000, "the body must be a JSON object"),
        (b'{"kind": {}}', "'kind' must be a string, a number, true or false"),
        (b'{"kind": []}', "kind is missing"),
        (b'{"k": ' + b"9" * 5000 + b"}", "the body must be a JSON object"),
        (b" " * 65_537, "the body must have at most 65,536 bytes"),
    ],
)
def test_invalid_job_requests_are_refused(order: bytes, message: str, clients: dict[str, TestClient]) -> None:
    answer = clients["one row"].post("/api/jobs", content=order)
    assert_refused(answer)
    assert answer.json()["error"].startswith(message)
