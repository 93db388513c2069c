"""A text for the arena, and its tasks at a tiny size."""

import pytest

from rowspace._base.parallel import torch_threads
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.tasks.samples import Task, make_tasks

TEXT = "the def and for not from that class return import value naïve configuration self.method() other_name"
WORDS = TEXT.split(" ")


@pytest.fixture
def one_thread():
    """As in a worker; the tests of other folders get back what they had."""
    with torch_threads(1):
        yield


@pytest.fixture(scope="session")
def documents() -> list[str]:
    """Twenty documents of 400 words, in which some words are in one document only."""
    return [
        " ".join(WORDS[(7 * place + document) % len(WORDS)] + ("" if place % 3 else f"{document}x{place}")
        for place in range(400))
        for document in range(20)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def options() -> ArenaOptions:
    return ArenaOptions(quick=True, seconds=0.05, layers=1, scale=64)


@pytest.fixture(scope="session")
def tasks(documents: list[str], options: ArenaOptions) -> dict[str, Task]:
    return make_tasks(documents, options)
