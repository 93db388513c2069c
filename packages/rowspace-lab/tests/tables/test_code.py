"""The code that pages show on each table computes the page's numbers."""

from collections.abc import Callable

import numpy as np
import pytest

import rowspace as rs
from rowspace_lab.pages import PAGES
from rowspace_lab.server.query import Query
from rowspace_lab.server.reply import Reply
from rowspace_lab.tables.examples import EXAMPLES
from rowspace_lab.tables.small_world import small_world_sentences
from rowspace_lab.tables.typed import typed_choice
from rowspace_lab.tables.world import world_choice

EDITED = [*small_world_sentences()[2:40], "a wolf can run", *small_world_sentences()[40:]]
CHOICES = {
    **{choice.id: choice for choice in EXAMPLES},
    "typed": typed_choice("cat 1 2 0.5\ndog 1 1.5 -0.25\nhouse -2 0 1"),
    "world": world_choice("\n".join(EDITED), 8),
}
# They need an upload, a second table, edges, a checkpoint of text and images, an index, or a run of the Training page.
NOT_OF_A_TABLE = (
    "words/stored-umap", "words/graph",
    "arena/", "compare/", "input/own", "patches/picture", "patches/checkpoint-filters", "patches/towers", "search/",
    "training/",
)  # fmt: skip


@pytest.mark.parametrize("name", CHOICES)
def test_load_code_makes_the_table(name: str) -> None:
    lab = CHOICES[name].open()
    names: dict[str, rs.Table] = {}
    exec(lab.load_code, names)  # written by the lab
    assert names["table"].vocabulary == lab.table.vocabulary
    np.testing.assert_array_equal(names["table"].rows, lab.table.rows)


@pytest.mark.long  # the tests of each page check its code with another table
@pytest.mark.parametrize("name", ["six-words", "typed"])
def test_code_of_every_route_computes_its_numbers(name: str, check_code: Callable[..., Reply]) -> None:
    pytest.importorskip("torch")
    lab = CHOICES[name].open()
    for page in PAGES:
        for route, answer in page.routes.items():
            if not route.startswith(NOT_OF_A_TABLE) and "code" in answer(lab, Query()):
                check_code(lab, route)
