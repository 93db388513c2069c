"""The widget of a notebook: its selection in both directions, and its front end's requests, as Jupyter's messages."""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import comm
import numpy as np
import pytest
from comm.base_comm import BaseComm
from starlette.testclient import TestClient
from tests.six_words import ROWS, WORDS

from rowspace.errors import MissingExtraError, UnknownTokenError, UsageError
from rowspace.table import Table
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab
from rowspace_lab.notebook import TableWidget
from rowspace_lab.notebook.requests import PART

PATIENCE = 120  # seconds


class Channel(BaseComm):
    """A comm as between a kernel and its notebook, which keeps what the kernel sends."""

    def __init__(self, **options: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        super().__init__(**options)

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any) -> None:
        content = (data or {}).get("content", {})
        state = (data or {}).get("state", {})
        parts = [bytes(part) for part in buffers or []]
        self.sent.append({"type": msg_type, "content": content, "state": state, "buffers": parts})

    def receive(self, data: dict[str, Any], *buffers: bytes) -> None:
        """Deliver a message of the front end to the kernel."""
        self.handle_msg({"content": {"data": data}, "buffers": [memoryview(part) for part in buffers]})

    def ask(self, method: str, url: str, body: bytes = b"", id: str = "window-1") -> None:
        """Send a request as the front end does."""
        message = {"id": id, "method": method, "url": url}
        self.receive({"method": "custom", "content": message}, *([body] if body else []))

    def answer(self, id: str = "window-1") -> tuple[int, bytes]:
        """Wait for the response to a request; return its status and its body."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = [message for message in list(self.sent) if message["content"].get("id") == id]
            if found and found[-1]["content"].get("more") is False:
                return found[0]["content"]["status"], b"".join(part for message in found for part in message["buffers"])
            time.sleep(0.01)
        pytest.fail(f"no response to {id}: {self.sent}")


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., tuple[TableWidget, Channel]]]:
    """`show(table, words)`: the widget of `table.show(words)`, and its channel."""
    monkeypatch.setattr(comm, "create_comm", Channel)
    widgets = []

    def shown(table: Table, *arguments: Any, **options: Any) -> tuple[TableWidget, Channel]:
        widget = table.show(*arguments, **options)
        widgets.append(widget)
        return widget, widget.comm

    yield shown
    for widget in widgets:
        widget.close()


@pytest.fixture
def table() -> Table:
    return Table(WORDS, ROWS)


@pytest.fixture
def hundred() -> Table:
    """A table that is large enough for t-SNE."""
    return Table([f"word-{id}" for id in range(100)], np.random.default_rng(0).normal(size=(100, 4)))


def ids_of(channel: Channel) -> list[int]:
    """Return the ids that were last sent to the front end."""
    sent = [message["buffers"] for message in channel.sent if message["type"] == "comm_msg" and message["buffers"]]
    return np.frombuffer(sent[-1][0], "<u4").tolist()


def test_ids_of_the_front_end_are_the_selection(show: Callable[..., Any], table: Table) -> None:
    widget, channel = show(table)
    changes = []
    widget.observe(lambda change: changes.append(change["new"]), "selection")
    update = {"method": "update", "state": {}, "buffer_paths": [["selection"]]}
    channel.receive(update, np.array([2, 1], "<u4").tobytes())
    assert widget.selection == [2, 1]
    assert widget.words == ["dog", "cat"]
    assert changes == [[2, 1]]


def test_words_and_ids_that_are_assigned_are_sent_to_the_front_end(show: Callable[..., Any], table: Table) -> None:
    widget, channel = show(table, ["sat"])
    assert widget.words == ["sat"]
    for chosen, ids in (["cat", 4, "cat"], [1, 4]), (table.ids(["on", "the"]), [5, 0]), ((), []):
        widget.selection = chosen
        assert widget.selection == ids
        if ids:
            assert ids_of(channel) == ids


def test_wrong_arguments_are_reported_and_change_nothing(show: Callable[..., Any], table: Table) -> None:
    with pytest.raises(UnknownTokenError, match="token 'dgo' is not in the vocabulary; did you mean 'dog'"):
        table.show(["dgo"])
    with pytest.raises(UsageError, match="height must be a whole number from 200 to 4,000, not 20"):
        table.show(height=20)
    with pytest.raises(UsageError, match="the table has no rows to show"):
        Table([], np.ones((0, 3))).show()
    widget, _ = show(table, ["cat"])
    with pytest.raises(UsageError, match="id 6 is out of range"):
        widget.selection = [6]
    with pytest.raises(UsageError, match="a list of tokens was expected, got 'dog'"):
        widget.selection = "dog"
    assert widget.words == ["cat"]


def test_responses_are_those_of_the_server(show: Callable[..., Any], table: Table) -> None:
    """Also of a table of a single row, and of one whose tokens are only numbers."""
    for each in table, Table(["alone"], np.ones((1, 2))), Table(["0", "1", "2"], np.eye(3)):
        _, channel = show(each)
        client = TestClient(make_app(Lab(each, "table")))
        first = each.vocabulary[0]
        for url in "/api/words/pca", f"/api/words/rows?word={first}", "/api/words/search?part=a", "/api/words/unknown":
            channel.ask("GET", url, id=url)
            expected = client.get(url)
            assert channel.answer(url) == (expected.status_code, expected.content)


def test_large_responses_arrive_in_parts(show: Callable[..., Any]) -> None:
    rows = np.random.default_rng(0).normal(size=(300_000, 2)).astype(np.float32)
    table = Table([str(id) for id in range(len(rows))], rows)
    _, channel = show(table)
    channel.ask("GET", "/api/words/pca")
    status, body = channel.answer()
    sizes = [len(part) for message in channel.sent if message["content"].get("more") for part in message["buffers"]]
    assert status == 200
    assert sizes[:2] == [PART, PART]
    assert sum(sizes) == len(body) > rows.nbytes


def test_jobs_report_until_they_are_done(show: Callable[..., Any], hundred: Table) -> None:
    _, channel = show(hundred)
    channel.ask("POST", "/api/jobs", b'{"kind": "neighbors", "k": 3}', "start")
    assert channel.answer("start")[0] == 200
    channel.ask("GET", "/api/jobs/1/events", id="events")
    events = channel.answer("events")[1].decode()
    assert events.strip().split("\n\n")[-1].split("\n")[1:] == ["event: done", 'data: {"frames": 1}']
    channel.ask("GET", "/api/jobs/1/frames/1", id="frame")
    assert channel.answer("frame")[0] == 200


def test_a_stopped_request_is_forgotten(show: Callable[..., Any], hundred: Table) -> None:
    widget, channel = show(hundred)
    channel.ask("POST", "/api/jobs", b'{"kind": "tsne", "perplexity": 2}', "start")
    channel.answer("start")
    channel.ask("GET", "/api/jobs/1/events", id="events")
    channel.receive({"method": "custom", "content": {"id": "events", "stop": True}})
    end = time.monotonic() + PATIENCE
    while widget._requests._tasks:
        assert time.monotonic() < end
        time.sleep(0.01)


def threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "rowspace-notebook"]


def test_closing_ends_the_thread_and_the_jobs(show: Callable[..., Any], hundred: Table) -> None:
    widget, channel = show(hundred)
    assert not threads()  # until something is asked
    channel.ask("POST", "/api/jobs", b'{"kind": "tsne", "perplexity": 2}')
    channel.answer()
    channel.ask("GET", "/api/jobs/1/events", id="events")
    assert threads()
    widget.close()
    assert not threads()


def test_the_kernel_answers_that_it_is_there(show: Callable[..., Any], table: Table) -> None:
    _, channel = show(table)
    channel.receive({"method": "custom", "content": {"ping": "window"}})
    assert channel.sent[-1]["content"] == {"pong": "window"}


def test_without_anywidget_the_pip_command_is_named(monkeypatch: pytest.MonkeyPatch, table: Table) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    for name in "rowspace_lab.notebook", "rowspace_lab.notebook.widget":
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=r"needs anywidget: pip install 'rowspace-lab\[notebook\]'"):
        table.show()
    monkeypatch.undo()
    assert import_module("rowspace_lab.notebook").TableWidget is TableWidget
