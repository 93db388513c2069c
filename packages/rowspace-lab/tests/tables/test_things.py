"""Tables of things that are not words: items of a small shop, and modules of the standard library."""

import numpy as np
import pytest

from rowspace_lab.lab import Lab
from rowspace_lab.tables.choice import TableChoice
from rowspace_lab.tables.imports import IMPORTS, library_imports
from rowspace_lab.tables.small_shop import OCCASIONS, SMALL_SHOP


@pytest.fixture(scope="module")
def modules() -> Lab:
    """The table of modules, which takes seconds."""
    return IMPORTS.open()


@pytest.mark.parametrize(("choice", "kind"), [(SMALL_SHOP, "item"), (IMPORTS, "node")])
def test_the_code_makes_the_same_table(choice: TableChoice, kind: str, modules: Lab) -> None:
    lab, names = modules if choice is IMPORTS else choice.open(), {}
    exec(lab.load_code, names)
    np.testing.assert_array_equal(names["table"].rows, lab.table.rows)
    assert names["table"].vocabulary == lab.table.vocabulary
    assert lab.id == choice.id
    assert lab.table.settings["kind"] == kind


def test_items_of_one_occasion_are_neighbors() -> None:
    table = SMALL_SHOP.open().table
    assert len(table) == 68
    assert set(table) == {item for items in OCCASIONS.values() for item in items.split(", ")}
    for occasion, item in [("baking", "flour"), ("baby", "diapers"), ("office", "pens"), ("pets", "cat litter")]:
        same = set(OCCASIONS[occasion].split(", "))
        assert {other for other, _ in table.neighbors(item, k=3)} <= same


def test_modules_that_import_each_other_are_neighbors(modules: Lab) -> None:
    imports = library_imports()
    assert ("json", "json.decoder") in imports
    assert not any("test" in name.split(".") for pair in imports for name in pair)
    near = [name for name, _ in modules.table.neighbors("json.decoder", k=5)]
    assert {"json.encoder", "json.scanner"} <= set(near)
