"""Names load on first use, so that Numba is imported only when it is needed."""

import subprocess
import sys

import pytest

from rowspace import space


@pytest.mark.parametrize("name", space.__all__)
def test_every_public_name_exists(name):
    assert getattr(space, name) is not None
    assert name in dir(space)


def test_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = space.nothing


def test_table_can_be_imported_and_used_without_numba():
    code = (
        "import sys, numpy; from rowspace.table import Table\n"
        "table = Table(['a'], numpy.ones((1, 2))); table['a'], table.norms, table.similarity('a', 'a')\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
