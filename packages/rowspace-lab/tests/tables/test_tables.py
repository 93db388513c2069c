"""The list of tables, and which of them stay open."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice
from rowspace_lab.tables.tables import Tables, UnknownTableError, validate_table_id
from rowspace_lab.tables.typed import typed_choice

OPENED = Lab(Table(["a", "b"], np.eye(2)), "my-table")


@pytest.fixture
def tables() -> Tables:
    return Tables(OPENED)


def test_list_has_the_opened_table_first(tables: Tables) -> None:
    ids = [choice.id for choice in tables.choices()]
    assert ids[:6] == ["opened", "six-words", "four-words", "five-items", "two-arrows", "small-world"]
    assert ids[6:] == ["small-shop", "small-graph", "english-words", "everyday-words", "python-words", "python-imports"]
    assert tables.lab("opened") is tables.opened


@pytest.mark.parametrize("id", ["", "/etc/passwd", "../table", "six_words", "recent-0123", "typed-0123"])
def test_unknown_id_is_refused_with_the_list(tables: Tables, id: str) -> None:
    with pytest.raises(UnknownTableError, match=r"^there is no table .*; choose another one: opened, six-words, "):
        tables.lab(id)


def test_unknown_ids_are_not_kept(tables: Tables) -> None:
    class Id(str):
        """An id that a weak reference can find."""

    ids = weakref.WeakSet[Id]()
    for number in range(3):
        ids.add(id := Id(f"unknown-{number}"))
        with pytest.raises(UnknownTableError):
            tables.lab(id)
    del id
    gc.collect()
    assert not ids


def test_table_is_opened_once_by_concurrent_requests(tables: Tables) -> None:
    with ThreadPoolExecutor(8) as threads:
        labs = list(threads.map(tables.lab, ["six-words"] * 40))
    assert len(set(map(id, labs))) == 1


def test_least_recently_used_tables_are_closed() -> None:
    tables = Tables(OPENED, max_open=2)
    first, second = tables.lab("six-words"), tables.lab("four-words")
    assert tables.lab("six-words") is first
    tables.lab("five-items")
    assert tables.lab("six-words") is first
    assert tables.lab("four-words") is not second


def test_own_tables_are_opened_again_and_the_oldest_are_forgotten() -> None:
    tables = Tables(OPENED, max_open=1, max_own=2)
    choices = [typed_choice(f"a 1\nb {number}") for number in range(3)]
    for choice in choices:
        assert tables.add(choice).id == choice.id
    assert tables.lab(choices[1].id).table["b"].tolist() == [1.0]
    assert tables.lab(choices[2].id).table["b"].tolist() == [2.0]
    with pytest.raises(UnknownTableError):
        tables.choice(choices[0].id)


def test_table_that_cannot_be_opened_is_not_added(tables: Tables) -> None:
    def fails() -> Lab:
        raise UsageError("it cannot be opened")

    with pytest.raises(UsageError, match="it cannot be opened"):
        tables.add(TableChoice("typed-x", "", "", "own", fails))
    with pytest.raises(UnknownTableError):
        tables.choice("typed-x")


def test_recent_table_is_found_without_the_list() -> None:
    lab = Lab(Table(["a"], np.ones((1, 1))), "t", "recent-0")
    found = TableChoice("recent-0", "t", "", "recent", lambda: lab)
    assert Tables(lab, find_recent=lambda: [found]).lab("recent-0") is lab


def test_command_line_accepts_only_ids_of_the_list() -> None:
    with pytest.raises(UsageError, match=r"^there is no table 'typed-0123'; choose one of opened, six-words, "):
        validate_table_id("typed-0123")
