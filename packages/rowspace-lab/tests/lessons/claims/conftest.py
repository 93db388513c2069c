"""Tables that claims are measured on."""

import numpy as np
import pytest

from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.computed.claims import claim_function
from rowspace_lab.tables.examples import EXAMPLES
from rowspace_lab.tables.world import SMALL_WORLD


@pytest.fixture(scope="session")
def world_lab() -> Lab:
    """A lab over the small world."""
    return SMALL_WORLD.open()


@pytest.fixture(scope="session")
def world(world_lab: Lab) -> Table:
    return world_lab.table


@pytest.fixture(scope="session")
def six_lab() -> Lab:
    """A lab over the six words, which are too few for most claims."""
    return EXAMPLES[0].open()


@pytest.fixture(scope="session")
def peaked() -> Table:
    """A table whose columns have a meaning: each word has a few large numbers, and zeros elsewhere."""
    drawn = np.random.default_rng(0)
    rows = drawn.normal(size=(300, 24)) * (drawn.random((300, 24)) < 0.1) + 0.01 * drawn.normal(size=(300, 24))
    return Table([f"word{id}" for id in range(300)], rows.astype(np.float32))


@pytest.fixture(scope="session")
def measure():
    """`measure("antonyms", table)`: the numbers of a claim."""
    return lambda name, *table: claim_function(name)(*table)
